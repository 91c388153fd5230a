//! Tests of keys and answers: their effect on the state.

use super::fixture::{answer, calls, filled, opened, press, typed};
use super::message::{Effect, Key, Message, Problem, Request};
use super::state::{Load, Notice, State, View};
use super::update::update;

fn key(state: &mut State, key: Key) -> Vec<Effect> {
    update(state, Message::Key(key))
}

fn quits(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::Quit])
}

#[test]
fn keys_lead_through_the_views() {
    let mut state = filled(80, 24);
    for (pressed, view) in [
        (Key::Tab, View::Search),
        (Key::Tab, View::Review),
        (Key::Tab, View::Why),
        (Key::Tab, View::Sessions),
        (Key::BackTab, View::Why),
        (Key::Char('3'), View::Review),
        (Key::Char('/'), View::Search),
    ] {
        press(&mut state, &[pressed]);
        assert_eq!(state.view, view, "{pressed:?}");
    }
}

#[test]
fn the_selection_stays_in_the_list() {
    let mut state = filled(80, 24);
    for (pressed, cursor) in [
        (Key::Up, 0),
        (Key::Char('j'), 1),
        (Key::PageDown, 2),
        (Key::Down, 2),
        (Key::Char('k'), 1),
        (Key::Char('G'), 2),
        (Key::Char('g'), 0),
        (Key::End, 2),
        (Key::PageUp, 0),
    ] {
        press(&mut state, &[pressed]);
        assert_eq!(state.sessions.cursor, cursor, "{pressed:?}");
    }
}

#[test]
fn a_key_leads_from_a_result_to_its_session() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('/')]);
    press(&mut state, &typed("cart"));
    let session = state.search.selected().and_then(|row| row.session_id.clone()).expect("a session");
    let effects = key(&mut state, Key::Ctrl('t'));
    assert_eq!(
        calls(effects).into_iter().map(|(_, request)| request).collect::<Vec<_>>(),
        [Request::Trace { session }]
    );
}

#[test]
fn leaving_closes_what_is_open_first() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Enter]);
    assert!(state.reader.is_some());
    press(&mut state, &[Key::Char('?')]);
    assert!(state.help);
    assert!(key(&mut state, Key::Char('q')).is_empty());
    assert!(!state.help);
    assert!(key(&mut state, Key::Esc).is_empty() && state.reader.is_none());
    assert!(quits(&key(&mut state, Key::Char('q'))));
    assert!(quits(&key(&mut state, Key::Esc)));
    press(&mut state, &[Key::Enter, Key::F1]);
    assert!(quits(&key(&mut state, Key::Ctrl('c'))));
    assert!(quits(&update(&mut state, Message::Stop)));
    assert!(matches!(key(&mut state, Key::Ctrl('z'))[..], [Effect::Suspend]));
}

#[test]
fn only_a_pause_starts_a_search_and_only_its_answer_counts() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('2')]);
    let first = key(&mut state, Key::Char('c'));
    let second = key(&mut state, Key::Char('q'));
    let pause = |effects: &[Effect]| match effects {
        [Effect::After(_, message)] => message.clone(),
        other => panic!("typing waits: {other:?}"),
    };
    assert!(update(&mut state, pause(&first)).is_empty(), "typing went on");
    let asked = calls(update(&mut state, pause(&second)));
    let (ticket, request) = asked.first().cloned().expect("a search");
    assert_eq!(request, Request::Search { query: "cq".to_owned(), all: false });
    // The user types a letter before the answer arrives.
    key(&mut state, Key::Char('x'));
    update(&mut state, Message::Answered(ticket, Ok(answer(&request))));
    assert!(state.search.found.is_none(), "the answer is outdated");
    assert_eq!(state.search.load, Load::Waiting);
}

#[test]
fn the_query_is_a_text_field() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('2')]);
    press(&mut state, &typed("jkgG14qpa r?"));
    assert_eq!((state.search.query.as_str(), state.view), ("jkgG14qpa r?", View::Search));
    press(&mut state, &[Key::Backspace, Key::Ctrl('w')]);
    assert_eq!(state.search.query, "jkgG14qpa ");
    update(&mut state, Message::Paste("two\nlines\t".to_owned()));
    assert_eq!(state.search.query, "jkgG14qpa two lines");
    assert!(key(&mut state, Key::Esc).is_empty() && state.search.query.is_empty());
    assert!(state.search.found.is_none());
    press(&mut state, &[Key::Char('?')]);
    assert!(state.help, "an empty query takes no question mark");
    press(&mut state, &[Key::Esc]);
    assert!(quits(&key(&mut state, Key::Esc)));
    update(&mut state, Message::Paste("x".repeat(10_000)));
    assert_eq!(state.search.query.len(), 400);
}

#[test]
fn a_query_that_cannot_be_read_keeps_the_last_results() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('2')]);
    press(&mut state, &typed("cart"));
    let effects = key(&mut state, Key::Char('"'));
    let Some(Effect::After(_, message)) = effects.into_iter().next() else { panic!("typing waits") };
    let (ticket, _) = calls(update(&mut state, message)).remove(0);
    let problem = Problem { message: "a quote is not closed".to_owned(), next: None, is_syntax: true };
    update(&mut state, Message::Answered(ticket, Err(problem.clone())));
    assert_eq!(state.search.load, Load::Failed(problem));
    assert_eq!(state.search.rows(), 3);
}

#[test]
fn projects_are_toggled_for_all_lists() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('4'), Key::Char('1')]);
    let asked = calls(key(&mut state, Key::Char('p')));
    assert!(matches!(asked[..], [(_, Request::Sessions { all: true })]));
    let asked = calls(key(&mut state, Key::Char('4')));
    assert!(matches!(asked[..], [(_, Request::Injections { all: true })]), "the other list is outdated");
    press(&mut state, &[Key::Char('2')]);
    assert!(key(&mut state, Key::Ctrl('p')).is_empty() && !state.all, "there is no query to search for");
}

#[test]
fn a_decision_is_made_once_and_reported() {
    let mut state = filled(80, 24);
    press(&mut state, &[Key::Char('3')]);
    let asked = calls(key(&mut state, Key::Char('a')));
    let [(ticket, Request::Accept { id: 51 })] = asked[..] else { panic!("{asked:?}") };
    assert!(calls(key(&mut state, Key::Char('d'))).is_empty(), "the first decision is under way");
    let effects = update(&mut state, Message::Answered(ticket, Ok(answer(&Request::Accept { id: 51 }))));
    assert!(matches!(calls(effects)[..], [(_, Request::Proposals)]), "the list is read again");
    assert_eq!(state.notice, Some(Notice::Done("accepted database/port".to_owned())));
    let asked = calls(key(&mut state, Key::Char('d')));
    let [(ticket, Request::Drop { id: 51 })] = asked[..] else { panic!("{asked:?}") };
    let problem =
        Problem { message: "it is decided".to_owned(), next: Some("reload".to_owned()), is_syntax: false };
    update(&mut state, Message::Answered(ticket, Err(problem)));
    assert_eq!(state.notice, Some(Notice::Failed("it is decided; reload".to_owned())));
}

#[test]
fn only_a_key_in_the_review_decides() {
    let mut state = filled(80, 24);
    for view in ['1', '4'] {
        press(&mut state, &[Key::Char(view)]);
        for pressed in ['a', 'd'] {
            assert!(key(&mut state, Key::Char(pressed)).is_empty(), "{pressed} in {view}");
        }
    }
    press(&mut state, &[Key::Char('3')]);
    assert!(
        update(&mut state, Message::Paste("aaad".to_owned())).is_empty(),
        "what is pasted decides nothing"
    );
    press(&mut state, &[Key::Enter]);
    assert!(key(&mut state, Key::Char('a')).is_empty(), "nor does a key in a document");
}

#[test]
fn an_answer_that_nobody_waits_for_opens_nothing() {
    let (mut state, first) = opened(80, 24);
    for (ticket, request) in first {
        update(&mut state, Message::Answered(ticket, Ok(answer(&request))));
    }
    let asked = calls(key(&mut state, Key::Enter));
    let (ticket, request) = asked.first().cloned().expect("a trace");
    key(&mut state, Key::Tab);
    update(&mut state, Message::Answered(ticket, Ok(answer(&request))));
    assert!(state.reader.is_none());
}

#[test]
fn a_document_scrolls_to_its_end_and_no_further() {
    let mut state = filled(40, 10);
    press(&mut state, &[Key::Down, Key::Enter, Key::End]);
    let scroll = |state: &State| state.reader.as_ref().map_or(0, |reader| reader.scroll);
    let end = scroll(&state);
    assert!(end > 0);
    press(&mut state, &[Key::Down, Key::PageDown]);
    assert_eq!(scroll(&state), end);
    update(&mut state, Message::Resize(120, 40));
    assert_eq!(scroll(&state), 0, "all of it fits");
}
