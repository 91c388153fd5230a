//! What a piece of a transcript adds to what hooks tell.

use std::collections::HashSet;

use super::{Thinking, ToolEnd, claude, codex, copilot, gemini, line, qwen};
use crate::Harness;
use crate::fields::Fields;

/// What was found in a piece, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Growth {
    /// What the agent thought. Some write the same again whenever a message grows: told once.
    pub thinking: Vec<Thinking>,
    /// The calls that ended. Later lines on the same call come later.
    pub ends: Vec<ToolEnd>,
}

/// Reads any piece of a transcript: a line that is cut off at either end, or that tells nothing of the kind, is passed over.
pub fn growth(harness: Harness, piece: &str) -> Growth {
    let mut growth = Growth::default();
    let Some((words, take)) = format(harness) else { return growth };
    // Most lines hold something else, and parsing costs many times what looking costs.
    for text in piece.lines().filter(|line| words.iter().any(|word| line.contains(word))) {
        if let Some(fields) = line::object(text) {
            take(fields, &mut growth);
        }
    }
    let mut known = HashSet::new();
    growth.thinking.retain(|thinking| known.insert((thinking.text.clone(), thinking.at)));
    growth
}

type Take = fn(Fields, &mut Growth);

/// Words of which a line has one, and what reads it.
const fn format(harness: Harness) -> Option<(&'static [&'static str], Take)> {
    match harness {
        Harness::Claude => Some((&["\"thinking\"", "\"tool_result\""], claude::grown)),
        Harness::Codex => Some((&["item_completed", "reasoning"], codex::grown)),
        Harness::Copilot => Some((&["tool.execution_complete", "reasoning"], copilot::grown)),
        Harness::Gemini => Some((&["\"thoughts\"", "\"toolCalls\""], gemini::grown)),
        Harness::Qwen => Some((&["\"thought\"", "\"toolCallResult\""], qwen::grown)),
        Harness::Opencode | Harness::Cline | Harness::Cursor => None,
    }
}
