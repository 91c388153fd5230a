//! The browser's requests to the memory, and the answers.

use nudge_core::Fault;
use nudge_memory::inject::WhyInjection;
use nudge_memory::recall::{ListedSession, Observation, SearchAnswer, SessionTraceAnswer};
use nudge_memory::review::{DecisionAnswer, ProposalView};

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
