//! Writes the answer to an event, in the dialect of the agent that fired it.
//!
//! There is one writer per agent and no common superset: Codex drops the whole answer if it
//! contains one unknown key.

use nudge_core::HookEvent;
use nudge_core::event::Speaker;
use serde_json::Value;

use crate::agents::Harness;

/// The answer to an event. A part that the agent cannot receive is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Text for the model, already assembled, framed and measured. A text over the agent's limit is
    /// left out, never cut.
    pub context: Option<String>,
    /// A message for the user only.
    pub notice: Option<String>,
}

impl Reply {
    /// An empty answer.
    pub const NOTHING: Self = Self { context: None, notice: None };

    /// Text for the model.
    pub fn context(text: &str) -> Self {
        Self { context: Some(text.to_owned()), notice: None }
    }

    /// A message for the user.
    pub fn notice(text: &str) -> Self {
        Self { context: None, notice: Some(text.to_owned()) }
    }
}

/// The text to print, without a final newline; empty where the agent expects no output.
pub fn reply(harness: Harness, event: &HookEvent, reply: &Reply) -> String {
    let spec = harness.spec();
    let Some(known) = spec.event(&event.name) else { return spec.silence.to_owned() };
    let context = reply.context.as_deref().filter(|text| {
        known.context && !text.is_empty() && spec.limit.admits(text) && !is_turn_of_program(event)
    });
    let notice = reply.notice.as_deref().filter(|text| known.notice && !text.is_empty());
    let answer = (harness.hooks().emit)(event, context, notice);
    if answer.is_empty() { spec.silence.to_owned() } else { Value::Object(answer).to_string() }
}

/// Some agents fire such a turn with every tool result, so the model would get the same context
/// again and again.
fn is_turn_of_program(event: &HookEvent) -> bool {
    event.prompt.as_ref().is_some_and(|prompt| prompt.by == Speaker::Program)
}
