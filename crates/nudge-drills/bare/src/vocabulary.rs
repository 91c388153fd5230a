//! Words with their frequencies: read from a file, or made up.

use std::path::Path;

use anyhow::Context;

use crate::random::Random;

/// How many words are made up, and how fast they get rarer. The values come from a count over the
/// sources and commits of a large project (44,000 words; the hundredth has a frequency of 1 in 500;
/// one in ten is seen three times in a million).
const MADE_UP: u64 = 44_000;
const STEEPNESS: f64 = 1.05;

/// Words in any order.
#[derive(Debug)]
pub struct Vocabulary {
    words: Vec<String>,
    /// The running total of the counts up to each word.
    sums: Vec<u64>,
}

impl Vocabulary {
    /// The words of a file of `word<TAB>count` lines, or made-up ones.
    pub fn new(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(file) = file else { return Ok(Self::made_up()) };
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let counted = text.lines().map(|line| {
            let (word, count) = line.split_once('\t').with_context(|| format!("no tab in {line:?}"))?;
            Ok((word.to_owned(), count.parse()?))
        });
        let vocabulary = Self::of(counted.collect::<anyhow::Result<Vec<_>>>()?);
        anyhow::ensure!(vocabulary.total() > 0, "{} has no words", file.display());
        Ok(vocabulary)
    }

    fn made_up() -> Self {
        let count = |rank: u64| (3e8 / (rank as f64 + 2.7).powf(STEEPNESS)) as u64 + 1;
        Self::of((0..MADE_UP).map(|rank| (word(rank), count(rank))).collect())
    }

    fn of(counted: Vec<(String, u64)>) -> Self {
        let mut sum = 0;
        let (words, sums) = counted
            .into_iter()
            .map(|(word, count)| {
                sum += count;
                (word, sum)
            })
            .unzip();
        Self { words, sums }
    }

    /// A random word; frequent words come more often.
    pub fn draw(&self, random: &mut Random) -> &str {
        let at = (random.next() >> 11) % self.total();
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }

    /// Words with a share of all text between two bounds.
    pub fn band(&self, from: f64, to: f64) -> Vec<&str> {
        let before = |at: usize| if at > 0 { self.sums[at - 1] } else { 0 };
        let share = |at: usize| (self.sums[at] - before(at)) as f64 / self.total() as f64;
        let is_in = |&at: &usize| (from..to).contains(&share(at)) && self.words[at].len() > 2;
        (0..self.words.len()).filter(is_in).map(|at| self.words[at].as_str()).collect()
    }

    fn total(&self) -> u64 {
        self.sums.last().copied().unwrap_or_default()
    }
}

/// A pronounceable word, a different one for each rank; none has an ending that a stemmer removes.
fn word(rank: u64) -> String {
    const HEADS: [&str; 16] =
        ["b", "br", "ch", "d", "f", "g", "gr", "h", "k", "m", "n", "p", "qu", "r", "t", "v"];
    const TAILS: [&str; 8] = ["ab", "ok", "un", "ip", "ath", "om", "uz", "arp"];
    let mut left = rank;
    let mut word = String::new();
    loop {
        word.push_str(HEADS[(left % 16) as usize]);
        word.push_str(TAILS[(left / 16 % 8) as usize]);
        left /= 128;
        if left == 0 {
            return word;
        }
        left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn made_up_words_are_many_and_of_all_bands() {
        let vocabulary = Vocabulary::made_up();
        let distinct: HashSet<&String> = vocabulary.words.iter().collect();
        assert_eq!(distinct.len() as u64, MADE_UP);
        for (from, to, least) in [(0.0, 3e-6, 1_000), (1e-5, 1e-4, 1_000), (5e-4, 1.0, 50)] {
            assert!(vocabulary.band(from, to).len() > least, "{from}..{to}");
        }
    }

    #[test]
    fn frequent_words_are_drawn_often() {
        let vocabulary = Vocabulary::of(vec![("rare".to_owned(), 1), ("often".to_owned(), 99)]);
        let mut random = Random::of(1);
        let rare = (0..10_000).filter(|_| vocabulary.draw(&mut random) == "rare").count();
        assert!((50..200).contains(&rare), "{rare}");
    }
}
