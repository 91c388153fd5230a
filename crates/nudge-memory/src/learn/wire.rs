//! What the report is asked with and what it says.

use nudge_core::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tally::HalfLife;
use crate::recall::ProjectParam;

/// From how many times on something repeats.
const THRESHOLD: i64 = 3;

/// How many of each are given unless asked otherwise, and at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// No half-life is longer: a hundred years.
const LONGEST_HOURS: f64 = 876_000.0;

/// How many of the newest failed commands, and of the newest prompts, are looked at. One in ten commands fails, so that
/// this is all of a store with a million observations.
const NEWEST: u32 = 100_000;

/// Where to look, and what counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnParams {
    /// A project's name. Without it the current project; null for all.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// What happened at least so often: 3 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub threshold: Option<i64>,
    /// After so many hours an occurrence counts half: 168 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub half_life_hours: Option<f64>,
    /// At most so many of each: 1 to 100, 20 unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
}

/// What was asked for, checked.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct Wish {
    pub(crate) threshold: u64,
    pub(crate) half_life: HalfLife,
    pub(crate) limit: usize,
    /// How far back it looks, in rows.
    pub(crate) newest: u32,
}

impl LearnParams {
    pub(crate) fn checked(&self) -> Result<Wish, Fault> {
        let threshold = self.threshold.unwrap_or(THRESHOLD);
        if threshold < 1 {
            return Err(Fault::invalid("threshold", "threshold must be 1 or more").with("field", "threshold"));
        }
        let hours = self.half_life_hours.unwrap_or(HalfLife::DEFAULT.hours);
        // Also what is no number.
        if !(hours > 0.0 && hours <= LONGEST_HOURS) {
            let why = format!("half_life_hours must be more than 0 and at most {LONGEST_HOURS}");
            return Err(Fault::invalid("half_life_hours", why).with("field", "half_life_hours"));
        }
        let limit = self.limit.unwrap_or(LIMIT).clamp(1, MOST);
        Ok(Wish {
            threshold: threshold.unsigned_abs(),
            half_life: HalfLife { hours },
            limit: usize::try_from(limit).unwrap_or(1),
            newest: NEWEST,
        })
    }
}

/// What repeats, hottest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnAnswer {
    /// The project that was looked at; null for all.
    pub project: Option<String>,
    /// From how many times on something is told.
    pub threshold: u64,
    /// After how many hours an occurrence counts half.
    pub half_life_hours: f64,
    /// Commands that failed.
    pub failed_commands: Vec<Repeat>,
    /// Errors that failed commands printed.
    pub error_signatures: Vec<Repeat>,
    /// What the person asked for.
    pub intents: Vec<Repeat>,
    /// Files that are usually changed in the same session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_together: Vec<Together>,
    /// What repeats too, and had no room.
    pub left_out: LeftOut,
    /// What was counted.
    pub looked_at: LookedAt,
}

impl LearnAnswer {
    /// The answer where nothing was ever kept.
    pub(crate) fn nothing(wish: &Wish) -> Self {
        Self { threshold: wish.threshold, half_life_hours: wish.half_life.hours, ..Self::default() }
    }
}

/// Something that repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeat {
    /// What all of them have in common: paths, numbers, hashes and quoted texts folded; of intents the words that count.
    pub pattern: String,
    /// The newest one as it was.
    pub newest: String,
    /// The newest one, for get_observations.
    pub id: i64,
    /// The session of the newest one.
    pub session_id: String,
    /// How often.
    pub count: u64,
    /// In how many sessions.
    pub sessions: u64,
    /// When first, in Unix seconds.
    pub first_seen: i64,
    /// When last, in Unix seconds.
    pub last_seen: i64,
    /// How much of it is recent: each occurrence counts 1, and half of that after each half-life.
    pub heat: f64,
    /// In which projects, where all were looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// The exit status of the newest one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i32")]
    pub exit: Option<i32>,
    /// The command that an error came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The newest run of the same command that ended with exit 0 after it last failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ran")]
    pub ran_later: Option<Ran>,
    /// What of the same program next ended with exit 0 in a session where it had failed. A report, not advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ran")]
    pub worked_after: Option<Ran>,
    /// Of a command or an error: what followed it and passed, and how often that was seen. A report, not advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub followed: Option<String>,
}

/// Two files that are usually changed in the same session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// The two files.
    pub files: Vec<String>,
    /// In how many sessions both were changed.
    pub sessions: u64,
    /// In how many either was.
    pub of: u64,
    /// When last, in Unix seconds.
    pub last_seen: i64,
}

/// A command that ended with exit 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// The command as it was.
    pub command: String,
    /// When, in Unix seconds.
    pub timestamp: i64,
    /// Its session.
    pub session_id: String,
}

/// How much repeats that is not told.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Commands.
    pub failed_commands: usize,
    /// Errors.
    pub error_signatures: usize,
    /// Intents.
    pub intents: usize,
}

/// How much was counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LookedAt {
    /// Failed commands.
    pub failed_commands: u64,
    /// Prompts of the person.
    pub prompts: u64,
    /// What older things were not looked at, where there are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub only: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let wish = |threshold, half_life_hours, limit| {
            LearnParams { threshold, half_life_hours, limit, ..LearnParams::default() }.checked()
        };
        assert_eq!(
            wish(None, None, None),
            Ok(Wish { threshold: 3, half_life: HalfLife::DEFAULT, limit: 20, newest: NEWEST })
        );
        assert_eq!(wish(None, None, Some(1_000)).map(|wish| wish.limit), Ok(100));
        for (threshold, hours) in
            [(Some(0), None), (None, Some(0.0)), (None, Some(f64::NAN)), (None, Some(1e9))]
        {
            assert!(wish(threshold, hours, None).is_err(), "{threshold:?} {hours:?}");
        }
    }
}
