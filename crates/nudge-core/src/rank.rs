//! How eligible hints are ordered, and how that order is explained.

use std::cmp::Ordering;
use std::time::Duration;

use crate::entry::EntryId;
use crate::time::Timestamp;

/// The weight of each part of a score. They sum to 1, so a score is between 0 and 1.
const FRECENCY_WEIGHT: f64 = 0.30;

const PRIORITY_WEIGHT: f64 = 0.20;

const CONFIDENCE_WEIGHT: f64 = 0.20;

const SPECIFICITY_WEIGHT: f64 = 0.20;

const RECENCY_WEIGHT: f64 = 0.10;

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
        FRECENCY_WEIGHT * frecency(facts.use_count, facts.last_used_at, now)
            + PRIORITY_WEIGHT * priority
            + CONFIDENCE_WEIGHT * confidence
            + SPECIFICITY_WEIGHT * specificity(facts.conditions)
            + RECENCY_WEIGHT * recency(facts.updated_at, now),
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
    reasons.extend(judge_facts(facts, now));
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

// Whether a hint is about an open file.

/// The most open files that are checked: an editor's tabs, not a tree.
const MAX_FILES: usize = 100;

/// The base name of the first open file that a text names, by its path or its base name, as a whole
/// word.
pub fn named_in<'f>(files: &'f [String], texts: &[&str]) -> Option<&'f str> {
    let open = files.iter().take(MAX_FILES).filter_map(|file| base_name(file));
    open.into_iter().find(|name| texts.iter().any(|text| names(text, name)))
}

/// Any mention of the path ends in the base name, so searching for that is enough.
fn base_name(file: &str) -> Option<&str> {
    let name = file.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?.trim();
    (name.chars().count() > 1 && name != "..").then_some(name)
}

fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + name.len()..].chars();
        let ends = match after.next() {
            Some('.') => !after.next().is_some_and(is_of_name),
            next => !next.is_some_and(is_of_name),
        };
        ends && !before.is_some_and(|before| is_of_name(before) || before == '.')
    })
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '-'
}

// The wording of an explanation.

const MINUTE: u64 = 60;

const HOUR: u64 = 60 * MINUTE;

const DAY: u64 = 24 * HOUR;

/// A hint's own priority and confidence are mentioned from these values on.
const HIGH_PRIORITY: i64 = 8;

const HIGH_CONFIDENCE: f64 = 0.8;

fn judge_facts(facts: &Facts, now: Timestamp) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Some(at) = facts.last_used_at {
        reasons.push(used(now.since(at).as_secs()));
    }
    match facts.use_count {
        ..=0 => {}
        1 => reasons.push("used 1 time".to_owned()),
        many => reasons.push(format!("used {many} times")),
    }
    match facts.failures {
        ..=0 => {}
        1 => reasons.push("failed 1 time since".to_owned()),
        many => reasons.push(format!("failed {many} times since")),
    }
    if let Some(priority) = facts.priority.filter(|priority| *priority >= HIGH_PRIORITY) {
        reasons.push(format!("high priority ({priority}/10)"));
    }
    if let Some(confidence) =
        facts.confidence.filter(|_| facts.failures <= 0).filter(|stated| *stated >= HIGH_CONFIDENCE)
    {
        reasons.push(format!("high confidence ({confidence})"));
    }
    reasons
}

fn used(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / MINUTE, seconds / HOUR, seconds / DAY);
    match (days, hours, minutes) {
        (0, 0, 0..=5) => format!("recently used ({minutes}m ago)"),
        (0, 0, _) => format!("used {minutes} minutes ago"),
        (0, 1, _) => "used 1 hour ago".to_owned(),
        (0, _, _) => format!("used {hours} hours ago"),
        (1, _, _) => "used yesterday".to_owned(),
        _ => format!("used {days} days ago"),
    }
}

#[cfg(test)]
mod tests;
