//! How far a figure would move if other sessions of the same projects had been recorded.
//!
//! Bootstrap: sessions are drawn with replacement within each project, the figure is computed
//! again, and 95 of 100 such figures lie in the interval. Prompts of one session are not
//! independent, so whole sessions are drawn. The seed is fixed: a run prints what the last one did.

use std::collections::BTreeMap;
use std::fmt;

use super::score::{Share, Tally};

/// How often the sessions are drawn.
const DRAWS: usize = 2_000;

/// The share of the draws that lie below the interval, and the share above it.
const TAIL: f64 = 0.025;

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Figure {
    value: f64,
    low: f64,
    high: f64,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2}–{:.2})", self.value, self.low, self.high)
    }
}

/// A share over all projects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Overall {
    /// The mean of the projects, each with the same weight.
    pub(super) mean: Figure,
    /// All rows together.
    pub(super) pooled: Figure,
}

/// The overall share of the tallies of projects; `None` if nothing was counted.
pub(super) fn overall<'t>(tallies: impl Iterator<Item = &'t Tally>) -> Option<Overall> {
    let projects: Vec<Vec<Share>> = tallies.map(by_session).filter(|project| !project.is_empty()).collect();
    let whole: Vec<Share> = projects.iter().map(|sessions| sum(sessions)).collect();
    let (mean, pooled) = (mean(&whole)?, sum(&whole).value()?);
    let mut random = Random(SEED);
    let mut draws = (Vec::with_capacity(DRAWS), Vec::with_capacity(DRAWS));
    for _ in 0..DRAWS {
        let drawn: Vec<Share> = projects.iter().map(|sessions| draw(sessions, &mut random)).collect();
        draws.0.extend(self::mean(&drawn));
        draws.1.extend(sum(&drawn).value());
    }
    Some(Overall { mean: figure(mean, draws.0), pooled: figure(pooled, draws.1) })
}

fn by_session(tally: &Tally) -> Vec<Share> {
    let mut sessions: BTreeMap<&str, Share> = BTreeMap::new();
    for (session, is_hit) in tally.rows() {
        let share = sessions.entry(session).or_default();
        share.hit += u64::from(is_hit);
        share.of += 1;
    }
    sessions.into_values().collect()
}

fn sum(shares: &[Share]) -> Share {
    let add = |sum: Share, one: &Share| Share { hit: sum.hit + one.hit, of: sum.of + one.of };
    shares.iter().fold(Share::default(), add)
}

fn mean(projects: &[Share]) -> Option<f64> {
    let values: Vec<f64> = projects.iter().filter_map(|share| share.value()).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

fn draw(sessions: &[Share], random: &mut Random) -> Share {
    let drawn: Vec<Share> = sessions.iter().map(|_| sessions[random.below(sessions.len())]).collect();
    sum(&drawn)
}

fn figure(value: f64, mut draws: Vec<f64>) -> Figure {
    draws.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * draws.len() as f64) as usize;
        draws.get(place.min(draws.len().saturating_sub(1))).copied().unwrap_or(value)
    };
    Figure { value, low: at(TAIL), high: at(1.0 - TAIL) }
}

/// SplitMix64, which is enough to draw sessions.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(SEED);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sessions with one row each.
    fn tally(hits: u64, of: u64) -> Tally {
        Tally::of_sessions((0..of).map(|number| (number.to_string(), number < hits)))
    }

    #[test]
    fn a_small_project_counts_as_much_as_a_large_one_in_the_mean() {
        let projects = [tally(1, 2), tally(0, 98), tally(0, 0)];
        let found = overall(projects.iter()).expect("something was counted");
        assert_eq!((found.mean.value, found.pooled.value), (0.25, 0.01));
        assert!(overall([tally(0, 0)].iter()).is_none());
    }

    #[test]
    fn more_sessions_make_the_interval_narrower() {
        let width = |of: u64| {
            let Figure { value, low, high } = overall([tally(of / 2, of)].iter()).expect("counted").pooled;
            assert!(low <= value && value <= high);
            high - low
        };
        let (few, many) = (width(10), width(1_000));
        // Of a binomial share: 2 × 1.96 × √(0.25 / n).
        assert!((few - 0.62).abs() < 0.1 && (many - 0.062).abs() < 0.01, "{few} {many}");
    }

    #[test]
    fn rows_of_one_session_are_drawn_together() {
        let one = Tally::of_sessions((0..100).map(|number| ("one".to_owned(), number < 50)));
        let found = overall([one].iter()).expect("counted").pooled;
        assert_eq!((found.low, found.high), (0.5, 0.5));
    }
}
