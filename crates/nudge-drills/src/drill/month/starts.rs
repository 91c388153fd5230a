//! What each session got at its start: the same in empty sessions, and a file that people can read.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use nudge_core::Timestamp;
use regex::Regex;

use super::REPOSITORIES;
use crate::drill::desktop::Desktop;
use crate::repository;
use crate::stage::Violations;

/// The repository whose rules leave no room for work at the end of the month.
const FULL_OF_RULES: &str = "ledger";

/// Checks the starts of empty sessions, which follow the first `worked`: they are all alike.
pub(super) fn check(begun: &[SessionStart], worked: usize, violations: &mut Violations) {
    for (repository, _) in REPOSITORIES {
        let mut empty = begun[worked..].iter().filter(|one| one.repository == repository);
        let Some(first) = empty.next() else { continue };
        let has_work = !first.work().is_empty() || repository == FULL_OF_RULES;
        violations.unless(has_work, format!("{repository} has no work to show"));
        for one in empty.filter(|one| one.work() != first.work()) {
            violations.unless(
                false,
                format!("{} in {repository}: empty sessions change where the work stopped", one.at),
            );
        }
    }
}

// A session that began, and what it got.

/// The heading of where the work stopped.
pub(super) const STOPPED_HEADING: &str = "## Where the work stopped";

#[derive(Clone, Debug)]
pub(super) struct SessionStart {
    at: Timestamp,
    repository: &'static str,
    /// What it got; empty where it got nothing.
    text: String,
    /// What it got after that, with prompts and commands.
    pub(super) later: Vec<String>,
}

impl SessionStart {
    pub(super) fn new(at: i64, repository: &'static str, text: String) -> Self {
        Self { at: Timestamp::from_millis(at), repository, text, later: Vec::new() }
    }

    /// The section on where the work stopped, without its ages.
    fn work(&self) -> String {
        without_ages(&section(&self.text, STOPPED_HEADING).join("\n"))
    }
}

/// The lines of a block below a heading.
pub(super) fn section<'t>(text: &'t str, heading: &str) -> Vec<&'t str> {
    let below = text.lines().skip_while(|line| *line != heading).skip(1);
    below.take_while(|line| line.starts_with("- ") || line.starts_with("  ")).collect()
}

/// A text with `…` for every age: `[2d ago]`, `3h ago`.
fn without_ages(text: &str) -> String {
    Regex::new(r"just now|\d+[a-z]+ ago")
        .map_or_else(|_| text.to_owned(), |age| age.replace_all(text, "…").into_owned())
}

// What each session of the month got, in a readable file.

const SNAPSHOT_FILE: &str = "crates/nudge-drills/snapshots/month.md";

const PAGE_HEAD: &str = "# A month of starts\n
What each session of `cargo xtask drill month` was given when it began, and with prompts and commands
after that. `#n` stands for a number, `id=\"…\"` for the random id of the frame. `UPDATE=1 cargo xtask drill month` writes this file.\n";

/// Compares with the file, or writes it if `UPDATE` is set.
pub(super) fn compare(
    begun: &[SessionStart],
    desktop: &Desktop,
    violations: &mut Violations,
) -> anyhow::Result<()> {
    let page = page(begun, &desktop.home.path().to_string_lossy())?;
    let file = repository::root().join(SNAPSHOT_FILE);
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::create_dir_all(file.with_file_name(""))?;
        std::fs::write(&file, page)?;
        println!("written: {SNAPSHOT_FILE}");
        return Ok(());
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    if before != page {
        show_difference(&file, &desktop.home.path().join("month.md"), &page)?;
    }
    let is_like = changed(&before, &page) * ALLOWED_DIFFERENCE <= page.lines().count();
    violations
        .unless(is_like, format!("the starts are not those of {SNAPSHOT_FILE}; UPDATE=1 writes it anew"));
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
    let mut page = PAGE_HEAD.to_owned();
    for (place, one) in begun.iter().enumerate() {
        let at: String = one.at.to_string().replace('T', " ").chars().take(16).collect();
        write!(page, "\n## {}. {at}, {}\n", place + 1, one.repository)?;
        for text in std::iter::once(&one.text).chain(&one.later) {
            let text = text.replace(home, "~");
            let text = number.replace_all(&text, "#n");
            let text = id.replace_all(&text, "id=\"…\"");
            write!(page, "\n```text\n{}\n```\n", text.trim_end())?;
        }
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_what_stands_below_its_heading() {
        let text = "# nudge context\n## Where the work stopped\n- [2d ago] asked: \"x\" #1\n  on main\n## Recent Intents\n- y\n";
        let begun = SessionStart::new(0, "shop", text.to_owned());
        assert_eq!(begun.work(), "- […] asked: \"x\" #1\n  on main");
        assert_eq!(section(&begun.text, "## Seen here before"), Vec::<&str>::new());
    }

    #[test]
    fn numbers_ids_and_the_home_are_the_same_each_time() {
        let text =
            "<nudge-memory id=\"abcdefghijkl\">\n- /tmp/h/x #41\n</nudge-memory id=\"abcdefghijkl\">\n";
        let begun = SessionStart::new(1_772_442_000_000, "shop", text.to_owned());
        let page = page(&[begun], "/tmp/h").expect("a page");
        assert!(page.ends_with(
        "## 1. 2026-03-02 09:00, shop\n\n```text\n<nudge-memory id=\"…\">\n- ~/x #n\n</nudge-memory id=\"…\">\n```\n"
    ));
    }
}
