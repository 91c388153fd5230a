//! The report's parameters and answer.

use nudge_core::Fault;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tally::HalfLife;
use crate::recall::ProjectParam;

/// How often something must happen to count as repeated.
const DEFAULT_THRESHOLD: i64 = 3;

/// How many of each are returned by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

/// The longest half-life: a hundred years.
const MAX_HALF_LIFE_HOURS: f64 = 876_000.0;

/// How many of the newest failed commands, and of the newest prompts, are read. One command in ten
/// fails, so this covers a store with a million observations.
const MAX_READ: u32 = 100_000;

/// Parameters of `learn`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LearnParams {
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Minimum number of occurrences. Default: 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub threshold: Option<i64>,
    /// Hours after which an occurrence counts half. Default: 168.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "f64")]
    pub half_life_hours: Option<f64>,
    /// Maximum rows per list, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Only failed commands and errors: no requests and no files. This is faster.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(extend("x-listed" = false))]
    pub failures_only: bool,
}

/// The checked parameters.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) struct LearnOptions {
    pub(crate) threshold: u64,
    pub(crate) half_life: HalfLife,
    pub(crate) limit: usize,
    /// How many of the newest rows are read.
    pub(crate) newest: u32,
    pub(crate) failures_only: bool,
}

impl LearnParams {
    pub(crate) fn checked(&self) -> Result<LearnOptions, Fault> {
        let threshold = self.threshold.unwrap_or(DEFAULT_THRESHOLD);
        if threshold < 1 {
            return Err(Fault::invalid("threshold", "threshold must be 1 or more").with("field", "threshold"));
        }
        let hours = self.half_life_hours.unwrap_or(HalfLife::DEFAULT.hours);
        // Also rejects NaN.
        if !(hours > 0.0 && hours <= MAX_HALF_LIFE_HOURS) {
            let why = format!("half_life_hours must be more than 0 and at most {MAX_HALF_LIFE_HOURS}");
            return Err(Fault::invalid("half_life_hours", why).with("field", "half_life_hours"));
        }
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        Ok(LearnOptions {
            threshold: threshold.unsigned_abs(),
            half_life: HalfLife { hours },
            limit: usize::try_from(limit).unwrap_or(1),
            newest: MAX_READ,
            failures_only: self.failures_only,
        })
    }
}

/// Answer of `learn`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LearnAnswer {
    /// The project; null for all projects.
    pub project: Option<String>,
    /// Minimum number of occurrences.
    pub threshold: u64,
    /// Hours after which an occurrence counts half.
    pub half_life_hours: f64,
    /// Commands that failed repeatedly.
    pub failed_commands: Vec<Repeat>,
    /// Errors that failed commands printed.
    pub error_signatures: Vec<Repeat>,
    /// Requests that the user made repeatedly.
    pub intents: Vec<Repeat>,
    /// Pairs of files that usually change in the same session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_together: Vec<Together>,
    /// Rows left out because of the limit.
    pub left_out: LeftOut,
    /// How much was examined.
    pub looked_at: LookedAt,
}

impl LearnAnswer {
    /// The answer for an empty store.
    pub(crate) fn nothing(options: &LearnOptions) -> Self {
        Self { threshold: options.threshold, half_life_hours: options.half_life.hours, ..Self::default() }
    }
}

/// Something that repeats.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeat {
    /// The common pattern: paths, numbers, hashes and quoted texts are replaced by placeholders;
    /// for requests, the key words.
    pub pattern: String,
    /// The newest occurrence.
    pub newest: String,
    /// Id of the newest occurrence, for get_observations.
    pub id: i64,
    /// Session of the newest occurrence.
    pub session_id: String,
    /// Number of occurrences.
    pub count: u64,
    /// Number of sessions.
    pub sessions: u64,
    /// First occurrence, in Unix seconds.
    pub first_seen: i64,
    /// Last occurrence, in Unix seconds.
    pub last_seen: i64,
    /// How recent and frequent it is: each occurrence counts 1, and half of that after each
    /// half-life.
    pub heat: f64,
    /// Projects it occurred in, if all projects were examined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<String>,
    /// Exit status of the newest occurrence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i32")]
    pub exit: Option<i32>,
    /// The command that printed the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub command: Option<String>,
    /// The newest successful run of the same command after its last failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ran")]
    pub ran_later: Option<Ran>,
    /// The next command of the same program that succeeded in a session where this one had failed.
    /// A report, not advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Ran")]
    pub worked_after: Option<Ran>,
    /// For a command or an error: what ran or changed next and passed, and how often. A report, not
    /// advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub followed: Option<String>,
}

/// Two files that usually change in the same session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Together {
    /// The two files.
    pub files: Vec<String>,
    /// Number of sessions that changed both.
    pub sessions: u64,
    /// Number of sessions that changed either.
    pub of: u64,
    /// Last time both changed, in Unix seconds.
    pub last_seen: i64,
}

/// A command that succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ran {
    /// The command.
    pub command: String,
    /// Time of the run, in Unix seconds.
    pub timestamp: i64,
    /// Session id.
    pub session_id: String,
}

/// Rows left out because of the limit.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Number of failed commands left out.
    pub failed_commands: usize,
    /// Number of errors left out.
    pub error_signatures: usize,
    /// Number of requests left out.
    pub intents: usize,
}

/// How much was examined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LookedAt {
    /// Number of failed commands examined.
    pub failed_commands: u64,
    /// Number of the user's prompts examined.
    pub prompts: u64,
    /// Which older entries were not examined, if there are too many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub only: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused() {
        let options = |threshold, half_life_hours, limit| {
            LearnParams { threshold, half_life_hours, limit, ..LearnParams::default() }.checked()
        };
        assert_eq!(
            options(None, None, None),
            Ok(LearnOptions {
                threshold: 3,
                half_life: HalfLife::DEFAULT,
                limit: 20,
                newest: MAX_READ,
                failures_only: false
            })
        );
        assert_eq!(options(None, None, Some(1_000)).map(|options| options.limit), Ok(100));
        for (threshold, hours) in
            [(Some(0), None), (None, Some(0.0)), (None, Some(f64::NAN)), (None, Some(1e9))]
        {
            assert!(options(threshold, hours, None).is_err(), "{threshold:?} {hours:?}");
        }
    }
}
