//! Draws the state. It reads the state and nothing else.

mod canvas;
mod frame;
mod help;
mod list;
mod review;
mod search;
mod sessions;
mod why;

use ratatui::Frame;
use ratatui::layout::Rect;

use super::document;
use super::palette::Palette;
use super::state::{State, View, body_rows};
use canvas::Canvas;

/// Draws the whole screen.
pub(super) fn draw(state: &State, palette: Palette, target: &mut Frame<'_>) {
    let area = target.area();
    let mut canvas = Canvas::new(target.buffer_mut(), palette);
    frame::top(state, &mut canvas, area);
    frame::bottom(state, &mut canvas, area);
    let body = body(area);
    if state.help {
        help::draw(&mut canvas, body);
    } else if state.reader.is_some() {
        reader(state, &mut canvas, body);
    } else {
        match state.view {
            View::Sessions => sessions::draw(state, &mut canvas, body),
            View::Search => {
                let cursor = search::draw(state, &mut canvas, body);
                target.set_cursor_position(cursor);
            }
            View::Review => review::draw(state, &mut canvas, body),
            View::Why => why::draw(state, &mut canvas, body),
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
