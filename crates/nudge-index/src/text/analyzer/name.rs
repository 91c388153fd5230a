//! One name (`getUserName`, `OPS-1234`, `don't`) and its parts.

use super::word::{Letter, MAX_WORD_CHARS, Sign, push_lower};

/// A piece that changes between letters and digits more often than this is a hash and is not split.
const CHANGES_OF_A_HASH: usize = 3;

/// A name while it is being read.
#[derive(Default)]
pub(crate) struct Name {
    letters: Vec<(char, Letter)>,
    lower: String,
    before: Option<Sign>,
    after: Option<Sign>,
}

/// A part of a name: characters `start..end`.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Part {
    start: usize,
    end: usize,
}

impl Name {
    pub(crate) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    pub(crate) fn push(&mut self, c: char, kind: Letter) {
        self.letters.push((c, kind));
    }

    pub(crate) fn join(&mut self, c: char) {
        self.letters.push((c, Letter::Joiner));
    }

    /// Sets the sign before the letters to come.
    pub(crate) fn begin_with(&mut self, sign: Sign) {
        self.before = Some(sign);
    }

    /// Sets the sign after the letters so far.
    pub(crate) fn end_with(&mut self, sign: Sign) {
        self.after = Some(sign);
    }

    /// The sign before the first part, and the one after the last.
    pub(crate) fn signs(&self) -> [Option<Sign>; 2] {
        [self.before, self.after]
    }

    pub(crate) fn clear(&mut self) {
        self.letters.clear();
        (self.before, self.after) = (None, None);
    }

    /// Splits the name into its parts.
    pub(crate) fn split(&mut self, parts: &mut Vec<Part>) {
        parts.clear();
        self.drop_clitic();
        let mut start = 0;
        for end in 0..=self.letters.len() {
            if end == self.letters.len() || self.letters[end].1 == Letter::Joiner {
                self.split_piece(start, end, parts);
                start = end + 1;
            }
        }
    }

    /// The text of a part, in lower case and cut to the longest word.
    pub(crate) fn text(&mut self, part: Part) -> &str {
        self.lower.clear();
        let end = part.end.min(part.start + MAX_WORD_CHARS);
        for &(c, _) in &self.letters[part.start..end] {
            push_lower(c, &mut self.lower);
        }
        &self.lower
    }

    /// Pushes the whole name without its joiners, in lower case and cut to the longest word.
    pub(crate) fn push_whole(&self, into: &mut String) {
        let spoken = self.letters.iter().filter(|(_, kind)| *kind != Letter::Joiner);
        for &(c, _) in spoken.take(MAX_WORD_CHARS) {
            push_lower(c, into);
        }
    }

    /// `user's`, `don't`: the part after the apostrophe says nothing about the topic.
    fn drop_clitic(&mut self) {
        let tail = self.letters.iter().rev().take(3).position(|(c, _)| matches!(c, '\'' | '\u{2019}'));
        if let Some(after) = tail {
            self.letters.truncate(self.letters.len() - after - 1);
        }
    }

    fn split_piece(&self, start: usize, end: usize, parts: &mut Vec<Part>) {
        if start == end {
            return;
        }
        if self.is_hash(start, end) {
            parts.push(Part { start, end });
            return;
        }
        let mut from = start;
        for at in start + 1..end {
            if self.begins_part(at, end) {
                parts.push(Part { start: from, end: at });
                from = at;
            }
        }
        parts.push(Part { start: from, end });
    }

    fn is_hash(&self, start: usize, end: usize) -> bool {
        let changes = self.letters[start..end]
            .windows(2)
            .filter(|pair| (pair[0].1 == Letter::Digit) != (pair[1].1 == Letter::Digit))
            .count();
        changes > CHANGES_OF_A_HASH
    }

    fn begins_part(&self, at: usize, end: usize) -> bool {
        let next_is_lower = at + 1 < end && self.letters[at + 1].1 == Letter::Lower;
        match (self.letters[at - 1].1, self.letters[at].1) {
            (Letter::Lower, Letter::Upper) => true,
            (Letter::Upper, Letter::Upper) => next_is_lower,
            (Letter::Digit, now) => now != Letter::Digit,
            (_, Letter::Digit) => true,
            _ => false,
        }
    }
}

/// English stems. With a memory, the latest ones are cached: texts repeat their words, queries do
/// not.
#[derive(Clone)]
pub(crate) struct Stems {
    stemmer: frostem::Stemmer,
    /// Words and their stems; empty without a memory.
    cache: Vec<(String, String)>,
    last: String,
}

/// The size of the cache in words: a few hundred kilobytes, and nine in ten words of ordinary text.
const MAX_CACHED: usize = 4096;

impl Default for Stems {
    fn default() -> Self {
        let stemmer = frostem::Stemmer::new(frostem::Algorithm::English);
        Self { stemmer, cache: Vec::new(), last: String::new() }
    }
}

impl Stems {
    /// For many texts.
    pub(crate) fn with_memory() -> Self {
        Self { cache: vec![Default::default(); MAX_CACHED], ..Self::default() }
    }

    /// The stem of `word`, if it is an English word and differs from its stem.
    pub(crate) fn of(&mut self, word: &str) -> Option<&str> {
        if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        let stem = if self.cache.is_empty() {
            self.last = stem(&self.stemmer, word);
            &self.last
        } else {
            let slot = &mut self.cache[slot(word)];
            if slot.0 != word {
                slot.0.clear();
                slot.0.push_str(word);
                slot.1 = stem(&self.stemmer, word);
            }
            &slot.1
        };
        (stem != word && !stem.is_empty()).then_some(stem.as_str())
    }
}

/// The stem of `word`. English writes `panic` with a `k` before an ending (`panicked`): a stem in
/// `ick` of a longer word loses the `k`.
fn stem(stemmer: &frostem::Stemmer, word: &str) -> String {
    let mut stem = stemmer.stem(word).into_owned();
    let is_long =
        stem.strip_suffix("ick").is_some_and(|before| before.contains(['a', 'e', 'i', 'o', 'u', 'y']));
    if is_long {
        stem.pop();
    }
    stem
}

fn slot(word: &str) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash >> 32) as usize % MAX_CACHED
}
