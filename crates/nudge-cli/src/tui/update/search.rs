//! The search view: searches while the user types.

use std::time::Duration;

use crate::tui::message::{Effect, Key, Message, Request};
use crate::tui::state::{Load, Notice, State, View};

/// A search starts when no key was pressed for this long: shorter than the pause between two words,
/// longer than the pause between two letters of a fast typist.
const TYPING_PAUSE: Duration = Duration::from_millis(120);

/// The longest query in characters. Nobody types more, but a paste may be any length.
const MAX_QUERY: usize = 400;

pub(super) fn pressed(state: &mut State, key: Key) -> Vec<Effect> {
    match key {
        Key::Esc if state.search.query.is_empty() => return vec![Effect::Quit],
        Key::Esc | Key::Ctrl('u') => state.search.query.clear(),
        Key::Char('?') if state.search.query.is_empty() => {
            state.help = true;
            return Vec::new();
        }
        Key::Ctrl('t') => return open_session(state),
        Key::Ctrl('p') => return super::toggle_projects(state),
        Key::Ctrl('w') => erase_word(&mut state.search.query),
        Key::Backspace => {
            state.search.query.pop();
        }
        Key::Char(c) if state.search.query.chars().count() < MAX_QUERY => state.search.query.push(c),
        _ => return Vec::new(),
    }
    edited(state)
}

/// Opens the session of the selected result.
fn open_session(state: &mut State) -> Vec<Effect> {
    let Some(row) = state.search.selected() else { return Vec::new() };
    let Some(session) = row.session_id.clone() else {
        state.notice = Some(Notice::Failed("this entry belongs to no session".to_owned()));
        return Vec::new();
    };
    super::call(state, Request::Trace { session })
}

/// Adds pasted text to the query, and nowhere else.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Effect> {
    if state.view != View::Search || state.reader.is_some() || state.help {
        state.notice = Some(Notice::Failed("pasted text was ignored".to_owned()));
        return Vec::new();
    }
    let room = MAX_QUERY.saturating_sub(state.search.query.chars().count());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    state.search.query.extend(words.chars().take(room));
    edited(state)
}

fn edited(state: &mut State) -> Vec<Effect> {
    state.search.edits += 1;
    // Ignore the answer to the query before this edit.
    state.search.ticket = 0;
    if state.search.query.trim().is_empty() {
        state.search.found = None;
        state.search.load = Load::Ready;
        return Vec::new();
    }
    state.search.load = Load::Waiting;
    vec![Effect::After(TYPING_PAUSE, Message::TypingPaused(state.search.edits))]
}

pub(super) fn paused(state: &mut State, edit: u64) -> Vec<Effect> {
    if edit != state.search.edits || state.search.query.trim().is_empty() {
        return Vec::new();
    }
    vec![start(state)]
}

/// Whether the query has not yet been searched for in the current projects.
pub(super) fn is_stale(state: &State) -> bool {
    state.search.load == Load::Unasked && !state.search.query.trim().is_empty()
}

/// Searches at once.
pub(super) fn start(state: &mut State) -> Effect {
    let ticket = state.ticket();
    state.search.ticket = ticket;
    state.search.load = Load::Waiting;
    Effect::Call(ticket, Request::Search { query: state.search.query.trim().to_owned(), all: state.all })
}

fn erase_word(query: &mut String) {
    let kept = query.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
    query.truncate(kept);
}
