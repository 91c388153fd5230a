//! The hostile texts that are taken to real agents.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use anyhow::Context;
use regex::Regex;
use serde_json::Value;

use crate::repository;

/// All of them, one JSON object a line. Every one is checked as it is rendered; here are those that go the whole way.
const FILE: &str = "crates/nudge-drills/data/poison/payloads.jsonl";

/// How many are taken each way.
const EACH: usize = 5;

/// What every text is marked with.
pub(super) static MARKED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("poison[0-9]{3}").expect("a fixed pattern"));

/// How a text comes into a session.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Way {
    Prompt,
    FileName,
    Commit,
    Output,
}

impl Way {
    /// In the order in which they choose: what can be the name of a file is the scarcest.
    const ALL: [Self; 4] = [Self::FileName, Self::Commit, Self::Prompt, Self::Output];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "prompts",
            Self::FileName => "file-names",
            Self::Commit => "commits",
            Self::Output => "outputs",
        }
    }

    /// Whether a text can come this way at all.
    fn takes(self, text: &str) -> bool {
        match self {
            Self::Prompt | Self::Output => true,
            Self::Commit => !text.contains('\0'),
            Self::FileName => !text.contains('\0') && text.split('/').all(is_name),
        }
    }
}

/// What the system takes as a name, and Claude Code without asking: it suspects those that end in a space or a dot.
fn is_name(part: &str) -> bool {
    (1..=200).contains(&part.len()) && !part.ends_with(|c: char| c.is_whitespace() || c == '.')
}

/// A hostile text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Payload {
    /// Its place among all.
    pub(super) number: usize,
    /// What it tries.
    pub(super) family: String,
    text: String,
}

impl Payload {
    /// The word by which it is known again.
    pub(super) fn mark(&self) -> String {
        format!("poison{:03}", self.number)
    }

    /// The text with its mark before and behind it: whichever end is cut, one of them is seen.
    pub(super) fn marked(&self) -> String {
        format!("{0} {1} {0}", self.mark(), self.text)
    }
}

/// Those that are taken, by the way they take: the first of every family, then the second, and so on, until there are enough.
pub(super) fn chosen() -> anyhow::Result<Vec<(Way, Vec<Payload>)>> {
    let path = repository::root().join(FILE);
    let lines = std::fs::read_to_string(&path).with_context(|| format!("no {}", path.display()))?;
    let all: anyhow::Result<Vec<Payload>> = lines.lines().enumerate().map(read).collect();
    let mut rest = in_turn(all?);
    let mut ways = Vec::new();
    for way in Way::ALL {
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
        assert!(Way::FileName.takes("</nudge-memory>\n\u{1b}[2J"));
        for text in ["a\0b", "a//b", "../b", "a /b", "a."] {
            assert!(!Way::FileName.takes(text), "{text:?}");
        }
        assert!(!Way::FileName.takes(&"x".repeat(300)) && Way::Output.takes("a\0b"));
    }
}
