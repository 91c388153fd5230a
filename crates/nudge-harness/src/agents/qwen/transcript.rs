//! Qwen Code's record of a session.

use nudge_core::event::Outcome;
use serde_json::Value;

use crate::payload::Fields;
use crate::transcript::line::{status, word};
use crate::transcript::{Format, Tail, TailFormat, Thinking, ToolEnd};

pub(super) const FORMAT: Format = Format {
    tail: Some(TailFormat { words: &["\"thought\"", "\"toolCallResult\""], has_answers: false, take }),
    ..Format::NONE
};

/// Thoughts, which are parts of a message, and results, which name their call by the provider's id.
fn take(mut line: Fields, tail: &mut Tail) {
    if let Some(end) = line.take(&["toolCallResult"]).as_ref().and_then(ended) {
        tail.ends.push(end);
    }
    let message = line.take_object(&["message"]);
    let parts = message.get("parts").and_then(Value::as_array).into_iter().flatten();
    let thoughts =
        parts.filter(|part| part["thought"].as_bool() == Some(true)).filter_map(|part| word(part, "text"));
    tail.thinking.extend(thoughts.map(|text| Thinking {
        text: text.to_owned(),
        at: line.point("timestamp"),
        session: line.text(&["sessionId"]),
        turn: None,
        agent: None,
    }));
}

fn ended(result: &Value) -> Option<ToolEnd> {
    let id = word(result, "callId")?.to_owned();
    let exit = status(result.get("resultDisplay").unwrap_or(&Value::Null), "exitCode");
    let outcome = match (exit, word(result, "status")?) {
        (Some(status), _) => Outcome::of_exit(status),
        (None, "success") => Outcome::Success,
        (None, "error" | "cancelled") => Outcome::Failed { exit: None },
        _ => return None,
    };
    Some(ToolEnd { id, outcome, output: None })
}
