//! GitHub Copilot CLI's record of a session, `events.jsonl`.

use nudge_core::event::Outcome;

use super::line::{status, word};
use super::{Growth, Thinking, ToolEnd};
use crate::fields::Fields;

/// Calls that ended, and reasoning beside a message or on its own.
pub(super) fn grown(mut line: Fields, growth: &mut Growth) {
    let Some(data) = line.take(&["data"]) else { return };
    match line.text(&["type"]).as_deref() {
        Some("tool.execution_complete") => {
            let (Some(id), Some(success)) = (word(&data, "toolCallId"), data["success"].as_bool()) else {
                return;
            };
            let failed = Outcome::Failed { exit: None };
            let told = status(&data["shellExecution"], "exitCode").map(Outcome::of_exit);
            let outcome = told.unwrap_or(if success { Outcome::Success } else { failed });
            growth.ends.push(ToolEnd { id: id.to_owned(), outcome });
        }
        Some("assistant.message" | "assistant.reasoning") => {
            let own = |data| {
                word(data, "content")
                    .filter(|_| line.text(&["type"]).as_deref() == Some("assistant.reasoning"))
            };
            let Some(text) = word(&data, "reasoningText").or_else(|| own(&data)) else { return };
            growth.thinking.push(Thinking {
                text: text.to_owned(),
                at: line.moment("timestamp"),
                session: None,
                turn: None,
                agent: None,
            });
        }
        _ => {}
    }
}
