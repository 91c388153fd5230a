//! Handles answers of the memory. An answer that is no longer needed is dropped.

use nudge_memory::review::DecisionAnswer;
use nudge_memory::statements::proposals::State as Decision;

use super::{proposals, show};
use crate::tui::call::{Answer, Problem, Ticket};
use crate::tui::document::Document;
use crate::tui::message::Effect;
use crate::tui::state::{Listing, Load, Notice, State};

pub(super) fn received(state: &mut State, ticket: Ticket, answer: Result<Answer, Problem>) -> Vec<Effect> {
    match answer {
        Ok(answer) => succeeded(state, ticket, answer),
        Err(problem) => failed(state, ticket, problem),
    }
}

fn succeeded(state: &mut State, ticket: Ticket, answer: Answer) -> Vec<Effect> {
    match answer {
        Answer::Sessions(rows) => fill(&mut state.sessions, ticket, rows),
        Answer::Proposals(rows) => fill(&mut state.proposals, ticket, rows),
        Answer::Injections(rows) => fill(&mut state.injections, ticket, rows),
        Answer::Search(found) if ticket == state.search.ticket => {
            state.search.cursor = 0;
            state.search.found = Some(*found);
            state.search.load = Load::Ready;
        }
        Answer::Trace(trace) if is_awaited(state, ticket) => show(state, Some(Document::Trace(trace))),
        Answer::Entry(entry) if is_awaited(state, ticket) => show(state, Some(Document::Entry(entry))),
        Answer::Decided(decision) if state.deciding == Some(ticket) => {
            state.deciding = None;
            state.notice = Some(Notice::Done(decided(&decision)));
            return vec![proposals(state)];
        }
        Answer::Search(_) | Answer::Trace(_) | Answer::Entry(_) | Answer::Decided(_) => {}
    }
    Vec::new()
}

fn fill<T>(listing: &mut Listing<T>, ticket: Ticket, rows: Vec<T>) {
    if listing.ticket == ticket {
        listing.fill(rows);
    }
}

/// Whether the user still waits for this document.
fn is_awaited(state: &mut State, ticket: Ticket) -> bool {
    state.opening.take_if(|awaited| *awaited == ticket).is_some()
}

fn failed(state: &mut State, ticket: Ticket, problem: Problem) -> Vec<Effect> {
    let load = if state.sessions.ticket == ticket {
        &mut state.sessions.load
    } else if state.proposals.ticket == ticket {
        &mut state.proposals.load
    } else if state.injections.ticket == ticket {
        &mut state.injections.load
    } else if state.search.ticket == ticket {
        &mut state.search.load
    } else {
        return not_done(state, ticket, problem);
    };
    *load = Load::Failed(problem);
    Vec::new()
}

/// Handles a document that could not be opened, or a decision that failed.
fn not_done(state: &mut State, ticket: Ticket, problem: Problem) -> Vec<Effect> {
    let was_deciding = state.deciding.take_if(|awaited| *awaited == ticket).is_some();
    if !was_deciding && !is_awaited(state, ticket) {
        return Vec::new();
    }
    let next = problem.next.map(|next| format!("; {next}")).unwrap_or_default();
    state.notice = Some(Notice::Failed(format!("{}{next}", problem.message)));
    // The list may be out of date: somebody else may have decided.
    if was_deciding { vec![proposals(state)] } else { Vec::new() }
}

fn decided(decision: &DecisionAnswer) -> String {
    let verb = if decision.state == Decision::Accepted { "accepted" } else { "dropped" };
    match (&decision.component, &decision.key, &decision.text) {
        _ if decision.path.is_some() => format!("{verb} {}", decision.path.as_deref().unwrap_or_default()),
        (Some(component), Some(key), _) => format!("{verb} {component}/{key}"),
        (_, _, Some(text)) => format!("{verb} “{text}”"),
        _ => format!("{verb} proposal {}", decision.id),
    }
}
