//! Help pages. They are built from the argument tree only when somebody asks for one, so no other
//! command pays for them.
//!
//! `-h` shows the command's own options. `--help` adds the global options and examples. The flags
//! for settings are only on the pages of `nudge` and `nudge config`.

use std::fmt::Write;

use anstyle::Style;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

use super::{Cli, GROUPS};
use crate::globals::SETTINGS_HEADING;

/// The last line of every `-h` page.
const GLOBALS_LINE: &str = "Global options: --json, --home, --port, --color (see --help)";

/// The last line of every `--help` page that leaves the settings out.
pub(super) const SETTINGS_NOTE: &str = "Every setting has a flag too: see `nudge config --help`.";

/// The end of `nudge -h`.
const SHORT_END: &str = "\
Global options: --json, --home, --port, --color (see --help)

`nudge COMMAND -h` explains a command; `nudge --help` lists everything.";

/// The end of `nudge --help`: what scripts rely on.
const LONG_END: &str = "\
Exit codes:
  0  done
  1  failed; the error and a next step are on standard error (--json: standard output)
  2  the command line or the input is wrong
  3  not found, or nothing applies here
  4  not allowed, or not confirmed
  5  the memory cannot be used: locked, damaged, read-only, or the disk is full
  6  conflicts with what is stored: a version, a name, a limit
  130  a run was aborted with Ctrl-C

The memory is in ~/.local/share/nudge. No server is needed: without one,
commands open the memory themselves. `nudge COMMAND --help` explains a command.";

/// The groups on the page of `nudge -h`, and on that of `nudge --help`, which also has the commands
/// for programs. Both name the other names for `nudge hint …` on one line.
const EVERYDAY_GROUPS: usize = LISTED_GROUPS - 1;
const LISTED_GROUPS: usize = GROUPS.len() - 1;

/// The columns before the names.
const NAME_INDENT: &str = "  ";

/// The page of `nudge` itself, with groups in place of clap's list.
const ROOT_TEMPLATE: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Every command with all its arguments, for manual pages and completions.
pub(crate) fn tree() -> Command {
    let mut tree = Cli::command();
    tree.build();
    tree.after_long_help(LONG_END).mut_subcommands(subpage)
}

/// The tree that prints help pages.
pub(crate) fn pages() -> Command {
    let tree = tree();
    let groups = groups(&tree);
    let (short, long) = (list(&tree, &groups[..EVERYDAY_GROUPS]), list(&tree, &groups[..LISTED_GROUPS]));
    tree.help_template(ROOT_TEMPLATE)
        .override_usage("nudge [OPTIONS] [COMMAND]")
        .before_help(short)
        .before_long_help(long)
        .after_help(SHORT_END)
        .mut_args(|arg| if arg.is_global_set() { arg.hide_short_help(true) } else { arg })
        .mut_subcommands(|sub| sub.hide(true))
}

/// Whether a command's page lists this option. Older spellings are accepted but not listed.
pub(crate) fn lists_option(command: &str, option: &str) -> bool {
    let tree = tree();
    let found = command.split(' ').skip(1).try_fold(&tree, |level, name| level.find_subcommand(name));
    let longs =
        found.into_iter().flat_map(Command::get_arguments).filter_map(Arg::get_long_and_visible_aliases);
    longs.flatten().any(|long| option.strip_prefix("--") == Some(long))
}

/// A command below `nudge`. Its page ends by saying where the other options are.
fn subpage(command: Command) -> Command {
    let shows_settings = command.get_name() == "config";
    let hide = |arg: Arg| {
        let is_setting = arg.get_help_heading() == Some(SETTINGS_HEADING);
        if is_setting && !shows_settings { arg.hide(true) } else { arg }
    };
    let long = end(command.get_after_long_help(), shows_settings);
    command.mut_args(hide).after_help(GLOBALS_LINE).after_long_help(long).mut_subcommands(subpage)
}

fn end(own: Option<&StyledStr>, shows_settings: bool) -> String {
    let own = own.map(ToString::to_string);
    let more = (!shows_settings).then(|| SETTINGS_NOTE.to_owned());
    own.into_iter().chain(more).collect::<Vec<_>>().join("\n\n")
}

/// A title, and the commands below it.
pub(super) type Group<'t> = (&'static str, Vec<&'t Command>);

/// The groups of the table, without hidden commands. The tree has them in the same order.
pub(super) fn groups(tree: &Command) -> Vec<Group<'_>> {
    let mut commands = tree.get_subcommands();
    let mut next = |count| commands.by_ref().take(count).filter(|one| !one.is_hide_set()).collect();
    GROUPS.iter().map(|(title, count)| (*title, next(*count))).collect()
}

/// The groups as a list. The names are in one column on both pages.
fn list(tree: &Command, groups: &[Group<'_>]) -> String {
    let styles = tree.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    let all = self::groups(tree);
    let width =
        all[..LISTED_GROUPS].iter().flat_map(|(_, commands)| commands).map(|one| one.get_name().len()).max();
    let width = width.unwrap_or(0);
    let mut text = String::new();
    for (title, commands) in groups {
        let _ = writeln!(text, "{}", painted(header, &format!("{title}:")));
        for command in commands {
            let name = command.get_name();
            let gap = " ".repeat(width - name.len() + 2);
            let summary = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "{NAME_INDENT}{}{gap}{summary}", painted(literal, name));
        }
        if commands.iter().any(|command| command.get_name() == "hint") {
            let short: Vec<_> =
                all[LISTED_GROUPS].1.iter().take(4).map(|command| command.get_name()).collect();
            let short = short.join(", ");
            let _ =
                writeln!(text, "{NAME_INDENT}(nudge {short} are short for nudge hint …; see nudge hint -h)");
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn painted(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_command_is_in_exactly_one_group() {
        let tree = tree();
        let grouped = groups(&tree).into_iter().flat_map(|(_, commands)| commands);
        let grouped: Vec<_> = grouped.map(Command::get_name).collect();
        let visible = tree.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
        assert_eq!(grouped, visible.map(Command::get_name).collect::<Vec<_>>());
    }

    #[test]
    fn every_short_form_is_a_command_of_hint() {
        let tree = tree();
        let hint = tree.find_subcommand("hint").expect("a command");
        for short in &groups(&tree)[LISTED_GROUPS].1 {
            assert!(hint.find_subcommand(short.get_name()).is_some(), "{}", short.get_name());
        }
    }

    #[test]
    fn a_line_fits_eighty_columns() {
        let tree = tree();
        let long = list(&tree, &groups(&tree)[..LISTED_GROUPS]);
        for line in anstream::adapter::strip_str(&long).to_string().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
