//! The thread that calls the memory, through the same link as every command.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Instant;

use nudge_core::{Fault, FaultKind};
use nudge_memory::inject::{ExplainInjection, WhyParams};
use nudge_memory::operation::Op;
use nudge_memory::recall::{
    EntryRef, GetObservations, GetObservationsParams, ListSessions, ListSessionsParams, ListedSession,
    Observation, ProjectParam, Search, SearchAnswer, SearchParams, SessionTrace, SessionTraceAnswer,
    SessionTraceParams,
};
use nudge_memory::review::{
    AcceptParams, AcceptProposal, DecideParams, DropProposal, ListProposals, ProposalsParams,
};

use super::message::{Answer, Message, Request, Ticket};
use crate::context_args::here;
use crate::globals::Globals;
use crate::invocation::Invocation;
use crate::pages::recall::View;

/// The maximum number of rows that a list requests.
const MAX_SESSIONS: i64 = 100;

const MAX_RESULTS: i64 = 50;

const MAX_INJECTIONS: u32 = 30;

/// Answers requests until the sender is gone.
pub(super) fn work(globals: Globals, requests: &Receiver<(Ticket, Request)>, answers: &Sender<Message>) {
    let invocation = Invocation::new(globals, Instant::now());
    // A write loads the settings and would print warnings over the screen. Loading them here keeps
    // them for later.
    let _ = invocation.resolved();
    let mut waiting = VecDeque::new();
    while let Some((ticket, request)) = next(&mut waiting, requests) {
        let answer = answer(&invocation, request).map_err(Into::into);
        if answers.send(Message::Answered(ticket, answer)).is_err() {
            return;
        }
    }
}

/// The oldest request that no newer one makes pointless.
fn next(
    waiting: &mut VecDeque<(Ticket, Request)>,
    requests: &Receiver<(Ticket, Request)>,
) -> Option<(Ticket, Request)> {
    if waiting.is_empty() {
        waiting.push_back(requests.recv().ok()?);
    }
    for newer in requests.try_iter() {
        waiting.retain(|(_, older)| !older.is_outdated_by(&newer.1));
        waiting.push_back(newer);
    }
    waiting.pop_front()
}

fn answer(invocation: &Invocation, request: Request) -> Result<Answer, Fault> {
    Ok(match request {
        Request::Sessions { all } => {
            let params =
                ListSessionsParams { project: project(all), limit: Some(MAX_SESSIONS), before: None };
            Answer::Sessions(sessions(call::<ListSessions>(invocation, &params)?))
        }
        Request::Trace { session } => {
            let params = SessionTraceParams { session_id: session, before: None, after: None };
            Answer::Trace(Box::new(trace(call::<SessionTrace>(invocation, &params)?)))
        }
        Request::Search { query, all } => Answer::Search(Box::new(found(search(invocation, &query, all)?))),
        Request::Entry { id } => Answer::Entry(Box::new(entry(invocation, id)?)),
        Request::Proposals => {
            let params = ProposalsParams::default();
            Answer::Proposals(call::<ListProposals>(invocation, &params)?.proposals)
        }
        Request::Accept { id } => {
            let params = AcceptParams { id, text: None };
            Answer::Decided(Box::new(call::<AcceptProposal>(invocation, &params)?))
        }
        Request::Drop { id } => {
            Answer::Decided(Box::new(call::<DropProposal>(invocation, &DecideParams { id })?))
        }
        Request::Injections { all } => {
            let params =
                WhyParams { project: project(all), limit: Some(MAX_INJECTIONS), ..WhyParams::default() };
            let answer = call::<ExplainInjection>(invocation, &params)?;
            Answer::Injections(answer.injection.into_iter().chain(answer.earlier).collect())
        }
    })
}

/// Searches for the query as it is. If nothing has all its words, searches again with the last word
/// as a prefix, because the user may still be typing it.
fn search(invocation: &Invocation, query: &str, all: bool) -> Result<SearchAnswer, Fault> {
    let has_all = |found: &SearchAnswer| !found.results.is_empty() && !found.relaxed;
    let find = |query: &str| {
        let query = query.to_owned();
        let params = SearchParams {
            query,
            project: project(all),
            limit: Some(MAX_RESULTS),
            ..SearchParams::default()
        };
        call::<Search>(invocation, &params)
    };
    let found = find(query)?;
    if !has_all(&found)
        && let Some(unfinished) = unfinished(query)
    {
        let begun = find(&unfinished)?;
        return Ok(if has_all(&begun) { begun } else { found });
    }
    Ok(found)
}

/// The query with its last word as a prefix; `None` if that is not a plain word.
fn unfinished(query: &str) -> Option<String> {
    let last = query.rsplit(|c: char| c.is_whitespace() || c == '(').next()?;
    let is_plain = last.chars().all(|c| c.is_alphanumeric() || c == '_') && last.chars().count() > 1;
    let is_quoted = !query.matches('"').count().is_multiple_of(2);
    let is_operator = ["AND", "OR", "NOT"].contains(&last);
    (is_plain && !is_quoted && !is_operator).then(|| format!("{query}*"))
}

fn entry(invocation: &Invocation, id: i64) -> Result<Observation, Fault> {
    let params = GetObservationsParams { ids: vec![EntryRef::Number(id)], around: None };
    let found = call::<GetObservations>(invocation, &params)?;
    found.into_iter().next().ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_entry", format!("entry {id} is gone")).next("search again")
    })
}

fn call<O: Op>(invocation: &Invocation, params: &O::Params) -> Result<O::Answer, Fault> {
    invocation.ask::<O>(params, here())
}

const fn project(all: bool) -> ProjectParam {
    if all { ProjectParam::All } else { ProjectParam::Here }
}

// Shortens the paths in answers, relative to the working directory, as the pages of other commands
// do.

pub(super) fn sessions(mut sessions: Vec<ListedSession>) -> Vec<ListedSession> {
    let view = View::own();
    for file in sessions.iter_mut().flat_map(|session| &mut session.files) {
        shorten(file, &view);
    }
    sessions
}

pub(super) fn trace(mut trace: SessionTraceAnswer) -> SessionTraceAnswer {
    let view = View::own();
    for row in trace.prompts.iter_mut().flat_map(|prompt| &mut prompt.observations) {
        shorten(&mut row.content_preview, &view);
    }
    trace
}

pub(super) fn found(mut found: SearchAnswer) -> SearchAnswer {
    let view = View::own();
    for row in &mut found.results {
        shorten(&mut row.content_preview, &view);
        if let Some(file) = &mut row.file_path {
            shorten(file, &view);
        }
    }
    found
}

fn shorten(text: &mut String, view: &View) {
    *text = view.shorten_path(text).into_owned();
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn only_the_newest_search_is_made_and_every_decision() {
        let (sender, requests) = channel();
        let search = |query: &str| Request::Search { query: query.to_owned(), all: false };
        let sent = [
            (1, search("c")),
            (2, Request::Accept { id: 7 }),
            (3, search("ca")),
            (4, Request::Drop { id: 8 }),
            (5, search("car")),
        ];
        for request in sent {
            sender.send(request).expect("a receiver");
        }
        drop(sender);
        let mut waiting = VecDeque::new();
        let made: Vec<Ticket> =
            std::iter::from_fn(|| next(&mut waiting, &requests)).map(|(ticket, _)| ticket).collect();
        assert_eq!(made, [2, 4, 5]);
    }

    #[test]
    fn only_a_plain_last_word_is_taken_for_unfinished() {
        for (query, wanted) in [
            ("docker comp", Some("docker comp*")),
            ("(cart OR ta", Some("(cart OR ta*")),
            ("größ", Some("größ*")),
            ("c", None),
            ("cart AND", None),
            ("\"a phrase", None),
            ("pref*", None),
            ("src/cart.ts", None),
            ("", None),
        ] {
            assert_eq!(unfinished(query).as_deref(), wanted, "{query}");
        }
    }
}
