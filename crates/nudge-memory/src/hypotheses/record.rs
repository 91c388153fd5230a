//! The record of a hypothesis, as it is stored and shown.

use nudge_core::Timestamp;
use nudge_core::hypothesis::{Confidence, Domain, RootCause, Status, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::Word;

/// How long each part may be, in characters.
pub(super) const PART_MOST: usize = 1_000;
pub(super) const RESULT_MOST: usize = 2_000;

/// What stands where a stored record has nothing.
pub(super) fn unknown() -> String {
    "Unknown".to_owned()
}

/// A hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapRecord {
    /// `ghap_YYYYMMDD_HHMMSS_<6 hex>`.
    pub id: String,
    /// The session that works on it, or did.
    pub session_id: String,
    /// When it was made.
    #[serde(default = "unknown")]
    pub created_at: String,
    /// What sort of work it belongs to.
    pub domain: Word<Domain>,
    /// How it is gone about.
    pub strategy: Word<Strategy>,
    /// What is to be reached.
    #[serde(default = "unknown")]
    pub goal: String,
    /// What is believed.
    #[serde(default = "unknown")]
    pub hypothesis: String,
    /// What is done about it.
    #[serde(default = "unknown")]
    pub action: String,
    /// What should then be seen.
    #[serde(default = "unknown")]
    pub prediction: String,
    /// Earlier iterations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Iteration>,
    /// How many iterations there were, this one counted.
    #[serde(default = "one")]
    pub iteration_count: u32,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<GhapOutcome>,
    /// What was not expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<String>,
    /// Why it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<GhapRootCause>,
    /// What was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<GhapLesson>,
    /// How much the outcome can be relied on: gold, silver, bronze, abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<String>,
    /// Notes on the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A run that spoke against it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<Contradiction>,
}

const fn one() -> u32 {
    1
}

/// What was believed before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// When it was given up.
    pub timestamp: String,
    /// What was believed.
    pub hypothesis: String,
    /// What was done about it.
    pub action: String,
    /// What should have been seen.
    pub prediction: String,
}

/// How a hypothesis ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapOutcome {
    /// confirmed, falsified or abandoned.
    pub status: Word<Status>,
    /// What was seen.
    pub result: String,
    /// When.
    pub captured_at: String,
    /// Whether a run decided it.
    #[serde(default)]
    pub auto_captured: bool,
    /// The observation of that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
}

/// Why a hypothesis was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GhapRootCause {
    /// The kind of cause.
    #[schemars(description = "")]
    pub category: Word<RootCause>,
    /// What it was.
    pub description: String,
}

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GhapLesson {
    /// What worked.
    pub what_worked: String,
    /// What to take from it.
    #[schemars(description = "")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takeaway: Option<String>,
}

/// A run that spoke against a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// The observation of the run.
    pub run: i64,
    /// What it said.
    pub result: String,
    /// When.
    pub at: String,
}

impl GhapRecord {
    /// How far it has come.
    pub(crate) fn status(&self) -> Status {
        self.outcome.as_ref().map_or(Status::Active, |outcome| outcome.status.0)
    }

    /// Since when it is believed as it is now.
    pub(crate) fn since(&self) -> Timestamp {
        let changed = self.history.last().map_or(&self.created_at, |last| &last.timestamp);
        Timestamp::parse(changed).unwrap_or(Timestamp::from_millis(0))
    }

    /// Resolves it, and says how much that can be relied on.
    pub(super) fn end(
        &mut self,
        status: Status,
        result: String,
        run: Option<i64>,
        now: Timestamp,
    ) -> Confidence {
        let tier = match (status, run) {
            (Status::Abandoned, _) => Confidence::Abandoned,
            (_, Some(_)) => Confidence::Gold,
            (_, None) if is_vague(&self.hypothesis) => Confidence::Bronze,
            (_, None) => Confidence::Silver,
        };
        self.outcome = Some(GhapOutcome {
            status: Word(status),
            result,
            captured_at: now.to_string(),
            auto_captured: run.is_some(),
            run,
        });
        self.confidence_tier = Some(tier.name().to_owned());
        tier
    }

    /// How much the outcome can be relied on.
    pub(super) fn confidence(&self) -> Confidence {
        self.confidence_tier.as_deref().and_then(Confidence::from_name).unwrap_or(Confidence::Silver)
    }

    /// All that it says, for a search: the side that is called full.
    pub(super) fn body(&self) -> String {
        super::axes::Axis::Full.text(self).unwrap_or_default()
    }
}

/// Words of a hypothesis that says nothing that could turn out wrong.
const VAGUE: [&str; 6] = ["something", "somewhere", "somehow", "not sure", "no idea", "might be anything"];

/// A hypothesis shorter than this names no cause, in words.
const LEAST_WORDS: usize = 4;

fn is_vague(hypothesis: &str) -> bool {
    let said = hypothesis.to_lowercase();
    said.split_whitespace().count() < LEAST_WORDS || VAGUE.iter().any(|word| said.contains(word))
}
