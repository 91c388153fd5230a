//! Puts styled lines on the screen, inside an area, with the look of each tone.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::tui::styled::{Styled, Tone};

/// The screen that is being drawn.
pub(super) struct Canvas<'b> {
    buffer: &'b mut Buffer,
    palette: Palette,
}

impl<'b> Canvas<'b> {
    pub(super) const fn new(buffer: &'b mut Buffer, palette: Palette) -> Self {
        Self { buffer, palette }
    }

    /// Puts a line at the row of an area, cut to the columns from `x` on. Outside the screen,
    /// nothing is drawn.
    pub(super) fn put(&mut self, area: Rect, x: u16, row: usize, line: &Styled) {
        let area = area.intersection(self.buffer.area);
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        if row >= area.height || x >= area.width {
            return;
        }
        let room = area.width - x;
        let cut = line.clone().cut(usize::from(room));
        self.buffer.set_line(area.x + x, area.y + row, &self.palette.line(&cut), room);
    }

    /// Puts lines below each other, as many as fit.
    pub(super) fn lines<'l>(&mut self, area: Rect, lines: impl Iterator<Item = &'l Styled>) {
        for (row, line) in lines.take(usize::from(area.height)).enumerate() {
            self.put(area, 0, row, line);
        }
    }

    /// A rule across the whole width, with a title.
    pub(super) fn rule(&mut self, area: Rect, row: usize, title: &str) {
        let columns = usize::from(area.width);
        self.put(area, 0, row, &Styled::faint("─".repeat(columns)));
        if !title.is_empty() {
            self.put(
                area,
                2,
                row,
                &Styled::faint(" ")
                    .and(Tone::Faint, title)
                    .and(Tone::Faint, " ")
                    .cut(columns.saturating_sub(4)),
            );
        }
    }
}

/// The terminal's own colours, or only bold and dim.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(in crate::tui) enum Palette {
    Colour,
    Plain,
}

impl Palette {
    pub(in crate::tui) fn line<'l>(self, line: &'l Styled) -> Line<'l> {
        line.pieces().map(|(tone, text)| Span::styled(text, self.style(tone))).collect()
    }

    pub(in crate::tui) fn style(self, tone: Tone) -> Style {
        let style = Style::new();
        let colour = |colour: Color| if self == Self::Colour { style.fg(colour) } else { style };
        match tone {
            Tone::Plain => style,
            Tone::Strong => style.add_modifier(Modifier::BOLD),
            Tone::Faint => style.add_modifier(Modifier::DIM),
            Tone::Accent => colour(Color::Cyan).add_modifier(Modifier::BOLD),
            Tone::Good => colour(Color::Green),
            Tone::Warning => colour(Color::Yellow),
            Tone::Bad => colour(Color::Red),
        }
    }
}
