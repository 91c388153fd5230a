//! The groups of commands that `nudge -h` and `nudge --help` list.

use std::fmt::Write;

use anstyle::Style;
use clap::Command;

/// Related commands.
struct Group {
    title: &'static str,
    commands: &'static [&'static str],
}

/// Groups of everyday commands come first.
const GROUPS: [Group; 5] = [
    Group {
        title: "Find",
        commands: &["search", "show", "timeline", "sessions", "trace", "history", "recent", "fix", "tui"],
    },
    Group {
        title: "Teach",
        commands: &[
            "remember", "correct", "forget", "review", "knows", "mark", "pin", "unpin", "hint", "log", "undo",
        ],
    },
    Group {
        title: "Work",
        commands: &["ask", "run", "session", "focus", "handoff", "hypotheses", "journal", "entry"],
    },
    Group { title: "See what agents get", commands: &["context", "why", "usage", "learn", "stop-showing"] },
    Group {
        title: "Control",
        commands: &[
            "install",
            "uninstall",
            "pause",
            "unpause",
            "purge",
            "project",
            "config",
            "model",
            "doctor",
            "status",
            "stop",
            "backup",
            "restore",
            "export",
            "import",
            "maintain",
            "update",
        ],
    },
];

/// Commands for programs. Only the long list has them.
const PLUMBING: Group = Group {
    title: "Plumbing",
    commands: &["hook", "record", "serve", "discover", "token", "statusline", "completions", "man"],
};

/// Short forms of `nudge hint` commands. The list names them on one line.
const SHORT_FORMS: [&str; 7] = ["set", "get", "ls", "delete", "query", "bump", "stats"];

/// The columns before the names.
const INDENT: &str = "  ";

/// The list of `nudge -h`.
pub(super) fn short(tree: &Command) -> String {
    list(tree, GROUPS.iter())
}

/// The list of `nudge --help`.
pub(super) fn long(tree: &Command) -> String {
    list(tree, all())
}

/// The titles, each with its commands.
pub(super) fn titled() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    all().map(|group| (group.title, group.commands)).chain([("Short for `nudge hint`", &SHORT_FORMS[..])])
}

fn all() -> impl Iterator<Item = &'static Group> {
    GROUPS.iter().chain([&PLUMBING])
}

fn list<'a>(tree: &Command, groups: impl Iterator<Item = &'a Group>) -> String {
    let styles = tree.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let width = all().flat_map(|group| group.commands).map(|name| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for group in groups {
        let _ = writeln!(text, "{}", painted(header, &format!("{}:", group.title)));
        for name in group.commands {
            let summary = tree.find_subcommand(name).and_then(Command::get_about);
            let gap = " ".repeat(width - name.len() + 2);
            let summary = summary.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "{INDENT}{}{gap}{summary}", painted(literal, name));
        }
        if group.commands.contains(&"hint") {
            let _ = writeln!(text, "{INDENT}{}", short_forms());
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn short_forms() -> String {
    format!("(nudge {} are short for nudge hint …; see nudge hint -h)", SHORT_FORMS[..4].join(", "))
}

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::help::tree;

    #[test]
    fn every_visible_command_is_in_exactly_one_group() {
        let tree = tree();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for name in titled().flat_map(|(_, names)| names) {
            *seen.entry(name).or_default() += 1;
        }
        let visible: BTreeMap<&str, usize> = tree
            .get_subcommands()
            .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
            .map(|sub| (sub.get_name(), 1))
            .collect();
        assert_eq!(seen, visible);
    }

    #[test]
    fn every_short_form_is_a_command_of_hint() {
        let tree = tree();
        let hint = tree.find_subcommand("hint").expect("a command");
        for name in SHORT_FORMS {
            assert!(hint.find_subcommand(name).is_some(), "{name}");
        }
    }

    #[test]
    fn a_line_fits_eighty_columns() {
        for line in anstream::adapter::strip_str(&long(&tree())).to_string().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
