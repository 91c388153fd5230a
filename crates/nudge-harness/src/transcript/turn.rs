//! The last answer of a turn, which is known as the last when the next turn begins.

use nudge_core::event::{EventKind, HookEvent, Speech};

use super::item::{Item, Skip, Told};

/// What the agent answered last in the turn under way, with its line.
#[derive(Debug, Default)]
pub(super) struct Turn {
    answer: Option<(u64, HookEvent)>,
}

impl Turn {
    /// Takes what a line tells, and gives it on with the answers that it ends or passes over.
    pub(super) fn take(&mut self, told: Told) -> Vec<Item> {
        let mut items = Vec::with_capacity(told.items.len() + 1);
        for item in told.items {
            match &item {
                Item::Event(event) if begins(event) => items.extend(self.end()),
                Item::Event(event) if goes_on(event) => items.extend(self.pass_over()),
                _ => {}
            }
            items.push(item);
        }
        if told.works || told.answer.is_some() {
            items.extend(self.pass_over());
        }
        // What is said beside a call is not the last word either.
        let answer = told.answer.filter(|_| !told.works).map(|event| (told.line, event));
        self.answer = answer.or_else(|| self.answer.take());
        items
    }

    /// The turn is over: what was answered last is what it came to.
    pub(super) fn end(&mut self) -> Option<Item> {
        self.answer.take().map(|(_, event)| Item::Event(Box::new(event)))
    }

    /// The agent went on after it.
    fn pass_over(&mut self) -> Option<Item> {
        self.answer.take().map(|(line, _)| Item::Skipped { line, why: Skip::Answer })
    }
}

/// Whether a turn begins with it. What is said to a call is said in the middle of one.
fn begins(event: &HookEvent) -> bool {
    let to_call = matches!(event.speech, Some(Speech { call: Some(_), .. }));
    let begins = matches!(event.kind, EventKind::Prompt | EventKind::SessionStart { .. });
    begins && !to_call && event.agent.is_none()
}

/// Whether the agent did it, or was told something in the middle of a turn.
fn goes_on(event: &HookEvent) -> bool {
    let goes_on = matches!(event.kind, EventKind::Prompt | EventKind::PostTool | EventKind::ToolFailure);
    goes_on && event.agent.is_none()
}
