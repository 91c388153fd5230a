//! Requirement ids, and the list of them next to the checkout.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// The letters of the lists, in the order of the report.
pub(super) const LETTERS: &str = "NCMRLX";

/// A requirement's id: the letter of its list, and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id {
    pub(super) letter: char,
    number: u16,
}

impl Id {
    /// Reads `N-01` or `R-130`: at least two digits.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (letter, number) = text.split_once('-')?;
        let digits = (2..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        let letter = letter.chars().next().filter(|_| is_letter(letter))?;
        digits.then(|| number.parse().ok())?.map(|number| Self { letter, number })
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |id: &Self| (LETTERS.find(id.letter), id.number);
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}-{:02}", self.letter, self.number))
    }
}

/// Whether a text is the letter of a list.
pub(super) fn is_letter(text: &str) -> bool {
    text.len() == 1 && LETTERS.contains(text)
}

/// The ids of the list next to the checkout; `None` if there is no list.
pub(super) fn list(root: &Path) -> anyhow::Result<Option<BTreeSet<Id>>> {
    let path = root.join("../shared/spec/requirements.md");
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Some(ids_of(&text)))
}

/// The first column of every table row that starts with an id.
fn ids_of(text: &str) -> BTreeSet<Id> {
    let rows = text.lines().filter_map(|line| line.strip_prefix('|'));
    rows.filter_map(|row| Id::parse(row.split('|').next()?.trim())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_and_ordered_by_list_and_number() {
        let ids: BTreeSet<Id> = ["X-01", "N-101", "N-20", "R-03"].into_iter().filter_map(Id::parse).collect();
        assert_eq!(ids.iter().map(Id::to_string).collect::<Vec<_>>(), ["N-20", "N-101", "R-03", "X-01"]);
        assert_eq!(["N-1", "Q-01", "N01", "N-1a", "NX-01", "-01"].map(Id::parse), [None; 6]);
    }

    #[test]
    fn only_rows_of_tables_are_requirements() {
        let text = "| id | requirement |\n|---|---|\n| N-01 | one, see N-02 |\nN-03 is prose\n| C-50 | x |\n";
        assert_eq!(ids_of(text).iter().map(Id::to_string).collect::<Vec<_>>(), ["N-01", "C-50"]);
    }
}
