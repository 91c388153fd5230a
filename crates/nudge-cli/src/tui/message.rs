//! The browser's input messages, its effects, and its requests to the memory.

use std::time::Duration;

use nudge_core::Fault;
use nudge_memory::inject::WhyInjection;
use nudge_memory::recall::{ListedSession, Observation, SearchAnswer, SessionTraceAnswer};
use nudge_memory::review::{DecisionAnswer, ProposalView};

/// A key, with only the modifiers that matter here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Up,
    Down,
    Left,
    PageUp,
    PageDown,
    Home,
    End,
    F1,
}

/// An input to the state machine.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// The browser was opened.
    Opened,
    Key(Key),
    /// Text was pasted. It must not act as keys: an `a` in it would accept a proposal.
    Paste(String),
    Resize(u16, u16),
    Answered(Ticket, Result<Answer, Problem>),
    /// The user stopped typing for a while after this edit of the query.
    TypingPaused(u64),
    /// The terminal is gone, or the process was asked to end.
    Stop,
}

/// Something to do outside the state machine.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Call(Ticket, Request),
    /// Send the message after a delay.
    After(Duration, Message),
    Suspend,
    Quit,
}

/// The number of a request. An answer to an older request than the last one is dropped.
pub(super) type Ticket = u64;

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Sessions { all: bool },
    Trace { session: String },
    Search { query: String, all: bool },
    Entry { id: i64 },
    Proposals,
    Accept { id: i64 },
    Drop { id: i64 },
    Injections { all: bool },
}

impl Request {
    /// Whether a newer request of the same kind makes this one pointless. This is never true for a
    /// decision.
    pub(super) fn is_outdated_by(&self, newer: &Self) -> bool {
        !matches!(self, Self::Accept { .. } | Self::Drop { .. })
            && std::mem::discriminant(self) == std::mem::discriminant(newer)
    }
}

/// The answer to one request.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    Sessions(Vec<ListedSession>),
    Trace(Box<SessionTraceAnswer>),
    Search(Box<SearchAnswer>),
    Entry(Box<Observation>),
    Proposals(Vec<ProposalView>),
    Decided(Box<DecisionAnswer>),
    Injections(Vec<WhyInjection>),
}

/// Why a request failed, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) next: Option<String>,
    /// Whether the query could not be parsed, which is normal while the user types.
    pub(super) is_syntax: bool,
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self { is_syntax: fault.reason == Fault::QUERY, message: fault.message, next: fault.next }
    }
}
