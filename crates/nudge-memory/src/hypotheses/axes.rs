//! The four axes of an experience, each a text of its own.

use nudge_core::hypothesis::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record::GhapRecord;

/// The aspect by which experiences are searched and grouped.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The whole experience.
    #[default]
    Full,
    /// How the work was approached.
    Strategy,
    /// What was unexpected.
    Surprise,
    /// Why the hypothesis was wrong.
    RootCause,
}

impl Axis {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Strategy => "strategy",
            Self::Surprise => "surprise",
            Self::RootCause => "root_cause",
        }
    }

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
    let said = parts.iter().filter_map(|(name, text)| Some(format!("{name}: {}", (*text)?)));
    said.collect::<Vec<_>>().join("\n")
}
