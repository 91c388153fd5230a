//! A page of text for a person, built piece by piece.

use anstyle::{AnsiColor, Style};

use crate::sanitize::{sanitize, sanitize_line};

/// Text with our own colours in it and nobody else's: every piece is neutralised as it is put in.
pub(crate) struct Page {
    text: String,
    columns: usize,
}

impl Page {
    /// An empty page for a terminal of that many columns.
    pub(crate) const fn new(columns: usize) -> Self {
        Self { text: String::new(), columns }
    }

    /// How wide the terminal is.
    pub(crate) const fn columns(&self) -> usize {
        self.columns
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

    /// Adds text that must not look like more than one line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.text.push_str(&sanitize_line(text.as_ref()));
        self
    }

    /// Adds what the eye should find first.
    pub(crate) fn strong(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(Style::new().bold(), text.as_ref())
    }

    /// Adds what may be skipped.
    pub(crate) fn faint(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(Style::new().dimmed(), text.as_ref())
    }

    /// Adds good news.
    pub(crate) fn good(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(AnsiColor::Green.on_default(), text.as_ref())
    }

    /// Adds a warning.
    pub(crate) fn warning(&mut self, text: impl AsRef<str>) -> &mut Self {
        self.painted(AnsiColor::Yellow.on_default(), text.as_ref())
    }

    /// Adds bad news.
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
