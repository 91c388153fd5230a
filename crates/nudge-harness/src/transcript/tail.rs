//! Reads from a piece of a transcript what hooks leave out.

use std::collections::HashSet;

use nudge_core::event::{EventKind, HookEvent, Speaker};

use super::format::Format;
use super::item;
use super::item::{Item, Tail, ToolEnd};
use super::reader::reader;

/// Reads any piece of a transcript. Lines that are cut off at either end, or that contain nothing
/// useful, are skipped.
pub fn tail(agent: impl Into<&'static Format>, piece: &str) -> Tail {
    let mut tail = Tail::default();
    let Some(format) = &agent.into().tail else { return tail };
    // Most lines contain something else, and parsing costs many times more than searching.
    for text in piece.lines().filter(|line| format.words.iter().any(|word| line.contains(word))) {
        if let Some(fields) = item::object(text) {
            (format.take)(fields, &mut tail);
        }
    }
    let mut known = HashSet::new();
    tail.thinking.retain(|thinking| known.insert((thinking.text.clone(), thinking.at)));
    tail
}

/// The calls that ended, in the transcript's order; if several lines report the same call, they are
/// in their order.
///
/// The text may be any piece of the file, as for [`tail()`].
pub fn tool_ends(agent: impl Into<&'static Format>, text: &str) -> Vec<ToolEnd> {
    tail(agent, text).ends
}

/// Whether an event is a prompt that the user typed.
fn is_prompt(event: &HookEvent) -> bool {
    event.kind == EventKind::Prompt
        && event.agent.is_none()
        && event.prompt.as_ref().is_some_and(|prompt| prompt.by == Speaker::Person)
}

/// Parts of lines that refer to earlier ones: to a call, or to a queued message.
const REFERENCE_MARKS: [&str; 5] =
    ["ser said:", "\"answers\"", "\"remove\"", "queued_command", "answers\\\""];

/// Whether an agent's transcript contains what the user typed, and so can confirm what a hook
/// reports.
pub fn transcript_has_prompts(agent: impl Into<&'static Format>) -> bool {
    let format = agent.into();
    format.follow.is_some() && format.tail.is_some()
}

/// Whether the session of a transcript runs unattended, according to its first line. `None` where
/// that line does not say.
pub fn headless(agent: impl Into<&'static Format>, path: &str, head: &str) -> Option<bool> {
    let mut reader = reader(agent, path)?;
    reader.line(head.lines().next()?).into_iter().find_map(|item| match item {
        Item::Event(event) => event.headless,
        _ => None,
    })
}

/// Whether an agent's transcript has the last answer of a turn, which the hook that ends the turn
/// leaves out.
pub fn has_answers(agent: impl Into<&'static Format>) -> bool {
    agent.into().tail.as_ref().is_some_and(|tail| tail.has_answers)
}

/// The agent's last answer in a piece of a transcript, for agents with a turn-end hook that leaves
/// it out. `None` when the agent continued after it.
pub fn last_answer(agent: impl Into<&'static Format>, path: &str, piece: &str) -> Option<HookEvent> {
    let format = agent.into();
    if !has_answers(format) {
        return None;
    }
    let mut reader = reader(format, path)?;
    for line in piece.lines() {
        reader.line(line);
    }
    reader.finish().into_iter().find_map(|item| match item {
        Item::Event(event) if event.kind == EventKind::Stop => Some(*event),
        _ => None,
    })
}

/// What the user said in a piece of a transcript, read by the same reader as whole transcripts. A
/// prompt has no [`Speech`](nudge_core::event::Speech); hooks report it too. `before` returns what
/// comes right before the piece; it is called only when the piece refers to it.
pub fn speech(
    agent: impl Into<&'static Format>,
    path: &str,
    piece: &str,
    before: impl FnOnce() -> Option<String>,
) -> Vec<HookEvent> {
    let format = agent.into();
    let Some(mut reader) = reader(format, path).filter(|_| transcript_has_prompts(format)) else {
        return Vec::new();
    };
    if REFERENCE_MARKS.iter().any(|words| piece.contains(words)) {
        for line in before().unwrap_or_default().lines() {
            reader.line(line);
        }
    }
    let said = |item| match item {
        Item::Event(event) if event.speech.is_some() || is_prompt(&event) => Some(*event),
        _ => None,
    };
    piece.lines().flat_map(|line| reader.line(line)).filter_map(said).collect()
}
