//! What to print in answer to an event, in the dialect of the agent that fired it.
//!
//! One emitter per agent, never a common superset: Codex drops the whole answer on one key it does not know.

use nudge_core::HookEvent;
use nudge_core::event::Speaker;
use serde_json::{Map, Value, json};

use crate::Harness;

/// The object that an agent is answered with.
pub(crate) type Answer = Map<String, Value>;

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
    let answer = (spec.emit)(event, context, notice);
    if answer.is_empty() { spec.silence.to_owned() } else { Value::Object(answer).to_string() }
}

/// Such a turn comes with every tool result in some agents; what it is given comes again and again.
fn is_turn_of_program(event: &HookEvent) -> bool {
    event.prompt.as_ref().is_some_and(|prompt| prompt.by == Speaker::Program)
}

/// The dialect of Claude Code, which Codex, Gemini CLI and Qwen Code took over: context under the event's
/// name, the person's message beside it.
pub(crate) fn nested(event: &HookEvent, context: Option<&str>, notice: Option<&str>) -> Answer {
    let mut answer = Answer::new();
    if let Some(notice) = notice {
        answer.insert("systemMessage".into(), notice.into());
    }
    if let Some(context) = context {
        let inner = json!({"hookEventName": event.name, "additionalContext": context});
        answer.insert("hookSpecificOutput".into(), inner);
    }
    answer
}

/// One key, and no place for messages to the person.
pub(crate) fn flat(key: &str, context: Option<&str>) -> Answer {
    context.map(|context| (key.to_owned(), Value::from(context))).into_iter().collect()
}
