//! Answer formats that several agents share.

use nudge_core::HookEvent;
use serde_json::{Value, json};

use super::Answer;

/// Claude Code's format, also used by Codex, Gemini CLI and Qwen Code: context under the event's
/// name, the user's message next to it.
pub(crate) fn nested(event: &HookEvent, context: Option<&str>, notice: Option<&str>) -> Answer {
    let mut answer = Answer::new();
    if let Some(notice) = notice {
        answer.insert("systemMessage".into(), notice.into());
    }
    if let Some(context) = context {
        let inner = json!({"hookEventName": event.name, "additionalContext": context});
        answer.insert("hookSpecificOutput".into(), inner);
    }
    answer
}

/// One key, without a message to the user.
pub(crate) fn flat(key: &str, context: Option<&str>) -> Answer {
    context.map(|context| (key.to_owned(), Value::from(context))).into_iter().collect()
}
