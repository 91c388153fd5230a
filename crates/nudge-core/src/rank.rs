//! How eligible hints are ordered, and how that order is explained.

use std::cmp::Ordering;
use std::time::Duration;

use crate::entry::EntryId;
use crate::time::Timestamp;

mod open_file;
mod words;

pub use open_file::named_in;

/// How much each part of a score weighs. They sum to 1, so a score lies between 0 and 1.
const FRECENCY: f64 = 0.30;
const PRIORITY: f64 = 0.20;
const CONFIDENCE: f64 = 0.20;
const SPECIFICITY: f64 = 0.20;
const RECENCY: f64 = 0.10;

/// What a hint that says nothing about itself counts as: the middle of 1 to 10, and of 0 to 1.
const DEFAULT_PRIORITY: i64 = 5;
const DEFAULT_CONFIDENCE: f64 = 0.5;

/// A command that failed once may have met a bad day; after four times little is left of it.
const KEPT_PER_FAILURE: f64 = 0.75;

/// Failures alone never make a hint worthless: what failed may be what it was run on.
const CONFIDENCE_FLOOR: f64 = 0.1;

/// Use and news lose half their weight in a week.
const HALF_LIFE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Ten uses are worth 63 % of what any number of uses can be worth.
const USES_SCALE: f64 = 10.0;

/// From this many stated conditions on, a hint counts as fully specific.
const FULLY_SPECIFIC: f64 = 5.0;

/// What a score is made of.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Facts {
    /// How often it was used.
    pub use_count: i64,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// 1 to 10, if it was given.
    pub priority: Option<i64>,
    /// 0 to 1, if it was given.
    pub confidence: Option<f64>,
    /// How often it failed since it was last set or last worked.
    pub failures: i64,
    /// How much its conditions state: `Conditions::count`.
    pub conditions: usize,
}

/// How good a hint is, 0 to 1, in full precision: what sorting uses.
#[derive(Copy, Clone, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// The score in full.
    pub const fn value(self) -> f64 {
        self.0
    }

    /// The score as it is shown, with two places.
    pub fn rounded(self) -> f64 {
        (self.0 * 100.0).round() / 100.0
    }
}

/// Why a hint was returned, and how good it is. On the wire `match_explain`.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether all conditions hold.
    pub matched: bool,
    /// The score with two places.
    pub score: f64,
    /// The conditions that held, then what is known of its use, then what it says of itself.
    pub reasons: Vec<String>,
}

/// What decides the place of a hint among others.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rank {
    /// How good it is.
    pub score: Score,
    /// Whether it names a file that is open.
    pub names_open_file: bool,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// Its identity.
    pub id: EntryId,
}

/// How good a hint is at this moment.
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

/// What is left of a hint's confidence after its failures: each takes a quarter, down to a floor that one who
/// states less stays at.
pub fn confidence(stated: Option<f64>, failures: i64) -> f64 {
    let stated = stated.filter(|c| c.is_finite()).unwrap_or(DEFAULT_CONFIDENCE).clamp(0.0, 1.0);
    let left = stated * KEPT_PER_FAILURE.powi(failures.clamp(0, 100) as i32);
    left.max(stated.min(CONFIDENCE_FLOOR))
}

/// How often and how lately something was used: `(1 − e^(−uses/10)) × 0.5^(age/7 days)`.
pub fn frecency(use_count: i64, last_used_at: Option<Timestamp>, now: Timestamp) -> f64 {
    match last_used_at {
        Some(at) if use_count > 0 => (1.0 - (-(use_count as f64) / USES_SCALE).exp()) * fresh(at, now),
        _ => 0.0,
    }
}

/// How lately something was set: `0.5^(age/7 days)`.
pub fn recency(updated_at: Timestamp, now: Timestamp) -> f64 {
    fresh(updated_at, now)
}

/// How closely conditions describe a place: `min(n/5, 1)`.
pub fn specificity(conditions: usize) -> f64 {
    (conditions as f64 / FULLY_SPECIFIC).min(1.0)
}

/// Says why an eligible hint is returned; `conditions` are the reasons of its conditions.
pub fn explain(facts: &Facts, conditions: Vec<String>, now: Timestamp) -> Explanation {
    let mut reasons = conditions;
    reasons.extend(words::reasons(facts, now));
    Explanation { matched: true, score: score(facts, now).rounded(), reasons }
}

/// The better hint first: higher score, then newer, then smaller id. Among those that show the same score, which no
/// reader could tell apart, the ones that name an open file come first. A total order.
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
