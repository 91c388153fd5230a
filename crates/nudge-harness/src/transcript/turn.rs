//! Finds the last answer of a turn, which is known only when the next turn begins.

use nudge_core::event::{EventKind, HookEvent, Speech};

use super::item::{Item, LineItems, Skip};

/// The last answer in the current turn, with its line.
#[derive(Debug, Default)]
pub(super) struct Turn {
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
