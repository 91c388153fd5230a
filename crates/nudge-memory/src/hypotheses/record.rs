//! The record of a hypothesis, as it is stored and shown, and the four texts that it is searched
//! by.

use nudge_core::named_enum;
use std::borrow::Cow;

use nudge_core::Timestamp;
use nudge_core::hypothesis::{Confidence, Domain, RootCause, Status, Strategy};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest each part may be, in characters.
pub(super) const MAX_PART_CHARS: usize = 1_000;

pub(super) const MAX_RESULT_CHARS: usize = 2_000;

/// The placeholder for a field that a stored record lacks.
pub(super) fn unknown() -> String {
    "Unknown".to_owned()
}

/// A hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapRecord {
    /// Id: `ghap_YYYYMMDD_HHMMSS_<6 hex>`.
    pub id: String,
    /// The session that owns it.
    pub session_id: String,
    /// Time it was created.
    #[serde(default = "unknown")]
    pub created_at: String,
    /// Kind of work.
    pub domain: Word<Domain>,
    /// How the work is approached.
    pub strategy: Word<Strategy>,
    /// What the session wants to achieve.
    #[serde(default = "unknown")]
    pub goal: String,
    /// What the session believes.
    #[serde(default = "unknown")]
    pub hypothesis: String,
    /// What the session does to test it.
    #[serde(default = "unknown")]
    pub action: String,
    /// What the session expects to see.
    #[serde(default = "unknown")]
    pub prediction: String,
    /// Earlier iterations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Iteration>,
    /// Number of iterations, including this one.
    #[serde(default = "one")]
    pub iteration_count: u32,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<GhapOutcome>,
    /// What was unexpected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surprise: Option<String>,
    /// Why it was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<GhapRootCause>,
    /// What was learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<GhapLesson>,
    /// How reliable the outcome is: gold, silver, bronze or abandoned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence_tier: Option<String>,
    /// Notes made while testing it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// A run that contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradicted: Option<Contradiction>,
}

const fn one() -> u32 {
    1
}

/// An earlier iteration of a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Iteration {
    /// Time it was replaced.
    pub timestamp: String,
    /// What the session believed.
    pub hypothesis: String,
    /// What the session did to test it.
    pub action: String,
    /// What the session expected to see.
    pub prediction: String,
}

/// How a hypothesis ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GhapOutcome {
    /// confirmed, falsified or abandoned.
    pub status: Word<Status>,
    /// What was observed.
    pub result: String,
    /// Time of the outcome.
    pub captured_at: String,
    /// True if a run of the named command decided it.
    #[serde(default)]
    pub auto_captured: bool,
    /// Observation id of that run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
}

/// Why a hypothesis was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GhapRootCause {
    /// Kind of cause.
    #[schemars(extend("x-listed" = ""))]
    pub category: Word<RootCause>,
    /// The cause in one or two sentences.
    #[schemars(extend("x-listed" = ""))]
    pub description: String,
}

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GhapLesson {
    /// What worked.
    #[schemars(extend("x-listed" = ""))]
    pub what_worked: String,
    /// What to do next time.
    #[schemars(extend("x-listed" = ""))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takeaway: Option<String>,
}

/// A run that contradicts a hypothesis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradiction {
    /// Observation id of the run.
    pub run: i64,
    /// Output of the run.
    pub result: String,
    /// Time of the run.
    pub at: String,
}

impl GhapRecord {
    /// Its status.
    pub(crate) fn status(&self) -> Status {
        self.outcome.as_ref().map_or(Status::Active, |outcome| outcome.status.0)
    }

    /// When the current version of the hypothesis was stated.
    pub(crate) fn since(&self) -> Timestamp {
        let changed = self.history.last().map_or(&self.created_at, |last| &last.timestamp);
        Timestamp::parse(changed).unwrap_or(Timestamp::from_millis(0))
    }

    /// Resolves it and sets how reliable the outcome is.
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

    /// How reliable the outcome is.
    pub(super) fn confidence(&self) -> Confidence {
        self.confidence_tier.as_deref().and_then(Confidence::from_name).unwrap_or(Confidence::Silver)
    }

    /// Its whole text, for search: the axis called full.
    pub(super) fn body(&self) -> String {
        Axis::Full.text(self).unwrap_or_default()
    }
}

/// Words of a hypothesis that cannot be proved wrong.
const VAGUE_WORDS: [&str; 6] =
    ["something", "somewhere", "somehow", "not sure", "no idea", "might be anything"];

/// A hypothesis with fewer words than this names no cause.
const MIN_WORDS: usize = 4;

fn is_vague(hypothesis: &str) -> bool {
    let text = hypothesis.to_lowercase();
    text.split_whitespace().count() < MIN_WORDS || VAGUE_WORDS.iter().any(|word| text.contains(word))
}

// Fixed word lists as parameters. The schema names the accepted words from the same list.

/// A list of words.
pub trait Listed: Copy + 'static {
    /// The name of the list.
    const WHAT: &'static str;
    /// All values.
    fn all() -> &'static [Self];
    /// The word for one value.
    fn word(self) -> &'static str;
}

macro_rules! listed {
    ($($list:ident $what:literal),+) => {
        $(impl Listed for $list {
            const WHAT: &'static str = $what;

            fn all() -> &'static [Self] {
                &Self::ALL
            }

            fn word(self) -> &'static str {
                self.name()
            }
        })+
    };
}

listed!(Domain "domain", Strategy "strategy", RootCause "root cause", Status "status");

/// One word of a list.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Word<T>(pub T);

impl<T: Listed> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.0.word())
    }
}

impl<'de, T: Listed> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let given = String::deserialize(from)?;
        let found = T::all().iter().find(|one| one.word() == given);
        found.copied().map(Self).ok_or_else(|| {
            let known: Vec<&str> = T::all().iter().map(|one| one.word()).collect();
            D::Error::custom(format!("`{given}` is no {}; one of {}", T::WHAT, known.join(", ")))
        })
    }
}

impl<T: Listed> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let known: Vec<&str> = T::all().iter().map(|one| one.word()).collect();
        json_schema!({"type": "string", "enum": known})
    }
}

// The four axes of an experience, each a text of its own.

named_enum! {
    /// The aspect by which experiences are searched and grouped.
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum Axis {
        /// The whole experience.
        #[default]
        Full => "full",
        /// How the work was approached.
        Strategy => "strategy",
        /// What was unexpected.
        Surprise => "surprise",
        /// Why the hypothesis was wrong.
        RootCause => "root_cause",
    }
}

impl Axis {
    /// The hypothesis's text on this axis; `None` if it has none.
    pub(super) fn text(self, record: &GhapRecord) -> Option<String> {
        let outcome = record.outcome.as_ref();
        let ended = outcome.map_or_else(
            || "active".to_owned(),
            |outcome| format!("{}: {}", outcome.status.0.name(), outcome.result),
        );
        let is_falsified = record.status() == Status::Falsified;
        let worked = record.lesson.as_ref().map(|lesson| lesson.what_worked.as_str());
        match self {
            Self::Full => Some(lines(&[
                ("Goal", Some(&record.goal)),
                ("Hypothesis", Some(&record.hypothesis)),
                ("Action", Some(&record.action)),
                ("Prediction", Some(&record.prediction)),
                ("Outcome", Some(&ended)),
                ("Surprise", record.surprise.as_deref()),
                ("Root cause", record.root_cause.as_ref().map(|cause| cause.description.as_str())),
                ("Lesson", worked),
                ("Takeaway", record.lesson.as_ref().and_then(|lesson| lesson.takeaway.as_deref())),
            ])),
            Self::Strategy => outcome.map(|outcome| {
                let times = record.iteration_count;
                let noun = if times == 1 { "iteration" } else { "iterations" };
                let how = format!("{} applied to {}", record.strategy.0.name(), record.goal);
                let end = format!("{} after {times} {noun}", outcome.status.0.name());
                lines(&[("Strategy", Some(&how)), ("Outcome", Some(&end)), ("What worked", worked)])
            }),
            Self::Surprise => {
                let surprise = record.surprise.as_deref().filter(|_| is_falsified)?;
                let cause = record.root_cause.as_ref().map(|cause| cause.description.as_str());
                let seen = outcome.map(|outcome| outcome.result.as_str());
                Some(lines(&[
                    ("Expected", Some(&record.prediction)),
                    ("Actual", seen),
                    ("Surprise", Some(surprise)),
                    ("Root cause", cause),
                ]))
            }
            Self::RootCause => {
                record.surprise.as_deref().filter(|_| is_falsified)?;
                let cause = record.root_cause.as_ref()?;
                let context = format!("{}: {}", record.domain.0.name(), record.goal);
                Some(lines(&[
                    ("Category", Some(cause.category.0.name())),
                    ("Description", Some(&cause.description)),
                    ("Context", Some(&context)),
                    ("Original hypothesis", Some(&record.hypothesis)),
                ]))
            }
        }
    }
}

fn lines(parts: &[(&str, Option<&str>)]) -> String {
    let texts = parts.iter().filter_map(|(name, text)| Some(format!("{name}: {}", (*text)?)));
    texts.collect::<Vec<_>>().join("\n")
}
