//! Follows a whole transcript.

use nudge_core::event::{EventKind, HookEvent, Speech};

use super::format::{Follow, Format};
use super::item::{self, Item, LineItems, Skip};

/// A reader for the transcript at that path; `None` for agents with transcripts that we cannot
/// read. Opens nothing: the path only names the transcript in its events, and distinguishes a
/// subagent's transcript from the session's own.
pub fn reader(agent: impl Into<&'static Format>, path: &str) -> Option<Reader> {
    let follow = agent.into().follow?;
    Some(Reader { session: follow(path), lines: 0, turn: Turn::default() })
}

/// Follows one transcript, line by line, from its first line.
#[derive(Debug)]
pub struct Reader {
    session: Box<dyn Follow>,
    lines: u64,
    turn: Turn,
}

impl Reader {
    /// The items of the next line. Whatever it contains, later lines are still read.
    ///
    /// opencode has rows instead of lines: each is `{"session": row}`, or `{"message": row,
    /// "parts": [row, …]}`, in their order.
    pub fn line(&mut self, text: &str) -> Vec<Item> {
        self.lines += 1;
        let mut out = LineItems::of_line(self.lines);
        match item::object(text) {
            Some(fields) => self.session.line(fields, &mut out),
            None if text.trim().is_empty() => {}
            None => out.skip(Skip::Malformed),
        }
        self.turn.take(out)
    }

    /// The remaining items when the transcript ends: the calls without an end, or the last answer.
    pub fn finish(mut self) -> Vec<Item> {
        let mut rest = self.session.finish();
        if rest.is_empty() {
            rest.extend(self.turn.end());
        }
        rest
    }
}

// Finds the last answer of a turn, which is known only when the next turn begins.

/// The last answer in the current turn, with its line.
#[derive(Debug, Default)]
struct Turn {
    answer: Option<(u64, HookEvent)>,
}

impl Turn {
    /// Takes the items of a line; returns them with an answer that they complete or that is
    /// skipped.
    pub(super) fn take(&mut self, out: LineItems) -> Vec<Item> {
        let mut items = Vec::with_capacity(out.items.len() + 1);
        for item in out.items {
            match &item {
                Item::Event(event) if begins_turn(event) => items.extend(self.end()),
                Item::Event(event) if continues_turn(event) => items.extend(self.skip_answer()),
                _ => {}
            }
            items.push(item);
        }
        if out.has_action || out.answer.is_some() {
            items.extend(self.skip_answer());
        }
        // An answer in the same line as a call is not the last one either.
        let answer = out.answer.filter(|_| !out.has_action).map(|event| (out.line, event));
        self.answer = answer.or_else(|| self.answer.take());
        items
    }

    /// The turn is over: the last answer is its conclusion.
    pub(super) fn end(&mut self) -> Option<Item> {
        self.answer.take().map(|(_, event)| Item::Event(Box::new(event)))
    }

    /// Skips the answer, because the agent continued after it.
    fn skip_answer(&mut self) -> Option<Item> {
        self.answer.take().map(|(line, _)| Item::Skipped { line, why: Skip::Answer })
    }
}

/// Whether a turn begins with it. A reply to a call comes in the middle of a turn.
fn begins_turn(event: &HookEvent) -> bool {
    let to_call = matches!(event.speech, Some(Speech { call: Some(_), .. }));
    let begins = matches!(event.kind, EventKind::Prompt | EventKind::SessionStart { .. });
    begins && !to_call && event.agent.is_none()
}

/// Whether it is an action of the agent, or words to it in the middle of a turn.
fn continues_turn(event: &HookEvent) -> bool {
    let goes_on = matches!(event.kind, EventKind::Prompt | EventKind::PostTool | EventKind::ToolFailure);
    goes_on && event.agent.is_none()
}
