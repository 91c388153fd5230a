//! What is happening in a session: what it marked as relevant, and its hypotheses.

use nudge_core::text::age;
use nudge_core::{EntryId, Timestamp};

use crate::clean::{clean, quoted};

/// How much of each part of a hypothesis is shown, in characters.
const MAX_PART_CHARS: usize = 160;

/// What a session marked as relevant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Who marked it and when, if not the session that gets it: the agent of another session, or no
    /// agent if it was the user. `None` for the session itself.
    pub by: Option<(Option<String>, Timestamp)>,
    /// Its parts, each with its entry. They are cleaned already.
    pub parts: Vec<(Option<EntryId>, String)>,
}

impl Marked {
    pub(crate) fn heading(&self, now: Timestamp) -> String {
        match &self.by {
            None => "## Marked as relevant in this session\n".to_owned(),
            Some((None, at)) => format!("## Marked as relevant here ({})\n", age(*at, now)),
            Some((Some(agent), at)) => {
                let (agent, age) = (clean(agent, 40), age(*at, now));
                format!("## Marked as relevant in the last session here ({agent}, {age})\n")
            }
        }
    }
}

/// A hypothesis, and why it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// Its entry.
    pub entry: EntryId,
    /// When it was stated or resolved.
    pub at: Timestamp,
    /// Its id.
    pub id: String,
    /// The goal.
    pub goal: String,
    /// What the agent believes.
    pub hypothesis: String,
    /// What the agent expects to see.
    pub prediction: String,
    /// Why it is shown.
    pub why: HypothesisReason,
}

/// Why a hypothesis is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HypothesisReason {
    /// The number of tools used since its agent last said what it believes.
    CheckIn(i64),
    /// The session is working on it.
    Open {
        /// The result of a run that contradicts it.
        contradicted: Option<String>,
    },
    /// The session that worked on it is gone.
    Orphan,
    /// It was wrong.
    RuledOut {
        /// The cause.
        cause: Option<String>,
    },
    /// A run ended that may decide it.
    Ran {
        /// The result of the run.
        result: String,
        /// What the result means.
        means: RunMeaning,
    },
}

/// What a run means for a hypothesis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum RunMeaning {
    /// The run confirmed it, and it is resolved.
    Confirmed,
    /// The run contradicts it.
    Contradicted,
    /// The run passed; its agent decides whether that confirms it.
    Passed,
    /// The run failed; its agent decides whether that falsifies it.
    Failed,
}

/// A message about a hypothesis, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HypothesisMessage {
    /// The type of the reply: `orphan_detected`, `reminder`, `outcome`.
    pub kind: &'static str,
    /// The message.
    pub content: String,
    /// A suggested next step.
    pub suggested_action: Option<&'static str>,
}

impl Hypothesis {
    /// Its lines in a block, with at most `most` characters of each part.
    pub(crate) fn lines(&self, most: usize, now: Timestamp) -> String {
        let (goal, hypothesis) = (quoted(&self.goal, most), quoted(&self.hypothesis, most));
        let prediction = quoted(&self.prediction, most);
        let (age, entry) = (age(self.at, now), self.entry.0);
        match &self.why {
            HypothesisReason::CheckIn(tools) => format!(
                "## GHAP Check-in ({tools} tools since last update)\n\n**Current Goal**: {goal}\n\
                 **Current Hypothesis**: {hypothesis}\n**Current Prediction**: {prediction}\n\n\
                 Is your hypothesis still valid? If it changed, update your GHAP entry.\n"
            ),
            HypothesisReason::Orphan => format!(
                "## Orphaned GHAP Detected\n\nFrom previous session:\n\n**Goal**: {goal}\n\
                 **Hypothesis**: {hypothesis}\n\n**Options**:\n- Adopt and continue this work (adopt_orphan_ghap)\n\
                 - Abandon with reason (abandon_orphan_ghap)\n"
            ),
            HypothesisReason::Open { contradicted } => {
                let against = contradicted.as_ref().map_or_else(String::new, |run| {
                    format!(" But {}: resolve_ghap it, or update_ghap.", clean(run, most))
                });
                format!(
                    "- [{age}] this session tries: \"{hypothesis}\", for \"{goal}\"; expected: \"{prediction}\".{against} #{entry}\n"
                )
            }
            HypothesisReason::RuledOut { cause } => {
                let because = cause
                    .as_ref()
                    .map_or_else(String::new, |cause| format!(", because: \"{}\"", quoted(cause, most)));
                format!("- [{age}] tried and wrong: \"{hypothesis}\"{because} #{entry}\n")
            }
            HypothesisReason::Ran { result, means } => {
                let (result, id) = (clean(result, most), clean(&self.id, 40));
                match means {
                    RunMeaning::Confirmed => format!(
                        "- {result}: as predicted, so the hypothesis \"{hypothesis}\" is confirmed and resolved ({id}).\n"
                    ),
                    RunMeaning::Contradicted => format!(
                        "- {result}: this speaks against the hypothesis \"{hypothesis}\". suggested_action: \
                         resolve_falsified (resolve_ghap with surprise and root_cause), or update_ghap.\n"
                    ),
                    RunMeaning::Passed => format!(
                        "- {result}. If that is what \"{prediction}\" meant, suggested_action: resolve_confirmed \
                         (resolve_ghap).\n"
                    ),
                    RunMeaning::Failed => format!(
                        "- {result}. If that falsifies \"{hypothesis}\", suggested_action: resolve_falsified \
                         (resolve_ghap with surprise and root_cause).\n"
                    ),
                }
            }
        }
    }

    /// The same for a program; `None` if there is no type for it.
    pub fn to_message(&self, now: Timestamp) -> Option<HypothesisMessage> {
        let said = self.lines(MAX_PART_CHARS, now);
        let content = said.trim_end();
        Some(match &self.why {
            HypothesisReason::CheckIn(_) => {
                HypothesisMessage { kind: "reminder", content: content.to_owned(), suggested_action: None }
            }
            HypothesisReason::Orphan => HypothesisMessage {
                kind: "orphan_detected",
                content: content.to_owned(),
                suggested_action: None,
            },
            HypothesisReason::Ran { means, .. } => {
                let (word, action) = match means {
                    RunMeaning::Confirmed | RunMeaning::Passed => ("PASSED", "resolve_confirmed"),
                    RunMeaning::Contradicted | RunMeaning::Failed => ("FAILED", "resolve_falsified"),
                };
                HypothesisMessage {
                    kind: "outcome",
                    content: format!("## Test {word}\n\n{content}"),
                    suggested_action: Some(action).filter(|_| *means != RunMeaning::Confirmed),
                }
            }
            HypothesisReason::Open { .. } | HypothesisReason::RuledOut { .. } => return None,
        })
    }
}
