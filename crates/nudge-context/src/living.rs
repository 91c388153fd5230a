//! What goes on in a session: what it marked as relevant, and what it is trying to find out.

use nudge_core::text::age;
use nudge_core::{EntryId, Timestamp};

use crate::clean::{clean, quoted};

/// How much of each part of a hypothesis is shown, in characters.
const PART: usize = 160;

/// What a session marked as relevant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The agent that marked it and when, where it was another session, and no agent where it was the
    /// person; `None` for the very session that gets it.
    pub by: Option<(Option<String>, Timestamp)>,
    /// Its parts, each with its entry. They are harmless already.
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

/// A hypothesis, and why it is brought up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// Its entry.
    pub entry: EntryId,
    /// When it was made or resolved.
    pub at: Timestamp,
    /// Its id.
    pub id: String,
    /// What is to be reached.
    pub goal: String,
    /// What is believed.
    pub hypothesis: String,
    /// What should be seen.
    pub prediction: String,
    /// Why it is brought up.
    pub why: Why,
}

/// Why a hypothesis is brought up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// So many tools were used since its agent last said what it believes.
    CheckIn(i64),
    /// The session works on it.
    Open {
        /// What a run said against it.
        contradicted: Option<String>,
    },
    /// The session that worked on it is gone.
    Orphan,
    /// It was wrong.
    RuledOut {
        /// The cause.
        cause: Option<String>,
    },
    /// A run has ended that may decide it.
    Ran {
        /// What the run did.
        result: String,
        /// What it means.
        means: Means,
    },
}

/// What a run means for a hypothesis.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Means {
    /// It confirmed it, and it is resolved.
    Confirmed,
    /// It spoke against it.
    Contradicted,
    /// It passed; whether that confirms it, its agent says.
    Passed,
    /// It failed; whether that falsifies it, its agent says.
    Failed,
}

/// What is said of a hypothesis, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    /// The type of the reply: `orphan_detected`, `reminder`, `outcome`.
    pub kind: &'static str,
    /// What is said.
    pub content: String,
    /// What is suggested to be done.
    pub suggested_action: Option<&'static str>,
}

impl Hypothesis {
    /// The lines that stand in a block, with at most so many characters of each part.
    pub(crate) fn lines(&self, most: usize, now: Timestamp) -> String {
        let (goal, hypothesis) = (quoted(&self.goal, most), quoted(&self.hypothesis, most));
        let prediction = quoted(&self.prediction, most);
        let (age, entry) = (age(self.at, now), self.entry.0);
        match &self.why {
            Why::CheckIn(tools) => format!(
                "## GHAP Check-in ({tools} tools since last update)\n\n**Current Goal**: {goal}\n\
                 **Current Hypothesis**: {hypothesis}\n**Current Prediction**: {prediction}\n\n\
                 Is your hypothesis still valid? If it changed, update your GHAP entry.\n"
            ),
            Why::Orphan => format!(
                "## Orphaned GHAP Detected\n\nFrom previous session:\n\n**Goal**: {goal}\n\
                 **Hypothesis**: {hypothesis}\n\n**Options**:\n- Adopt and continue this work (adopt_orphan_ghap)\n\
                 - Abandon with reason (abandon_orphan_ghap)\n"
            ),
            Why::Open { contradicted } => {
                let against = contradicted.as_ref().map_or_else(String::new, |run| {
                    format!(" But {}: resolve_ghap it, or update_ghap.", clean(run, most))
                });
                format!(
                    "- [{age}] this session tries: \"{hypothesis}\", for \"{goal}\"; expected: \"{prediction}\".{against} #{entry}\n"
                )
            }
            Why::RuledOut { cause } => {
                let because = cause
                    .as_ref()
                    .map_or_else(String::new, |cause| format!(", because: \"{}\"", quoted(cause, most)));
                format!("- [{age}] tried and wrong: \"{hypothesis}\"{because} #{entry}\n")
            }
            Why::Ran { result, means } => {
                let (result, id) = (clean(result, most), clean(&self.id, 40));
                match means {
                    Means::Confirmed => format!(
                        "- {result}: as predicted, so the hypothesis \"{hypothesis}\" is confirmed and resolved ({id}).\n"
                    ),
                    Means::Contradicted => format!(
                        "- {result}: this speaks against the hypothesis \"{hypothesis}\". suggested_action: \
                         resolve_falsified (resolve_ghap with surprise and root_cause), or update_ghap.\n"
                    ),
                    Means::Passed => format!(
                        "- {result}. If that is what \"{prediction}\" meant, suggested_action: resolve_confirmed \
                         (resolve_ghap).\n"
                    ),
                    Means::Failed => format!(
                        "- {result}. If that falsifies \"{hypothesis}\", suggested_action: resolve_falsified \
                         (resolve_ghap with surprise and root_cause).\n"
                    ),
                }
            }
        }
    }

    /// The same for a program; `None` where there is no type for it.
    pub fn typed(&self, now: Timestamp) -> Option<Typed> {
        let said = self.lines(PART, now);
        let content = said.trim_end();
        Some(match &self.why {
            Why::CheckIn(_) => {
                Typed { kind: "reminder", content: content.to_owned(), suggested_action: None }
            }
            Why::Orphan => {
                Typed { kind: "orphan_detected", content: content.to_owned(), suggested_action: None }
            }
            Why::Ran { means, .. } => {
                let (word, action) = match means {
                    Means::Confirmed | Means::Passed => ("PASSED", "resolve_confirmed"),
                    Means::Contradicted | Means::Failed => ("FAILED", "resolve_falsified"),
                };
                Typed {
                    kind: "outcome",
                    content: format!("## Test {word}\n\n{content}"),
                    suggested_action: Some(action).filter(|_| *means != Means::Confirmed),
                }
            }
            Why::Open { .. } | Why::RuledOut { .. } => return None,
        })
    }
}
