//! What a piece of a transcript adds to what hooks tell.

use std::collections::HashSet;

use nudge_core::event::HookEvent;

use super::format::Format;
use super::item::{Item, Tail, ToolEnd};
use super::line;
use super::reader::reader;

/// Reads any piece of a transcript: a line that is cut off at either end, or that tells nothing of the kind, is passed over.
pub fn tail(agent: impl Into<&'static Format>, piece: &str) -> Tail {
    let mut tail = Tail::default();
    let Some(format) = &agent.into().tail else { return tail };
    // Most lines hold something else, and parsing costs many times what looking costs.
    for text in piece.lines().filter(|line| format.words.iter().any(|word| line.contains(word))) {
        if let Some(fields) = line::object(text) {
            (format.take)(fields, &mut tail);
        }
    }
    let mut known = HashSet::new();
    tail.thinking.retain(|thinking| known.insert((thinking.text.clone(), thinking.at)));
    tail
}

/// The calls that ended, in the order of the transcript; later lines on the same call come later.
///
/// The text may be any piece of the file, as for [`tail()`].
pub fn tool_ends(agent: impl Into<&'static Format>, text: &str) -> Vec<ToolEnd> {
    tail(agent, text).ends
}

/// Words of lines that refer to earlier ones: to a call, or to a message that waits.
const REFERRING: [&str; 5] = ["ser said:", "\"answers\"", "\"remove\"", "queued_command", "answers\\\""];

/// What the person said in a piece of a transcript other than by a prompt, which hooks tell: by the same reader that reads whole
/// transcripts. `before` gives what comes right before the piece; it is asked only when the piece refers to it.
pub fn speech(
    agent: impl Into<&'static Format>,
    path: &str,
    piece: &str,
    before: impl FnOnce() -> Option<String>,
) -> Vec<HookEvent> {
    let format = agent.into();
    let Some(mut reader) = reader(format, path).filter(|_| format.has_speech) else { return Vec::new() };
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
