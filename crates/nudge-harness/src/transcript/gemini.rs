//! Gemini CLI's record of a session. A message is written again whenever it grows, so its thoughts come more than once.

use nudge_core::Timestamp;
use nudge_core::event::Outcome;
use serde_json::Value;

use super::line::word;
use super::{Growth, Thinking, ToolEnd};
use crate::fields::Fields;
use crate::tool;

/// Thoughts and ended calls of a message.
pub(super) fn grown(mut line: Fields, growth: &mut Growth) {
    for thought in list(line.take(&["thoughts"])) {
        let parts = [word(&thought, "subject"), word(&thought, "description")];
        let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
        let at = word(&thought, "timestamp").and_then(Timestamp::parse).or_else(|| line.moment("timestamp"));
        let new = Thinking { text, at, session: None, turn: None, agent: None };
        if !new.text.is_empty() {
            growth.thinking.push(new);
        }
    }
    growth.ends.extend(list(line.take(&["toolCalls"])).iter().filter_map(ended));
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn ended(call: &Value) -> Option<ToolEnd> {
    let id = word(call, "id")?.to_owned();
    let outcome = match word(call, "status")? {
        "success" => exit(call).map_or(Outcome::Success, Outcome::of_exit),
        "error" | "cancelled" => Outcome::Failed { exit: None },
        _ => return None,
    };
    Some(ToolEnd { id, outcome })
}

/// The status of a command, which stands after its output and before what hooks added.
fn exit(call: &Value) -> Option<i32> {
    let response = call.pointer("/result/0/functionResponse/response")?;
    let text = word(response, "output").filter(|_| call["name"] == "run_shell_command")?;
    tool::after_output(text.split("<hook_context>").next()?)
}
