//! Draws the state. It reads the state and nothing else.

mod canvas;
mod frame;
mod list;
mod search;
mod sessions;

use ratatui::Frame;
use ratatui::layout::Rect;

use canvas::Canvas;

use super::document;
use super::state::{State, View, body_rows};
use crate::tui::keys::HELP;
use crate::tui::styled::{Styled, Tone};

pub(super) use canvas::Palette;

/// Draws the whole screen.
pub(super) fn draw(state: &State, palette: Palette, target: &mut Frame<'_>) {
    let area = target.area();
    let mut canvas = Canvas::new(target.buffer_mut(), palette);
    frame::top(state, &mut canvas, area);
    frame::bottom(state, &mut canvas, area);
    let body = body(area);
    if state.help {
        draw_help(&mut canvas, body);
    } else if state.reader.is_some() {
        reader(state, &mut canvas, body);
    } else {
        match state.view {
            View::Sessions => sessions::draw(state, &mut canvas, body),
            View::Search => {
                let cursor = search::draw(state, &mut canvas, body);
                target.set_cursor_position(cursor);
            }
            View::Review => sessions::draw_review(state, &mut canvas, body),
            View::Why => sessions::draw_why(state, &mut canvas, body),
        }
    }
}

/// The area between the bars, with a free column on each side.
fn body(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        y: area.y + 2,
        width: area.width.saturating_sub(2),
        height: u16::try_from(body_rows(area.height)).unwrap_or_default(),
    }
}

fn reader(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(reader) = &state.reader else { return };
    let lines = document::lines(&reader.document, &state.clock, usize::from(area.width));
    canvas.lines(area, lines.iter().skip(reader.scroll));
}

/// The width of the key column.
const KEY_WIDTH: usize = 16;

/// From this width on, the groups are in two columns.
const TWO_COLUMNS_WIDTH: u16 = 76;

fn draw_help(canvas: &mut Canvas<'_>, area: Rect) {
    if area.width < TWO_COLUMNS_WIDTH {
        return canvas.lines(area, HELP.iter().flat_map(group).collect::<Vec<_>>().iter());
    }
    let half = area.width / 2;
    let (left, right) = HELP.split_at(1);
    canvas.lines(Rect { width: half, ..area }, left.iter().flat_map(group).collect::<Vec<_>>().iter());
    let beside = Rect { x: area.x + half, width: area.width - half, ..area };
    canvas.lines(beside, right.iter().flat_map(group).collect::<Vec<_>>().iter());
}

fn group((title, keys): &(&str, &[(&str, &str)])) -> Vec<Styled> {
    let mut lines = vec![Styled::strong(title)];
    lines.extend(keys.iter().map(|(key, does)| {
        let gap = " ".repeat(KEY_WIDTH.saturating_sub(nudge_core::text::width(key)));
        Styled::plain("  ").and(Tone::Accent, key).and(Tone::Plain, gap).and(Tone::Plain, does)
    }));
    lines.push(Styled::default());
    lines
}
