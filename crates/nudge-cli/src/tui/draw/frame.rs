//! The parts of the screen that every view has: the views at the top, status and keys at the
//! bottom.

use nudge_core::text::width;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use crate::pages::words::count;
use crate::tui::document;
use crate::tui::keys::{self, Hint};
use crate::tui::state::{Load, Notice, State, View};
use crate::tui::styled::{Styled, Tone};

/// Below this width, the program's name is hidden to leave room for the views.
const MIN_WIDTH_FOR_NAME: u16 = 60;

/// The gap between two keys.
const KEY_GAP: &str = "  ";

/// The views, with the active one marked by the rule below it, and the project on the right.
pub(super) fn top(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    canvas.put(area, 1, 1, &Styled::faint("─".repeat(usize::from(area.width).saturating_sub(2))));
    let mut x = 1;
    if area.width >= MIN_WIDTH_FOR_NAME {
        canvas.put(area, x, 0, &Styled::strong("nudge"));
        x += 8;
    }
    for (place, view) in View::ALL.into_iter().enumerate() {
        let title = title(state, view);
        let is_active = view == state.view;
        let label = if is_active {
            Styled::of(Tone::Accent, format!("{} {title}", place + 1))
        } else {
            Styled::faint(format!("{} ", place + 1)).and(Tone::Plain, &title)
        };
        canvas.put(area, x, 0, &label);
        let columns = width(&title) + 2;
        if is_active {
            canvas.put(area, x, 1, &Styled::of(Tone::Accent, "━".repeat(columns)));
        }
        let gap = if area.width >= MIN_WIDTH_FOR_NAME { 3 } else { 1 };
        x += u16::try_from(columns).unwrap_or_default() + gap;
    }
    project(state, canvas, area, x);
}

/// The number of proposals is next to the name of their view, whatever view the user is in.
fn title(state: &State, view: View) -> String {
    match (view, state.proposals.rows.len()) {
        (View::Review, waiting @ 1..) => format!("{} ({waiting})", view.name()),
        _ => view.name().to_owned(),
    }
}

fn project(state: &State, canvas: &mut Canvas<'_>, area: Rect, after: u16) {
    let name = if state.all { "all projects" } else { &state.project };
    let room = area.width.saturating_sub(after + 1);
    let name = Styled::plain(name).cut(usize::from(room));
    let columns = u16::try_from(name.width()).unwrap_or(u16::MAX);
    if room > 4 && columns <= room {
        canvas.put(area, area.width - 1 - columns, 0, &name);
    }
}

/// The status, with the keys below it.
pub(super) fn bottom(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let rows = usize::from(area.height);
    if rows < 3 {
        return;
    }
    canvas.put(area, 1, rows - 2, &status(state));
    canvas.put(area, 1, rows - 1, &bar(state, usize::from(area.width).saturating_sub(2)));
}

/// As many whole keys as fit, and always the last one.
fn bar(state: &State, columns: usize) -> Styled {
    let keys = keys::shown(state);
    let Some((last, others)) = keys.split_last() else { return Styled::default() };
    let room = columns.saturating_sub(hint(last).width() + KEY_GAP.len());
    let mut bar = Styled::default();
    for key in others {
        let next = joined(bar.clone(), key);
        if next.width() > room {
            break;
        }
        bar = next;
    }
    joined(bar, last)
}

fn joined(bar: Styled, key: &Hint) -> Styled {
    let gap = if bar.width() == 0 { "" } else { KEY_GAP };
    hint(key).pieces().fold(bar.and(Tone::Plain, gap), |bar, (tone, text)| bar.and(tone, text))
}

fn hint((key, does): &Hint) -> Styled {
    Styled::of(Tone::Accent, key).and(Tone::Faint, format!(" {does}"))
}

fn status(state: &State) -> Styled {
    match &state.notice {
        Some(Notice::Done(text)) => return Styled::of(Tone::Good, "✔ ").and(Tone::Plain, text),
        Some(Notice::Failed(text)) => return Styled::of(Tone::Bad, "error: ").and(Tone::Plain, text),
        None => {}
    }
    if state.help {
        return Styled::default();
    }
    if let Some(reader) = &state.reader {
        return place(
            state,
            document::lines(&reader.document, &state.clock, state.text_columns()).len(),
            reader.scroll,
        );
    }
    if state.opening.is_some() || state.deciding.is_some() {
        return Styled::faint("working…");
    }
    let (load, rows, noun) = match state.view {
        View::Sessions => (&state.sessions.load, state.sessions.rows.len(), "session"),
        View::Search => (&state.search.load, state.search.rows(), "result"),
        View::Review => (&state.proposals.load, state.proposals.rows.len(), "proposal"),
        View::Why => (&state.injections.load, state.injections.rows.len(), "injection"),
    };
    match load {
        Load::Waiting if state.view == View::Search => Styled::faint("searching…"),
        Load::Waiting | Load::Unasked if state.view != View::Search => Styled::faint("loading…"),
        Load::Failed(problem) if problem.is_syntax => {
            Styled::of(Tone::Warning, "query: ").and(Tone::Plain, &problem.message)
        }
        Load::Failed(problem) => Styled::of(Tone::Bad, "error: ").and(Tone::Plain, &problem.message),
        Load::Ready if rows > 0 => found(state, rows, noun),
        _ => Styled::default(),
    }
}

fn found(state: &State, rows: usize, noun: &str) -> Styled {
    let total = count(i64::try_from(rows).unwrap_or(i64::MAX), noun);
    let found = state.search.found.as_ref().filter(|_| state.view == View::Search);
    let more = found.is_some_and(|found| found.more);
    let text = if more { format!("first {total}; more words narrow them") } else { total };
    Styled::faint(text)
}

/// The scroll position in a document.
fn place(state: &State, lines: usize, scroll: usize) -> Styled {
    let end = (scroll + state.body_rows()).min(lines);
    Styled::faint(format!("lines {}–{end} of {lines}", (scroll + 1).min(lines)))
}
