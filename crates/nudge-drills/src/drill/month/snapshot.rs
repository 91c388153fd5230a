//! What each session of the month got, in a readable file.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use regex::Regex;

use super::begun::SessionStart;
use crate::drill::desktop::Desktop;
use crate::drill::verdict::Verdict;
use crate::repository;

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
