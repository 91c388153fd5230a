//! The look of each tone.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::styled::{Styled, Tone};

/// The terminal's own colours, or only bold and dim.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Palette {
    Colour,
    Plain,
}

impl Palette {
    pub(super) fn line<'l>(self, line: &'l Styled) -> Line<'l> {
        line.pieces().map(|(tone, text)| Span::styled(text, self.style(tone))).collect()
    }

    pub(super) fn style(self, tone: Tone) -> Style {
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
