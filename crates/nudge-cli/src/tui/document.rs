//! A row in full: a session, an entry, a proposal or an injection, as lines to read.

mod entry;
mod field;
mod injection;
mod proposal;
mod trace;

use nudge_memory::inject::WhyInjection;
use nudge_memory::recall::{Observation, SessionTraceAnswer};
use nudge_memory::review::ProposalView;

use super::clock::Clock;
use super::styled::Styled;

pub(super) use proposal::{is_cut as is_proposal_cut, summary as proposal_summary};

/// A document to read.
#[derive(Clone, Debug)]
pub(super) enum Document {
    Trace(Box<SessionTraceAnswer>),
    Entry(Box<Observation>),
    Proposal(Box<ProposalView>),
    Injection(Box<WhyInjection>),
}

/// Its lines, none wider than `columns`.
pub(super) fn lines(document: &Document, clock: &Clock, columns: usize) -> Vec<Styled> {
    match document {
        Document::Trace(trace) => trace::lines(trace, clock, columns),
        Document::Entry(entry) => entry::lines(entry, clock, columns),
        Document::Proposal(proposal) => proposal::lines(proposal, clock, columns),
        Document::Injection(injection) => injection::lines(injection, clock, columns),
    }
}
