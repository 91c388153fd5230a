//! Reads from a piece of a transcript what hooks leave out.

use nudge_core::Timestamp;
use nudge_core::event::AgentLabel;
use serde_json::Value;

use super::result;
use crate::payload::Fields;
use crate::transcript::line::word;
use crate::transcript::{Tail, Thinking, ToolEnd};

/// Adds what hooks leave out in one line: thinking, and failed calls.
pub(super) fn take(mut line: Fields, tail: &mut Tail) {
    let at: Option<Timestamp> = line.point("timestamp");
    let content = line.take_object(&["message"]).take(&["content"]).unwrap_or(Value::Null);
    let ends = result::all(&content)
        .into_iter()
        .filter(|result| result.failed && !result.was_declined() && !result.was_cancelled());
    tail.ends.extend(ends.map(|result| ToolEnd { outcome: result.outcome(), id: result.id, output: None }));
    let agent = line.text(&["agentId"]).map(|id| AgentLabel {
        id,
        kind: line.text(&["attributionAgent"]),
        parent: None,
    });
    let blocks = content.as_array().into_iter().flatten();
    let texts =
        blocks.filter(|block| block["type"] == "thinking").filter_map(|block| word(block, "thinking"));
    tail.thinking.extend(texts.map(|text| Thinking {
        text: text.to_owned(),
        at,
        session: line.text(&["sessionId"]),
        turn: line.text(&["promptId"]),
        agent: agent.clone(),
    }));
}
