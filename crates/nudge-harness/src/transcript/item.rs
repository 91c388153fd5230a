//! The lines and items of a transcript, in terms that are the same for every agent.

use std::collections::HashMap;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, HookEvent, Outcome};
use serde_json::Value;

use crate::payload::{Fields, surrogates};

/// One item in a transcript.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What a hook would have reported: a session's start, a prompt, a tool call with its response,
    /// a compaction, the end of a turn with the last answer. A call without an end in the
    /// transcript has neither response nor error.
    Event(Box<HookEvent>),
    /// The agent's thinking.
    Thinking(Thinking),
    /// How a call ended that was reported before.
    ToolEnd(ToolEnd),
    /// A line that was skipped.
    Skipped {
        /// Its number, from 1.
        line: u64,
        /// Why.
        why: Skip,
    },
}

/// A piece of the agent's reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// The thinking.
    pub text: String,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The session.
    pub session: Option<String>,
    /// The prompt or turn it belongs to, by the id that hooks use.
    pub turn: Option<String>,
    /// The subagent that thought it; `None` for the session's own agent.
    pub agent: Option<AgentLabel>,
}

/// How one tool call ended, by the id that hooks use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEnd {
    /// The id of the call.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// The command's output, where hooks report it without its exit status.
    pub output: Option<String>,
}

/// What was found in a piece, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// The agent's thinking. Some agents repeat it whenever a message grows; it is listed once.
    pub thinking: Vec<Thinking>,
    /// The calls that ended. If several lines report the same call, they are in their order.
    pub ends: Vec<ToolEnd>,
}

nudge_core::named_enum! {
    /// Why a line was skipped.
    pub enum Skip {
        /// It cannot be parsed.
        Malformed => "malformed",
        /// It contains what hooks injected into the agent's context, including Nudge's own text.
        Injected => "injected",
        /// The agent's program wrote it, not the user.
        ProgramText => "program_text",
        /// It summarises what was compacted.
        Summary => "summary",
        /// An answer of the agent that is not the last of its turn.
        Answer => "answer",
        /// A call that the user, or a rule of theirs, declined.
        Declined => "declined",
        /// A call that never began, because a parallel call failed.
        Cancelled => "cancelled",
        /// It repeats another line.
        Repeated => "repeated",
        /// It is the program's own bookkeeping.
        Bookkeeping => "bookkeeping",
        /// It is of a kind that this version does not know.
        Unknown => "unknown",
    }
}

/// The items of one line.
#[derive(Debug)]
pub(crate) struct LineItems {
    pub(super) line: u64,
    pub(crate) items: Vec<Item>,
    /// The agent's answer in this line.
    pub(super) answer: Option<HookEvent>,
    /// Whether the agent starts an action in this line.
    pub(super) has_action: bool,
}

impl LineItems {
    pub(super) const fn of_line(line: u64) -> Self {
        Self { line, items: Vec::new(), answer: None, has_action: false }
    }

    /// An answer of the agent. It is the turn's conclusion if nothing follows in that turn. A
    /// subagent's answer goes to the agent that started it.
    pub(crate) fn answer(&mut self, text: &str, event: HookEvent) {
        if event.agent.is_some() || text.trim().is_empty() {
            return self.skip(Skip::Answer);
        }
        self.answer = Some(HookEvent { message: Some(text.to_owned()), ..event });
    }

    /// The agent starts an action, so its previous answer was not its last.
    pub(crate) const fn note_action(&mut self) {
        self.has_action = true;
    }

    pub(crate) fn event(&mut self, event: HookEvent) {
        self.items.push(Item::Event(Box::new(event)));
    }

    pub(crate) fn skip(&mut self, why: Skip) {
        self.items.push(Item::Skipped { line: self.line, why });
    }
}

/// The fields of a line that is a JSON object.
pub(crate) fn object(text: &str) -> Option<Fields> {
    match surrogates::read(text.trim_start_matches('\u{feff}').trim()) {
        Ok(Value::Object(map)) => Some(Fields::new(map)),
        _ => None,
    }
}

/// The text of a content field: a string, or a list of text blocks.
pub(crate) fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(blocks) => {
            let texts: Vec<_> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

/// A string in an object that is not empty.
pub(crate) fn word<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// An exit status under that key.
pub(crate) fn status(value: &Value, key: &str) -> Option<i32> {
    value.get(key)?.as_i64().and_then(|status| i32::try_from(status).ok())
}

// Tool calls that have not ended; the end may come much later or never.

/// The calls that have begun, by id, in the order they began.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    open: HashMap<String, (u64, HookEvent)>,
    begun: u64,
}

impl Calls {
    /// A call began. One that is reported twice counts once.
    pub(crate) fn begin(&mut self, id: &str, event: HookEvent) {
        self.begun += 1;
        self.open.entry(id.to_owned()).or_insert((self.begun, event));
    }

    /// The open call with that id.
    pub(crate) fn get(&self, id: &str) -> Option<&HookEvent> {
        self.open.get(id).map(|(_, event)| event)
    }

    /// Removes and returns the open call with that id.
    pub(crate) fn end(&mut self, id: &str) -> Option<HookEvent> {
        self.open.remove(id).map(|(_, event)| event)
    }

    /// The calls that never ended.
    pub(crate) fn rest(self) -> Vec<Item> {
        let mut left: Vec<_> = self.open.into_values().collect();
        left.sort_by_key(|(order, _)| *order);
        left.into_iter().map(|(_, event)| Item::Event(Box::new(event))).collect()
    }
}
