//! A list in columns with one selected row, and details of that row below it.

use ratatui::layout::Rect;

use super::canvas::Canvas;
use crate::tui::message::Problem;
use crate::tui::state::Load;
use crate::tui::styled::{Styled, Tone};

/// The columns before a row: the mark of the selected row and a space.
const MARK_WIDTH: u16 = 2;

/// The spaces between two columns.
const COLUMN_GAP: u16 = 2;

/// With fewer rows than this, the list is drawn alone: two lines of details would not help.
const DETAILS_MIN_HEIGHT: u16 = 14;

/// One column: its heading and its width on the screen. The last column takes the rest.
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) width: u16,
}

impl Column {
    pub(super) const fn new(title: &'static str, width: u16) -> Self {
        Self { title, width }
    }
}

/// A table that is drawn row by row, so that only visible rows are built.
pub(super) struct Table<'t> {
    pub(super) columns: &'t [Column],
    pub(super) count: usize,
    pub(super) cursor: usize,
}

impl Table<'_> {
    /// Draws the headings and the rows around the selected one.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect, row: impl Fn(usize) -> Vec<Styled>) {
        let headings = self.columns.iter().map(|column| Styled::faint(column.title)).collect();
        self.put(canvas, area, 0, headings);
        let visible = usize::from(area.height).saturating_sub(1);
        let first = first_visible(self.count, self.cursor, visible);
        for (line, index) in (first..self.count).take(visible).enumerate() {
            if index == self.cursor {
                canvas.put(area, 0, line + 1, &Styled::of(Tone::Accent, "▌"));
            }
            let mut cells = row(index);
            if index == self.cursor
                && let Some(last) = cells.last_mut()
            {
                *last = emphasised(last);
            }
            self.put(canvas, area, line + 1, cells);
        }
    }

    /// Each cell starts where its column starts, however wide the cells before it are.
    fn put(&self, canvas: &mut Canvas<'_>, area: Rect, line: usize, cells: Vec<Styled>) {
        let mut x = MARK_WIDTH;
        for (place, (column, cell)) in self.columns.iter().zip(cells).enumerate() {
            let is_last = place + 1 == self.columns.len();
            let width = if is_last { area.width.saturating_sub(x) } else { column.width };
            canvas.put(area, x, line, &cell.cut(usize::from(width)));
            x += width + COLUMN_GAP;
        }
    }
}

/// The plain pieces of the selected row, in bold.
fn emphasised(cell: &Styled) -> Styled {
    cell.pieces().fold(Styled::default(), |line, (tone, text)| {
        line.and(if tone == Tone::Plain { Tone::Strong } else { tone }, text)
    })
}

/// The first row to draw. The selected row stays in the middle if there are rows above and below.
fn first_visible(count: usize, cursor: usize, visible: usize) -> usize {
    cursor.saturating_sub(visible / 2).min(count.saturating_sub(visible))
}

/// The area of the list, and the area of the details below it if both fit.
pub(super) fn split(area: Rect, rows: usize) -> (Rect, Option<Rect>) {
    if area.height < DETAILS_MIN_HEIGHT {
        return (area, None);
    }
    // Headings and rows, at most half of the screen. A short list leaves more room for the details.
    let wanted = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(2);
    let height = wanted.min(area.height / 2).max(4);
    let list = Rect { height, ..area };
    let details = Rect { y: area.y + height, height: area.height - height, ..area };
    (list, Some(details))
}

/// Draws a title and lines below it.
pub(super) fn details(canvas: &mut Canvas<'_>, area: Option<Rect>, title: &str, lines: &[Styled]) {
    let Some(area) = area else { return };
    canvas.rule(area, 0, title);
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    canvas.lines(below, lines.iter());
}

/// Replaces the rows: why there are none and what to do. Empty while the list is loading.
pub(super) fn empty(canvas: &mut Canvas<'_>, area: Rect, load: &Load, title: &str, next: &[&str]) {
    let (title, next): (Styled, Vec<&str>) = match load {
        Load::Ready => (Styled::strong(title), next.to_vec()),
        Load::Failed(Problem { message, next, .. }) => {
            (Styled::of(Tone::Bad, message), next.as_deref().into_iter().collect())
        }
        Load::Waiting | Load::Unasked => return,
    };
    let columns = usize::from(area.width).saturating_sub(4);
    let mut lines = title.wrapped(columns, 0);
    lines.push(Styled::default());
    lines.extend(next.iter().flat_map(|line| Styled::plain(line).wrapped(columns, 0)));
    let top = usize::from(area.height).saturating_sub(lines.len()) / 3;
    for (row, line) in lines.iter().enumerate() {
        canvas.put(area, 2, top + row, line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_row_is_always_visible() {
        for count in 0..40 {
            for visible in 1..12 {
                for cursor in 0..count {
                    let first = first_visible(count, cursor, visible);
                    assert!(first <= cursor && cursor < first + visible, "{count} {cursor} {visible}");
                }
            }
        }
    }
}
