//! The text that users see: a page, and the layout of each kind of thing on it.

pub(crate) mod diff;
pub(crate) mod entry;
pub(crate) mod hint;
pub(crate) mod metadata;
pub(crate) mod recall;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod time;
pub(crate) mod words;

use anstyle::{AnsiColor, Style};
use nudge_memory::statements::proposals::{ProposalNote, State};

use crate::sanitize::{sanitize, sanitize_line};

/// Text with our own colours only: every piece is sanitised as it is added.
pub(crate) struct Page {
    text: String,
    columns: usize,
}

impl Page {
    /// An empty page for a terminal of that many columns.
    pub(crate) const fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    /// The width of the terminal.
    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// At most that many columns for a text that shares its line. In a pipe nothing is cut, so
    /// there is no limit.
    pub(crate) const fn at_most(&self, columns: usize) -> usize {
        if self.columns == usize::MAX { usize::MAX } else { columns }
    }

    /// The page as text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Adds plain text.
    pub(crate) fn text(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.text.push_str(&sanitize(text.as_ref()));
        self
    }

    /// Adds text as a single line; newlines are spelled out.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.text.push_str(&sanitize_line(text.as_ref()));
        self
    }

    /// Adds text that stands out.
    pub(crate) fn strong(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(Style::new().bold(), text.as_ref())
    }

    /// Adds less important text.
    pub(crate) fn faint(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(Style::new().dimmed(), text.as_ref())
    }

    /// Adds text in the colour of success.
    pub(crate) fn good(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(AnsiColor::Green.on_default(), text.as_ref())
    }

    /// Adds a warning.
    pub(crate) fn warning(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(AnsiColor::Yellow.on_default(), text.as_ref())
    }

    /// Adds text in the colour of failure.
    pub(crate) fn bad(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(AnsiColor::Red.on_default().bold(), text.as_ref())
    }

    /// Ends the line.
    pub(crate) fn end(&mut self) -> &mut Self {
        self.text.push('\n');
        self
    }

    fn painted(&mut self, style: Style, text: &str) -> &mut Self {
        self.text.push_str(&format!("{style}{}{style:#}", sanitize(text)));
        self
    }
}

/// Says that nothing changed, why, and who decides.
pub(crate) fn proposal_note(page: &mut Page, note: &ProposalNote) {
    match (note.state, note.id) {
        (State::Waiting, Some(id)) => page.warning("proposed").text(format!(" as {id}: ")),
        _ => page.warning("not changed").text(": "),
    };
    page.text(&note.why).end();
    page.text("  ").text(&note.next).end();
}
