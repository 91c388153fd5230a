//! Snapshots of every view, in two terminal sizes.

use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::draw::{Palette, draw};
use super::fixture::{calls, empty, entry_proposals, filled, opened, press, press_empty, typed};
use super::message::{Key, Message, Problem};
use super::state::{State, View};
use super::update::update;

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

fn drawn(state: &State, palette: Palette) -> Buffer {
    let mut terminal =
        Terminal::new(TestBackend::new(state.size.0, state.size.1)).expect("no terminal fails");
    terminal.draw(|frame| draw(state, palette, frame)).expect("drawn");
    terminal.backend().buffer().clone()
}

/// The screen as text. A wide character is followed by a cell that is not shown.
fn shown(state: &State) -> String {
    let buffer = drawn(state, Palette::Colour);
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(nudge_core::text::width(symbol)).unwrap_or(1).clamp(1, 2);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn check(name: &str, make: impl Fn(u16, u16) -> State) {
    for (columns, rows) in SIZES {
        assert_snapshot!(format!("{name}_{columns}x{rows}"), shown(&make(columns, rows)));
    }
}

fn view(number: char) -> impl Fn(u16, u16) -> State {
    move |columns, rows| {
        let mut state = filled(columns, rows);
        press(&mut state, &[Key::Char(number)]);
        state
    }
}

#[test]
fn sessions_and_a_trace() {
    check("sessions", |columns, rows| {
        let mut state = filled(columns, rows);
        press(&mut state, &[Key::Down]);
        state
    });
    check("sessions_of_all_projects", |columns, rows| {
        let mut state = filled(columns, rows);
        press(&mut state, &[Key::Char('p'), Key::End]);
        state
    });
    check("trace", |columns, rows| {
        let mut state = filled(columns, rows);
        press(&mut state, &[Key::Down, Key::Enter]);
        state
    });
}

#[test]
fn results_and_an_entry() {
    check("search", |columns, rows| {
        let mut state = view('2')(columns, rows);
        press(&mut state, &typed("econnrefused"));
        state
    });
    check("entry", |columns, rows| {
        let mut state = view('2')(columns, rows);
        press(&mut state, &typed("econnrefused"));
        press(&mut state, &[Key::Enter]);
        state
    });
}

#[test]
fn proposals_of_both_kinds() {
    check("review", view('3'));
    check("review_statement", |columns, rows| {
        let mut state = view('3')(columns, rows);
        press(&mut state, &[Key::Char('a'), Key::Char('j')]);
        state
    });
}

#[test]
fn proposals_about_entries_and_files() {
    let open = |columns, rows| {
        let mut state = view('3')(columns, rows);
        state.proposals.fill(entry_proposals());
        state
    };
    check("review_file", open);
    check("review_file_in_full", |columns, rows| {
        let mut state = open(columns, rows);
        press(&mut state, &[Key::Enter]);
        state
    });
    check("review_entry", |columns, rows| {
        let mut state = open(columns, rows);
        press(&mut state, &[Key::Down]);
        state
    });
}

#[test]
fn injections_with_reasons() {
    check("why", view('4'));
    check("why_in_full", |columns, rows| {
        let mut state = view('4')(columns, rows);
        press(&mut state, &[Key::Enter]);
        state
    });
}

#[test]
fn nothing_there_yet() {
    for (name, key) in [("sessions", '1'), ("search", '2'), ("review", '3'), ("why", '4')] {
        check(&format!("empty_{name}"), |columns, rows| {
            let mut state = empty(columns, rows);
            press_empty(&mut state, &[Key::Char(key)]);
            state
        });
    }
    check("nothing_found", |columns, rows| {
        let mut state = empty(columns, rows);
        press_empty(&mut state, &[Key::Char('2')]);
        press_empty(&mut state, &typed("vaucher"));
        state
    });
}

#[test]
fn help_lists_the_keys() {
    check("help", |columns, rows| {
        let mut state = filled(columns, rows);
        press(&mut state, &[Key::Char('?')]);
        state
    });
}

#[test]
fn a_failure_says_what_to_do() {
    check("failed", |columns, rows| {
        let (mut state, calls) = opened(columns, rows);
        for (ticket, _) in calls {
            let problem = Problem {
                message: "the memory is from a newer version of Nudge".to_owned(),
                next: Some("run `nudge update`".to_owned()),
                is_syntax: false,
            };
            update(&mut state, Message::Answered(ticket, Err(problem)));
        }
        state
    });
}

#[test]
fn no_size_of_terminal_breaks_a_view() {
    for columns in [0, 1, 2, 3, 5, 9, 10, 20, 40, 60, 79, 200] {
        for rows in [0, 1, 2, 3, 4, 5, 6, 10, 17, 18, 60] {
            for place in 0..View::ALL.len() {
                let mut state = filled(columns, rows);
                let tabs = vec![Key::Tab; place];
                press(&mut state, &tabs);
                press(&mut state, &typed("x"));
                drawn(&state, Palette::Colour);
                press(&mut state, &[Key::Enter, Key::End, Key::PageDown, Key::Up]);
                drawn(&state, Palette::Colour);
                press(&mut state, &[Key::F1, Key::Esc]);
                update(&mut state, Message::Resize(rows, columns));
                drawn(&state, Palette::Plain);
            }
        }
    }
}

#[test]
fn a_small_terminal_shows_what_matters() {
    assert_snapshot!("sessions_40x10", shown(&filled(40, 10)));
    let mut state = filled(40, 10);
    press(&mut state, &[Key::Char('3')]);
    assert_snapshot!("review_40x10", shown(&state));
}

#[test]
fn without_colour_nothing_is_coloured_and_the_selection_still_shows() {
    let mut state = filled(80, 24);
    for key in ['1', '3', '4'] {
        press(&mut state, &[Key::Char(key)]);
        let plain = drawn(&state, Palette::Plain);
        assert!(plain.content.iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
        assert!(plain.content.iter().any(|cell| cell.symbol() == "▌"));
        let coloured = drawn(&state, Palette::Colour);
        assert!(coloured.content.iter().any(|cell| cell.fg == Color::Cyan));
    }
}

#[test]
fn stored_text_never_steers_the_terminal() {
    let mut state = filled(120, 40);
    let mut screens = vec![shown(&state)];
    press(&mut state, &[Key::Down, Key::Down]);
    screens.push(shown(&state));
    press(&mut state, &[Key::Char('2')]);
    press(&mut state, &typed("x"));
    press(&mut state, &[Key::Enter]);
    screens.push(shown(&state));
    for screen in &screens {
        let steers = |c: char| c != '\n' && nudge_core::text::steers_terminal(c);
        assert!(!screen.chars().any(steers), "{screen}");
    }
    assert!(screens[0].contains("\\x1b[31m") && screens[2].contains("\\x1b[2J"), "{screens:?}");
}

/// Each answer must match the state that asked for it, so that these screens are what a user sees.
#[test]
fn a_fixture_answers_every_call() {
    let (mut state, first) = opened(80, 24);
    assert_eq!(first.len(), 2);
    assert!(calls(update(&mut state, Message::Key(Key::Char('4')))).len() == 1);
}
