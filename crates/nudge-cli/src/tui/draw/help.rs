//! The page that lists all keys.

use ratatui::layout::Rect;

use super::canvas::Canvas;
use crate::tui::keys::HELP;
use crate::tui::styled::{Styled, Tone};

/// The width of the key column.
const KEY: usize = 16;

/// From this width on, the groups are in two columns.
const ROOMY: u16 = 76;

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect) {
    if area.width < ROOMY {
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
        let gap = " ".repeat(KEY.saturating_sub(nudge_core::text::width(key)));
        Styled::plain("  ").and(Tone::Accent, key).and(Tone::Plain, gap).and(Tone::Plain, does)
    }));
    lines.push(Styled::default());
    lines
}
