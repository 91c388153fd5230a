//! Reads `docs/spec/traceability.toml`: the state of every requirement id.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fmt, fs};

use anyhow::Context;
use toml::{Table, Value};

use crate::finding::Finding;
use crate::rust_text::pattern;
use crate::tree::TextFile;

/// The path of the map.
pub(super) const MAP: &str = "docs/spec/traceability.toml";

/// The state of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RequirementState {
    /// The anchors that state it.
    Covered(Vec<String>),
    /// Why it is not built, with the decision that says so.
    Exempt(String),
    /// The part of the project that will cover it.
    Waiting(String),
}

impl RequirementState {
    pub(super) fn anchors(&self) -> &[String] {
        if let Self::Covered(anchors) = self { anchors } else { &[] }
    }
}

/// The map, and every line of it that cannot be parsed.
pub(super) fn read(file: &TextFile) -> (BTreeMap<Id, RequirementState>, Vec<Finding>) {
    let (mut map, mut findings) = (BTreeMap::new(), Vec::new());
    let table = match file.text.parse::<Table>() {
        Ok(table) => table,
        Err(error) => {
            return (map, vec![Finding::new(MAP, 0, format!("not TOML: {error}"), "mend the file")]);
        }
    };
    for (key, value) in &table {
        let line =
            file.text.lines().position(|line| line.starts_with(key.as_str())).map_or(0, |index| index + 1);
        match (Id::parse(key), standing(value)) {
            (Some(id), Ok(standing)) => {
                map.insert(id, standing);
            }
            (None, _) => {
                findings.push(Finding::new(MAP, line, format!("`{key}` is no id"), "write ids as N-01"))
            }
            (_, Err((problem, way_out))) => {
                findings.push(Finding::new(MAP, line, format!("{key}: {problem}"), way_out))
            }
        }
    }
    (map, findings)
}

type Fault = (&'static str, &'static str);

fn standing(value: &Value) -> Result<RequirementState, Fault> {
    let table = value.as_table().ok_or(("not a table", "write { anchors = […] }"))?;
    if table.keys().any(|key| !matches!(key.as_str(), "anchors" | "exempt" | "waiting" | "note")) {
        return Err(("unknown key", "use anchors, exempt or waiting, and note beside them"));
    }
    let text =
        |key: &str| table.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let stated = ["anchors", "exempt", "waiting"].iter().filter(|key| table.contains_key(**key)).count();
    if stated != 1 {
        return Err((
            "not exactly one of anchors, exempt and waiting",
            "an id is covered, exempt or waiting",
        ));
    }
    if let Some(anchors) = table.get("anchors") {
        let names = anchors.as_array().into_iter().flatten().map(|name| name.as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        let names = names.filter(|names| !names.is_empty());
        return names
            .map(RequirementState::Covered)
            .ok_or(("anchors is not a list of names", "name at least one anchor"));
    }
    if let Some(reason) = text("exempt") {
        let decision = pattern(r"\([KPHSRT][0-9]+(, ?[KPHSRT][0-9]+)*\)$");
        let named = decision.is_match(reason);
        return if named {
            Ok(RequirementState::Exempt(reason.to_owned()))
        } else {
            Err((
                "exempt without a decision",
                "end the reason with the decision that supports it, as in (S14)",
            ))
        };
    }
    let part = text("waiting").ok_or(("an empty reason", "say why, or what it waits for"))?;
    Ok(RequirementState::Waiting(part.to_owned()))
}

// Requirement ids, and the list of them next to the checkout.

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

    fn file(text: &str) -> TextFile {
        TextFile { path: MAP.into(), text: text.into() }
    }

    #[test]
    fn the_three_standings_are_read() {
        let text = "N-01 = { anchors = [\"a\", \"b\"], note = \"in the form of P3\" }\n\
                N-02 = { exempt = \"not built (S14, K6)\" }\nN-03 = { waiting = \"runs\" }\n";
        let (map, findings) = read(&file(text));
        assert_eq!(findings, []);
        let standings: Vec<_> = map.into_values().collect();
        assert_eq!(
            standings,
            [
                RequirementState::Covered(vec!["a".into(), "b".into()]),
                RequirementState::Exempt("not built (S14, K6)".into()),
                RequirementState::Waiting("runs".into()),
            ]
        );
    }

    #[test]
    fn half_statements_are_refused() {
        let text = "N-01 = { anchors = [] }\nN-02 = { exempt = \"no reason to\" }\nN-03 = { waiting = \"\" }\n\
                N-04 = { anchors = [\"a\"], waiting = \"b\" }\nN-05 = { until = \"b\" }\nN-06 = 1\nZ-1 = { waiting = \"b\" }\n";
        let (map, findings) = read(&file(text));
        assert!(map.is_empty());
        let lines: Vec<_> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7], "{findings:?}");
    }

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
