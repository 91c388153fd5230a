//! The state machine: one message in, effects out.

mod search;

use nudge_memory::review::DecisionAnswer;
use nudge_memory::statements::proposals::State as Decision;

use super::document::{self, Document, is_proposal_cut};
use super::message::{Effect, Key, Message, Request};
use super::state::{Load, Notice, Reader, State, View};
use crate::tui::message::{Answer, Problem, Ticket};
use crate::tui::state::Listing;

/// Changes the state for one message.
pub(super) fn update(state: &mut State, message: Message) -> Vec<Effect> {
    match message {
        // The number of proposals is shown at once, whatever the view.
        Message::Opened => vec![sessions(state), proposals(state)],
        Message::Key(key) => pressed(state, key),
        Message::Paste(text) => search::pasted(state, &text),
        Message::Resize(columns, rows) => {
            state.size = (columns, rows);
            clamp_scroll(state);
            Vec::new()
        }
        Message::Answered(ticket, answer) => received(state, ticket, answer),
        Message::TypingPaused(edit) => search::paused(state, edit),
        Message::Stop => vec![Effect::Quit],
    }
}

fn pressed(state: &mut State, key: Key) -> Vec<Effect> {
    match key {
        Key::Ctrl('c') => return vec![Effect::Quit],
        Key::Ctrl('z') => return vec![Effect::Suspend],
        _ => state.notice = None,
    }
    if state.help {
        state.help = false;
        return Vec::new();
    }
    if state.reader.is_some() {
        return in_reader(state, key);
    }
    match key {
        Key::F1 => state.help = true,
        Key::Tab => return go_to(state, state.view.step(1)),
        Key::BackTab => return go_to(state, state.view.step(View::ALL.len() - 1)),
        Key::Enter => return open(state),
        _ if moved(state, key) => {}
        _ if state.view == View::Search => return search::pressed(state, key),
        key => return in_list(state, key),
    }
    Vec::new()
}

/// Handles a key in a view that is not a text field.
fn in_list(state: &mut State, key: Key) -> Vec<Effect> {
    match key {
        Key::Esc | Key::Char('q') => vec![Effect::Quit],
        Key::Char('?') => {
            state.help = true;
            Vec::new()
        }
        Key::Char(digit @ '1'..='4') => {
            let place = usize::from(digit as u8 - b'1');
            go_to(state, View::ALL[place])
        }
        Key::Char('/') => go_to(state, View::Search),
        Key::Char('p') if state.view != View::Review => toggle_projects(state),
        Key::Char('r') => vec![reload(state)],
        Key::Char('a') if state.view == View::Review => accept(state),
        Key::Char('d') if state.view == View::Review => decide(state, |id| Request::Drop { id }),
        _ => Vec::new(),
    }
}

/// Moves the selection. Letters move it only if they are not text. Returns whether the key was
/// used.
fn moved(state: &mut State, key: Key) -> bool {
    let page = (state.body_rows() / 2).max(1);
    let last = state.row_count().saturating_sub(1);
    let is_text = state.view == View::Search;
    let cursor = state.cursor();
    *cursor = match key {
        Key::Char(_) if is_text => return false,
        Key::Down | Key::Char('j') => *cursor + 1,
        Key::Up | Key::Char('k') => cursor.saturating_sub(1),
        Key::PageDown => *cursor + page,
        Key::PageUp => cursor.saturating_sub(page),
        Key::Home | Key::Char('g') => 0,
        Key::End | Key::Char('G') => last,
        _ => return false,
    }
    .min(last);
    true
}

fn in_reader(state: &mut State, key: Key) -> Vec<Effect> {
    let page = state.body_rows().saturating_sub(1).max(1);
    let Some(reader) = &mut state.reader else { return Vec::new() };
    reader.scroll = match key {
        Key::Down | Key::Char('j') => reader.scroll + 1,
        Key::Up | Key::Char('k') => reader.scroll.saturating_sub(1),
        Key::PageDown | Key::Char(' ') => reader.scroll + page,
        Key::PageUp => reader.scroll.saturating_sub(page),
        Key::Home | Key::Char('g') => 0,
        Key::End | Key::Char('G') => usize::MAX,
        Key::Esc | Key::Char('q') | Key::Left | Key::Backspace => {
            state.reader = None;
            return Vec::new();
        }
        Key::F1 | Key::Char('?') => {
            state.help = true;
            return Vec::new();
        }
        Key::Tab => return go_to(state, state.view.step(1)),
        Key::BackTab => return go_to(state, state.view.step(View::ALL.len() - 1)),
        _ => return Vec::new(),
    };
    clamp_scroll(state);
    Vec::new()
}

/// Keeps the last line of a document on the screen.
fn clamp_scroll(state: &mut State) {
    let (columns, rows) = (state.text_columns(), state.body_rows());
    if let Some(reader) = &mut state.reader {
        let lines = document::lines(&reader.document, &state.clock, columns).len();
        reader.scroll = reader.scroll.min(lines.saturating_sub(rows));
    }
}

fn go_to(state: &mut State, view: View) -> Vec<Effect> {
    state.reader = None;
    state.opening = None;
    state.view = view;
    let unread = match view {
        View::Sessions => state.sessions.load == Load::Unasked,
        View::Search => search::is_stale(state),
        View::Review => state.proposals.load == Load::Unasked,
        View::Why => state.injections.load == Load::Unasked,
    };
    if unread { vec![reload(state)] } else { Vec::new() }
}

fn toggle_projects(state: &mut State) -> Vec<Effect> {
    state.all = !state.all;
    // The other lists are loaded again when the user opens them.
    state.sessions.load = Load::Unasked;
    state.injections.load = Load::Unasked;
    state.search.load = Load::Unasked;
    *state.cursor() = 0;
    if state.view == View::Search && !search::is_stale(state) {
        return Vec::new();
    }
    vec![reload(state)]
}

/// Loads the list of this view again.
fn reload(state: &mut State) -> Effect {
    match state.view {
        View::Sessions => sessions(state),
        View::Search => search::start(state),
        View::Review => proposals(state),
        View::Why => injections(state),
    }
}

fn sessions(state: &mut State) -> Effect {
    let ticket = state.ticket();
    state.sessions.ticket = ticket;
    state.sessions.load = Load::Waiting;
    Effect::Call(ticket, Request::Sessions { all: state.all })
}

fn proposals(state: &mut State) -> Effect {
    let ticket = state.ticket();
    state.proposals.ticket = ticket;
    state.proposals.load = Load::Waiting;
    Effect::Call(ticket, Request::Proposals)
}

fn injections(state: &mut State) -> Effect {
    let ticket = state.ticket();
    state.injections.ticket = ticket;
    state.injections.load = Load::Waiting;
    Effect::Call(ticket, Request::Injections { all: state.all })
}

/// Opens the selected row in full.
fn open(state: &mut State) -> Vec<Effect> {
    let request = match state.view {
        View::Sessions => {
            state.sessions.selected().map(|row| Request::Trace { session: row.session_id.clone() })
        }
        View::Search => state.search.selected().map(|row| Request::Entry { id: row.id }),
        View::Review => {
            let document = state.proposals.selected().cloned().map(|row| Document::Proposal(Box::new(row)));
            show(state, document);
            None
        }
        View::Why => {
            let document = state.injections.selected().cloned().map(|row| Document::Injection(Box::new(row)));
            show(state, document);
            None
        }
    };
    request.map_or_else(Vec::new, |request| call(state, request))
}

/// Asks for a document, and waits for this one alone.
fn call(state: &mut State, request: Request) -> Vec<Effect> {
    let ticket = state.ticket();
    state.opening = Some(ticket);
    vec![Effect::Call(ticket, request)]
}

fn show(state: &mut State, document: Option<Document>) {
    state.reader = document.map(|document| Reader { document, scroll: 0 });
}

/// Accepts the selected proposal, unless a part of it was not shown.
fn accept(state: &mut State) -> Vec<Effect> {
    if let Some(proposal) = state.proposals.selected().filter(|proposal| is_proposal_cut(proposal)) {
        let id = proposal.id;
        let why = format!("read all of it with `nudge show {id}`, then `nudge review accept {id}`");
        state.notice = Some(Notice::Failed(why));
        return Vec::new();
    }
    decide(state, |id| Request::Accept { id })
}

/// Accepts or drops the selected proposal, once.
fn decide(state: &mut State, request: impl FnOnce(i64) -> Request) -> Vec<Effect> {
    if state.deciding.is_some() {
        state.notice = Some(Notice::Failed("wait for the last decision".to_owned()));
        return Vec::new();
    }
    let Some(id) = state.proposals.selected().map(|proposal| proposal.id) else { return Vec::new() };
    let ticket = state.ticket();
    state.deciding = Some(ticket);
    vec![Effect::Call(ticket, request(id))]
}

// Handles answers of the memory. An answer that is no longer needed is dropped.

fn received(state: &mut State, ticket: Ticket, answer: Result<Answer, Problem>) -> Vec<Effect> {
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
            state.notice = Some(Notice::Done(was_decided(&decision)));
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

fn was_decided(decision: &DecisionAnswer) -> String {
    let verb = if decision.state == Decision::Accepted { "accepted" } else { "dropped" };
    match (&decision.component, &decision.key, &decision.text) {
        _ if decision.path.is_some() => format!("{verb} {}", decision.path.as_deref().unwrap_or_default()),
        (Some(component), Some(key), _) => format!("{verb} {component}/{key}"),
        (_, _, Some(text)) => format!("{verb} “{text}”"),
        _ => format!("{verb} proposal {}", decision.id),
    }
}
