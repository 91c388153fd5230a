//! What a piece of a transcript adds to what hooks tell.

use std::collections::HashSet;

use nudge_core::event::HookEvent;

use super::{Item, Thinking, ToolEnd, line, reader};
use crate::Harness;
use crate::agents::{claude, codex, copilot, gemini, qwen};
use crate::payload::Fields;

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

/// Agents whose hooks do not tell all that people say.
const SPOKEN_TO: [Harness; 2] = [Harness::Claude, Harness::Codex];

/// Words of lines that refer to earlier ones: to a call, or to a message that waits.
const REFERRING: [&str; 5] = ["ser said:", "\"answers\"", "\"remove\"", "queued_command", "answers\\\""];

/// What the person said in a piece of a transcript other than by a prompt, which hooks tell: by the same reader that reads whole
/// transcripts. `before` gives what comes right before the piece; it is asked only when the piece refers to it.
pub fn speech(
    harness: Harness,
    path: &str,
    piece: &str,
    before: impl FnOnce() -> Option<String>,
) -> Vec<HookEvent> {
    let Some(mut reader) = reader(harness, path).filter(|_| SPOKEN_TO.contains(&harness)) else {
        return Vec::new();
    };
    if REFERRING.iter().any(|words| piece.contains(words)) {
        for line in before().unwrap_or_default().lines() {
            reader.line(line);
        }
    }
    let said = |item| match item {
        Item::Event(event) if event.speech.is_some() => Some(*event),
        _ => None,
    };
    piece.lines().flat_map(|line| reader.line(line)).filter_map(said).collect()
}

type Take = fn(Fields, &mut Growth);

/// Words of which a line has one, and what reads it.
const fn format(harness: Harness) -> Option<(&'static [&'static str], Take)> {
    match harness {
        Harness::Claude => Some((&["\"thinking\"", "\"tool_result\""], claude::transcript::grown)),
        Harness::Codex => Some((&["item_completed", "reasoning"], codex::transcript::grown)),
        Harness::Copilot => Some((&["tool.execution_complete", "reasoning"], copilot::transcript::grown)),
        Harness::Gemini => Some((&["\"thoughts\"", "\"toolCalls\""], gemini::transcript::grown)),
        Harness::Qwen => Some((&["\"thought\"", "\"toolCallResult\""], qwen::transcript::grown)),
        Harness::Opencode | Harness::Cline | Harness::Cursor => None,
    }
}
