//! The forms of an answer that more than one agent takes.

use nudge_core::HookEvent;
use serde_json::{Value, json};

use super::Answer;

/// The dialect of Claude Code, which Codex, Gemini CLI and Qwen Code took over: context under the
/// event's name, the person's message beside it.
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

/// One key, and no place for messages to the person.
pub(crate) fn flat(key: &str, context: Option<&str>) -> Answer {
    context.map(|context| (key.to_owned(), Value::from(context))).into_iter().collect()
}
