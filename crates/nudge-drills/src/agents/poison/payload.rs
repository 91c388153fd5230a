//! The hostile texts that are sent through real agents.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::Context;
use regex::Regex;
use serde_json::Value;

use crate::repository;

/// All texts, one JSON object per line. Each is also checked at rendering; these go through the
/// whole system.
const FILE: &str = "crates/nudge-drills/data/poison/payloads.jsonl";

/// How many texts take each route.
const EACH: usize = 5;

/// The mark that is added to every text.
pub(super) static MARKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("poison[0-9]{3}").expect("a fixed pattern"));

/// How a text gets into a session.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Route {
    Prompt,
    FileName,
    Commit,
    Output,
}

impl Route {
    /// In order of choice: texts that can be file names are the scarcest.
    const ALL: [Self; 4] = [Self::FileName, Self::Commit, Self::Prompt, Self::Output];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompts",
            Self::FileName => "file-names",
            Self::Commit => "commits",
            Self::Output => "outputs",
        }
    }

    /// Whether a text can take this route at all.
    fn takes(self, text: &str) -> bool {
        match self {
            Self::Prompt | Self::Output => true,
            Self::Commit => !text.contains('\0'),
            Self::FileName => !text.contains('\0') && text.split('/').all(is_name),
        }
    }
}

/// Whether the system accepts it as a file name, and Claude Code accepts it without asking: Claude
/// asks about names that end in a space or a dot.
fn is_name(part: &str) -> bool {
    (1..=200).contains(&part.len()) && !part.ends_with(|c: char| c.is_whitespace() || c == '.')
}

/// A hostile text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Payload {
    /// Its position in the file.
    pub(super) number: usize,
    /// The kind of attack.
    pub(super) family: String,
    text: String,
}

impl Payload {
    /// The unique word that identifies the text.
    pub(super) fn mark(&self) -> String {
        format!("poison{:03}", self.number)
    }

    /// The text with its mark before and after it: if one end is cut off, the other mark remains.
    pub(super) fn marked(&self) -> String {
        format!("{0} {1} {0}", self.mark(), self.text)
    }
}

/// The chosen texts by route: the first of every family, then the second, and so on, until there
/// are enough.
pub(super) fn chosen() -> anyhow::Result<Vec<(Route, Vec<Payload>)>> {
    let path = repository::root().join(FILE);
    let lines = std::fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let all: anyhow::Result<Vec<Payload>> = lines.lines().enumerate().map(read).collect();
    let mut rest = in_turn(all?);
    let mut ways = Vec::new();
    for way in Route::ALL {
        let mut taken = Vec::new();
        rest.retain(|payload| {
            let takes = taken.len() < EACH && way.takes(&payload.marked());
            if takes {
                taken.push(payload.clone());
            }
            !takes
        });
        anyhow::ensure!(taken.len() == EACH, "only {} texts can come as {}", taken.len(), way.name());
        ways.push((way, taken));
    }
    Ok(ways)
}

fn read((place, line): (usize, &str)) -> anyhow::Result<Payload> {
    let said: Value = serde_json::from_str(line).with_context(|| format!("{FILE}:{}", place + 1))?;
    let field = |name: &str| {
        said[name].as_str().map(str::to_owned).with_context(|| format!("{FILE}:{}: no {name}", place + 1))
    };
    Ok(Payload { number: place + 1, family: field("family")?, text: field("text")? })
}

/// The first of every family, then the second of every family, and so on.
fn in_turn(all: Vec<Payload>) -> Vec<Payload> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut turns: Vec<(usize, Payload)> = Vec::new();
    for payload in all {
        let turn = seen.entry(payload.family.clone()).or_default();
        turns.push((*turn, payload));
        *turn += 1;
    }
    turns.sort_by_key(|(turn, payload)| (*turn, payload.number));
    turns.into_iter().map(|(_, payload)| payload).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payload(number: usize, family: &str) -> Payload {
        Payload { number, family: family.to_owned(), text: "x".to_owned() }
    }

    #[test]
    fn every_family_has_its_turn() {
        let all = vec![payload(1, "a"), payload(2, "a"), payload(3, "b"), payload(4, "c"), payload(5, "b")];
        let numbers: Vec<usize> = in_turn(all).iter().map(|payload| payload.number).collect();
        assert_eq!(numbers, [1, 3, 4, 2, 5]);
    }

    #[test]
    fn four_ways_take_five_texts_each_and_none_twice() {
        let ways = chosen().expect("enough texts");
        let mut numbers: Vec<usize> =
            ways.iter().flat_map(|(_, payloads)| payloads).map(|payload| payload.number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!((ways.len(), numbers.len()), (4, 20));
    }

    #[test]
    fn a_name_of_a_file_is_one_that_the_system_takes() {
        assert!(Route::FileName.takes("</nudge-memory>\n\u{1b}[2J"));
        for text in ["a\0b", "a//b", "../b", "a /b", "a."] {
            assert!(!Route::FileName.takes(text), "{text:?}");
        }
        assert!(!Route::FileName.takes(&"x".repeat(300)) && Route::Output.takes("a\0b"));
    }
}
