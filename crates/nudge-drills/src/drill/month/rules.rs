//! The user's statements in each repository, and the checks on them at every start.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use nudge_core::Timestamp;
use regex::Regex;

use super::REQUEST;
use crate::drill::desktop::Desktop;
use crate::repository;
use crate::stage::Verdict;

/// The statements in one repository before any work is done there.
pub(super) struct Rules {
    pub(super) repository: &'static str,
    /// A rule that is remembered.
    remembered: &'static str,
    /// A note that is pinned.
    pinned: &'static str,
    /// A hint that applies in this repository only.
    hint: &'static str,
}

/// A wrong rule, and its correction.
pub(super) struct Corrected {
    pub(super) said: &'static str,
    pub(super) corrected: &'static str,
}

pub(super) const WRONG: Corrected = Corrected {
    said: "Deploy by hand with `make deploy` on the build server.",
    corrected: "Deploy with the release workflow; nobody deploys by hand.",
};

pub(super) fn all() -> Vec<Rules> {
    vec![
        Rules {
            repository: "shop",
            remembered: "Prices are integers in cents; never use floats for money.",
            pinned: "Staging is reset every Sunday night, so do not test orders there on Sundays.",
            hint: "pnpm test --run --coverage",
        },
        Rules {
            repository: "parcel",
            remembered: "Every new dependency needs a line in docs/dependencies.md.",
            pinned: "Tokens of carriers come from the keychain and never from a file.",
            hint: "cargo nextest run --all-features",
        },
    ]
}

impl Rules {
    /// The user makes the statements.
    pub(super) fn state(&self, desktop: &Desktop, root: &Path) -> anyhow::Result<()> {
        desktop.person(root, &["remember", self.remembered])?;
        let note = desktop.person(root, &["mark", self.pinned])?;
        let note = note["id"].as_i64().context("a note has a number")?.to_string();
        desktop.person(root, &["pin", &note])?;
        let set = ["set", "tests", "run", self.hint, "--repo", ".", "--ttl", "forever"];
        desktop.person(root, &set).map(drop)
    }

    fn texts(&self) -> [&'static str; 3] {
        [self.remembered, self.pinned, self.hint]
    }
}

/// Checks every start; those after the first `worked` had no work before them.
pub(super) fn check(begun: &[SessionStart], rules: &[Rules], worked: usize, verdict: &mut Verdict) {
    for one in begun {
        let begins = format!("{} in {}", one.at, one.repository);
        for rules in rules.iter().filter(|rules| rules.repository == one.repository) {
            for text in rules.texts() {
                verdict.demand(one.text.contains(text), format!("{begins} lacks {text:?}"));
            }
        }
        for other in rules.iter().filter(|rules| rules.repository != one.repository) {
            let is_there = one.text.contains(other.hint) || one.text.contains(other.remembered);
            verdict.demand(!is_there, format!("{begins} has a rule of {}", other.repository));
        }
        if one.repository == "shop" {
            let (holds, not) =
                if one.corrected { (WRONG.corrected, WRONG.said) } else { (WRONG.said, WRONG.corrected) };
            verdict.demand(one.text.contains(holds), format!("{begins} lacks {holds:?}"));
            verdict.demand(!one.text.contains(not), format!("{begins} has {not:?}"));
        }
        let as_rule = one.section(STATED).iter().any(|line| line.contains(REQUEST));
        verdict.demand(!as_rule, format!("{begins} has a request as a rule"));
    }
    for rules in rules {
        let mut empty = begun[worked..].iter().filter(|one| one.repository == rules.repository);
        let Some(first) = empty.next() else { continue };
        verdict.demand(!first.work().is_empty(), format!("{} has no work to show", rules.repository));
        for one in empty.filter(|one| one.work() != first.work()) {
            verdict.demand(
                false,
                format!("{} in {}: empty sessions change where the work stopped", one.at, one.repository),
            );
        }
    }
}

// A session that began, and what it got.

/// The heading of the user's statements, and the heading of where the work stopped.
pub(super) const STATED: &str = "## Stated by the person";

const STOPPED: &str = "## Where the work stopped";

#[derive(Clone, Debug)]
pub(super) struct SessionStart {
    pub(super) at: Timestamp,
    pub(super) repository: &'static str,
    /// Whether the wrong rule was corrected by then.
    pub(super) corrected: bool,
    /// What it got; empty where it got nothing.
    pub(super) text: String,
}

impl SessionStart {
    pub(super) fn new(at: i64, repository: &'static str, corrected: bool, text: Option<String>) -> Self {
        let text = text.unwrap_or_default();
        Self { at: Timestamp::from_millis(at), repository, corrected, text }
    }

    /// The lines below a heading.
    pub(super) fn section(&self, heading: &str) -> Vec<&str> {
        let below = self.text.lines().skip_while(|line| *line != heading).skip(1);
        below.take_while(|line| line.starts_with("- ") || line.starts_with("  ")).collect()
    }

    /// The section on where the work stopped, without its ages.
    pub(super) fn work(&self) -> String {
        without_ages(&self.section(STOPPED).join("\n"))
    }
}

/// A text with `…` for every age: `[2d ago]`, `3h ago`.
fn without_ages(text: &str) -> String {
    Regex::new(r"just now|\d+[a-z]+ ago")
        .map_or_else(|_| text.to_owned(), |age| age.replace_all(text, "…").into_owned())
}

// What each session of the month got, in a readable file.

const FILE: &str = "crates/nudge-drills/snapshots/month.md";

const HEAD: &str = "# A month of starts\n
What each of the forty sessions of `cargo xtask drill month` was given when it began. `#n` stands for a number, `id=\"…\"`
for the random id of the frame. `UPDATE=1 cargo xtask drill month` writes this file.\n";

/// Compares with the file, or writes it if `UPDATE` is set.
pub(super) fn compare(
    begun: &[SessionStart],
    desktop: &Desktop,
    verdict: &mut Verdict,
) -> anyhow::Result<()> {
    let page = page(begun, &desktop.home.path().to_string_lossy())?;
    let file = repository::root().join(FILE);
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::create_dir_all(file.with_file_name(""))?;
        std::fs::write(&file, page)?;
        println!("written: {FILE}");
        return Ok(());
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    if before != page {
        show_difference(&file, &desktop.home.path().join("month.md"), &page)?;
    }
    let is_like = changed(&before, &page) * ALLOWED_DIFFERENCE <= page.lines().count();
    verdict.demand(is_like, format!("the starts are not those of {FILE}; UPDATE=1 writes it anew"));
    Ok(())
}

/// One line in this many may differ: a line at the edge of its budget comes or goes with the digits
/// of entry numbers, which depend on when sessions were summarised.
const ALLOWED_DIFFERENCE: usize = 20;

/// How many lines of a text another one does not have.
fn changed(before: &str, page: &str) -> usize {
    let mut left: HashMap<&str, i64> = HashMap::new();
    before.lines().for_each(|line| *left.entry(line).or_default() += 1);
    page.lines().for_each(|line| *left.entry(line).or_default() -= 1);
    left.values().filter(|left| **left < 0).map(|left| left.unsigned_abs() as usize).sum()
}

fn show_difference(before: &PathBuf, now: &PathBuf, page: &str) -> anyhow::Result<()> {
    std::fs::write(now, page)?;
    let git = ["--no-pager", "diff", "--no-index", "--no-color", "--"];
    Command::new("git").args(git).arg(before).arg(now).status()?;
    Ok(())
}

/// The file: a heading and a block for each start.
fn page(begun: &[SessionStart], home: &str) -> anyhow::Result<String> {
    let (number, id) = (Regex::new(r"#\d+")?, Regex::new("id=\"[a-p]{12}\"")?);
    let mut page = HEAD.to_owned();
    for (place, one) in begun.iter().enumerate() {
        let at: String = one.at.to_string().replace('T', " ").chars().take(16).collect();
        let text = one.text.replace(home, "~");
        let text = number.replace_all(&text, "#n");
        let text = id.replace_all(&text, "id=\"…\"");
        write!(page, "\n## {}. {at}, {}\n\n```text\n{}\n```\n", place + 1, one.repository, text.trim_end())?;
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_what_stands_below_its_heading() {
        let text = "# nudge context\n## Where the work stopped\n- [2d ago] asked: \"x\" #1\n  on main\n## Recent Intents\n- y\n";
        let begun = SessionStart::new(0, "shop", false, Some(text.to_owned()));
        assert_eq!(begun.work(), "- […] asked: \"x\" #1\n  on main");
        assert_eq!(begun.section(STATED), Vec::<&str>::new());
    }

    #[test]
    fn numbers_ids_and_the_home_are_the_same_each_time() {
        let text =
            "<nudge-memory id=\"abcdefghijkl\">\n- /tmp/h/x #41\n</nudge-memory id=\"abcdefghijkl\">\n";
        let begun = SessionStart::new(1_772_442_000_000, "shop", false, Some(text.to_owned()));
        let page = page(&[begun], "/tmp/h").expect("a page");
        assert!(page.ends_with(
        "## 1. 2026-03-02 09:00, shop\n\n```text\n<nudge-memory id=\"…\">\n- ~/x #n\n</nudge-memory id=\"…\">\n```\n"
    ));
    }
}
