//! Grammatical evidence for and against a standing instruction.
//!
//! The table itself is `signs.txt`, which explains its own format. It is read once.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Kind;
use super::pattern::{Classes, Pattern};
use super::words::{Place, Word};

/// One sign.
#[derive(Clone, Debug)]
pub(super) struct Sign {
    /// What it adds to the score of a sentence.
    pub weight: i32,
    /// The kind of instruction it indicates, if any.
    pub kind: Option<Kind>,
    /// Whether it is a word of permanence.
    pub permanent: bool,
    /// Where it counts.
    pub reach: Reach,
}

/// Where a sign counts.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In its sentence.
    Sentence,
    /// In its sentence, but only if the same clause has a sign that carries an instruction.
    Clause,
    /// In its sentence, unless that has a word of permanence.
    Fleeting,
    /// In its sentence and the sentences next to it: "how often do I have to say this".
    Beside,
}

/// The signs, and where to look for each.
struct Table {
    signs: Vec<Sign>,
    patterns: Vec<(usize, Pattern)>,
    by_first: HashMap<&'static str, Vec<usize>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("signs.txt")));

/// The signs in a sentence, each with a bit set of the clauses it is in.
pub(super) fn found(words: &[Word<'_>]) -> Vec<(&'static Sign, u64)> {
    let mut clauses = vec![0; TABLE.signs.len()];
    let mut clause = 1_u64;
    for (at, word) in words.iter().enumerate() {
        if at > 0 && word.place == Place::Clause {
            clause = clause.checked_mul(2).unwrap_or(clause);
        }
        for &index in TABLE.by_first.get(word.text.as_ref()).into_iter().flatten() {
            let (sign, pattern) = &TABLE.patterns[index];
            if clauses[*sign] & clause == 0 && pattern.matches(words, at) {
                clauses[*sign] |= clause;
            }
        }
    }
    TABLE.signs.iter().zip(clauses).filter(|(_, clauses)| *clauses != 0).collect()
}

impl Table {
    fn read(written: &'static str) -> Self {
        let mut table = Self { signs: Vec::new(), patterns: Vec::new(), by_first: HashMap::new() };
        let mut classes = Classes::new();
        for line in written.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, words)) = line.strip_prefix('<').and_then(|line| line.split_once("> = ")) {
                classes.entry(name).or_default().extend(words.split(' '));
            } else if let Some((_, rest)) = line.strip_prefix('[').and_then(|line| line.split_once("] ")) {
                table.signs.push(Sign::read(rest));
            } else {
                let patterns = line.split(',').map(str::trim).filter(|pattern| !pattern.is_empty());
                patterns.for_each(|pattern| table.add(Pattern::read(pattern, &classes)));
            }
        }
        table
    }

    /// Adds a pattern to the newest sign.
    fn add(&mut self, pattern: Pattern) {
        for first in pattern.first() {
            self.by_first.entry(first).or_default().push(self.patterns.len());
        }
        self.patterns.push((self.signs.len().saturating_sub(1), pattern));
    }
}

impl Sign {
    fn read(written: &str) -> Self {
        let has = |word: &str| written.split(' ').any(|written| written == word);
        let kinds = [("rule", Kind::Rule), ("fact", Kind::Fact), ("preference", Kind::Preference)];
        let reaches = [("clause", Reach::Clause), ("fleeting", Reach::Fleeting), ("beside", Reach::Beside)];
        Self {
            weight: written.split(' ').next().and_then(|weight| weight.parse().ok()).unwrap_or(0),
            kind: kinds.into_iter().find(|(word, _)| has(word)).map(|(_, kind)| kind),
            permanent: has("permanent"),
            reach: reaches
                .into_iter()
                .find(|(word, _)| has(word))
                .map_or(Reach::Sentence, |(_, reach)| reach),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_read() {
        let written = include_str!("signs.txt");
        assert_eq!(TABLE.signs.len(), written.lines().filter(|line| line.starts_with('[')).count());
        assert!(TABLE.signs.iter().all(|sign| sign.weight != 0), "a sign without a weight");
        let unread: Vec<_> = TABLE.patterns.iter().filter(|(_, pattern)| !pattern.is_valid()).collect();
        assert!(unread.is_empty(), "{unread:?}");
    }
}
