//! How eligible hints are ordered, and how that order is explained.

use std::cmp::Ordering;
use std::time::Duration;

use crate::entry::EntryId;
use crate::time::Timestamp;

mod open_file;
mod words;

pub use open_file::named_in;

/// The weight of each part of a score. They sum to 1, so a score is between 0 and 1.
const FRECENCY: f64 = 0.30;
const PRIORITY: f64 = 0.20;
const CONFIDENCE: f64 = 0.20;
const SPECIFICITY: f64 = 0.20;
const RECENCY: f64 = 0.10;

/// The values of a hint that states none: the middle of 1 to 10, and of 0 to 1.
const DEFAULT_PRIORITY: i64 = 5;
const DEFAULT_CONFIDENCE: f64 = 0.5;

/// The factor per failure. One failure may be bad luck; after four, little confidence is left.
const KEPT_PER_FAILURE: f64 = 0.75;

/// Failures alone never make a hint worthless: the cause may be what the command was run on.
const CONFIDENCE_FLOOR: f64 = 0.1;

/// Use and recency lose half their weight in a week.
const HALF_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Ten uses are worth 63 % of the most that uses can be worth.
const USES_SCALE: f64 = 10.0;

/// With this many stated conditions or more, a hint counts as fully specific.
const FULLY_SPECIFIC: f64 = 5.0;

/// The inputs of a score.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Facts {
    /// How often it was used.
    pub use_count: i64,
    /// When it was last used; `None` if never.
    pub last_used_at: Option<Timestamp>,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// 1 to 10; `None` if not stated.
    pub priority: Option<i64>,
    /// 0 to 1; `None` if not stated.
    pub confidence: Option<f64>,
    /// How often it failed since it was last set or last worked.
    pub failures: i64,
    /// The number of its stated conditions: `Conditions::count`.
    pub conditions: usize,
}

/// How good a hint is, 0 to 1, in full precision, for sorting.
#[derive(Copy, Clone, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// The score in full precision.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The score as shown, with two decimal places.
    pub fn rounded(self) -> f64 {
        (self.0 * 100.0).round() / 100.0
    }
}

/// Why a hint was returned, and how good it is. On the wire `match_explain`.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether all conditions are met.
    pub matched: bool,
    /// The score with two decimal places.
    pub score: f64,
    /// The conditions that were met, then its use, then what it states about itself.
    pub reasons: Vec<String>,
}

/// The inputs of the order among hints.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rank {
    /// How good it is.
    pub score: Score,
    /// Whether it names an open file.
    pub names_open_file: bool,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// Its identity.
    pub id: EntryId,
}

/// How good a hint is now.
pub fn score(facts: &Facts, now: Timestamp) -> Score {
    let priority = facts.priority.unwrap_or(DEFAULT_PRIORITY).clamp(0, 10) as f64 / 10.0;
    let confidence = confidence(facts.confidence, facts.failures);
    Score(
        FRECENCY * frecency(facts.use_count, facts.last_used_at, now)
            + PRIORITY * priority
            + CONFIDENCE * confidence
            + SPECIFICITY * specificity(facts.conditions)
            + RECENCY * recency(facts.updated_at, now),
    )
}

/// A hint's confidence after its failures: each takes a quarter, down to a floor. A hint with a
/// lower stated confidence keeps that.
pub fn confidence(stated: Option<f64>, failures: i64) -> f64 {
    let stated = stated.filter(|c| c.is_finite()).unwrap_or(DEFAULT_CONFIDENCE).clamp(0.0, 1.0);
    let left = stated * KEPT_PER_FAILURE.powi(failures.clamp(0, 100) as i32);
    left.max(stated.min(CONFIDENCE_FLOOR))
}

/// How often and how recently something was used: `(1 − e^(−uses/10)) × 0.5^(age/7 days)`.
pub fn frecency(use_count: i64, last_used_at: Option<Timestamp>, now: Timestamp) -> f64 {
    match last_used_at {
        Some(at) if use_count > 0 => (1.0 - (-(use_count as f64) / USES_SCALE).exp()) * fresh(at, now),
        _ => 0.0,
    }
}

/// How recently something was set: `0.5^(age/7 days)`.
pub fn recency(updated_at: Timestamp, now: Timestamp) -> f64 {
    fresh(updated_at, now)
}

/// How closely conditions describe a place: `min(n/5, 1)`.
pub fn specificity(conditions: usize) -> f64 {
    (conditions as f64 / FULLY_SPECIFIC).min(1.0)
}

/// Explains why an eligible hint is returned; `conditions` are the reasons of its conditions.
pub fn explain(facts: &Facts, conditions: Vec<String>, now: Timestamp) -> Explanation {
    let mut reasons = conditions;
    reasons.extend(words::reasons(facts, now));
    Explanation { matched: true, score: score(facts, now).rounded(), reasons }
}

/// The better hint first: higher score, then newer, then smaller id. Among hints with the same
/// rounded score, which no reader could distinguish, those that name an open file come first. A
/// total order.
pub fn compare(one: Rank, other: Rank) -> Ordering {
    let by_shown = other.score.rounded().total_cmp(&one.score.rounded());
    by_shown
        .then(other.names_open_file.cmp(&one.names_open_file))
        .then(other.score.0.total_cmp(&one.score.0))
        .then(other.updated_at.cmp(&one.updated_at))
        .then(one.id.cmp(&other.id))
}

fn fresh(since: Timestamp, now: Timestamp) -> f64 {
    0.5_f64.powf(now.since(since).as_secs_f64() / HALF_LIFE.as_secs_f64())
}

#[cfg(test)]
mod tests;
