//! Reads from a piece of a rollout what hooks leave out.

use serde_json::Value;

use super::end::tool_end;
use crate::payload::Fields;
use crate::transcript::line::word;
use crate::transcript::{Tail, Thinking};

/// Adds what hooks leave out in one line: how calls ended, and reasoning.
pub(super) fn take(mut line: Fields, tail: &mut Tail) {
    let Some(payload) = line.take(&["payload"]) else { return };
    tail.ends.extend(tool_end(&payload));
    let item = payload.get("item").unwrap_or(&Value::Null);
    let texts = match (word(&payload, "type"), word(item, "type")) {
        (Some("item_completed"), Some("Reasoning")) => &item["summary_text"],
        (Some("reasoning"), _) => &payload["summary"],
        _ => return,
    };
    let text = |part: &Value| part.as_str().or_else(|| word(part, "text")).map(|text| text.trim().to_owned());
    let passed = payload.get("internal_chat_message_metadata_passthrough").unwrap_or(&payload);
    let turn = word(passed, "turn_id").map(String::from);
    let texts = texts.as_array().into_iter().flatten().filter_map(text).filter(|text| !text.is_empty());
    for text in
        texts.filter(|text| tail.thinking.last().is_none_or(|last| last.text != *text)).collect::<Vec<_>>()
    {
        let at = line.point("timestamp");
        tail.thinking.push(Thinking { text, at, session: None, turn: turn.clone(), agent: None });
    }
}
