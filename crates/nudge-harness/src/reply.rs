//! What to print in answer to an event, in the dialect of the agent that fired it.
//!
//! One emitter per agent, never a common superset: Codex drops the whole answer on one key it does not know.

use nudge_core::HookEvent;
use nudge_core::event::Speaker;
use serde_json::Value;

use crate::agents::Harness;

/// What we would like to say. Each part is left out where the agent has no place for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Text for the model. Assembled, framed and measured already; a text over the agent's limit is left out, never cut.
    pub context: Option<String>,
    /// A message for the person alone.
    pub notice: Option<String>,
}

impl Reply {
    /// Nothing to say.
    pub const NOTHING: Self = Self { context: None, notice: None };

    /// Text for the model.
    pub fn context(text: &str) -> Self {
        Self { context: Some(text.to_owned()), notice: None }
    }

    /// A message for the person.
    pub fn notice(text: &str) -> Self {
        Self { context: None, notice: Some(text.to_owned()) }
    }
}

/// What to print, without a newline at its end; empty where the agent wants nothing printed.
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

/// Such a turn comes with every tool result in some agents; what it is given comes again and again.
fn is_turn_of_program(event: &HookEvent) -> bool {
    event.prompt.as_ref().is_some_and(|prompt| prompt.by == Speaker::Program)
}
