//! Lines of text in tones. All text from the memory goes to the screen through here: every piece is
//! sanitised as it is added.

use nudge_core::text;

use crate::sanitize::sanitize_line;

/// The meaning of a piece of text. The palette decides its look.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Faint,
    /// A key, the selected row's mark, the active view.
    Accent,
    Good,
    Warning,
    Bad,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Styled(Vec<(Tone, String)>);

impl Styled {
    /// A line in one tone.
    pub(super) fn of(tone: Tone, text: impl AsRef<str>) -> Self {
        Self::default().and(tone, text)
    }

    pub(super) fn plain(text: impl AsRef<str>) -> Self {
        Self::of(Tone::Plain, text)
    }

    pub(super) fn faint(text: impl AsRef<str>) -> Self {
        Self::of(Tone::Faint, text)
    }

    pub(super) fn strong(text: impl AsRef<str>) -> Self {
        Self::of(Tone::Strong, text)
    }

    /// Adds a piece. Control characters and direction marks are spelled out; a tab becomes two
    /// spaces.
    #[must_use]
    pub(super) fn and(mut self, tone: Tone, text: impl AsRef<str>) -> Self {
        let text = sanitize_line(text.as_ref()).replace('\t', "  ");
        if !text.is_empty() {
            self.0.push((tone, text));
        }
        self
    }

    pub(super) fn pieces(&self) -> impl Iterator<Item = (Tone, &str)> {
        self.0.iter().map(|(tone, text)| (*tone, text.as_str()))
    }

    /// Its width in columns. It can be a few columns too high if characters join.
    pub(super) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text::width(text)).sum()
    }

    /// The same text, cut to the columns and marked with `…`.
    #[must_use]
    pub(super) fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut cut = Self::default();
        let mut left = columns.saturating_sub(1);
        for (tone, text) in self.0 {
            let (fits, rest) = if left == 0 { ("", text.as_str()) } else { split_at_columns(&text, left) };
            left = left.saturating_sub(text::width(fits));
            cut.0.push((tone, fits.to_owned()));
            if !rest.is_empty() {
                cut.0.push((tone, "…".to_owned()));
                break;
            }
        }
        cut
    }

    /// The line, wrapped to as many lines as it needs. All but the first are indented.
    pub(super) fn wrapped(&self, columns: usize, indent: usize) -> Vec<Self> {
        let columns = columns.max(8);
        let indent = indent.min(columns / 2);
        let mut lines = Vec::new();
        let mut line = Line { styled: Self::default(), used: 0, start: 0 };
        for (tone, text) in &self.0 {
            for word in words(text) {
                line.add(*tone, word, columns, indent, &mut lines);
            }
        }
        lines.push(line.styled);
        lines
    }
}

/// A line that is being filled.
struct Line {
    styled: Styled,
    used: usize,
    /// The column where its text starts.
    start: usize,
}

impl Line {
    fn add(&mut self, tone: Tone, word: &str, columns: usize, indent: usize, done: &mut Vec<Styled>) {
        let mut rest = word;
        if self.used > self.start && self.used + text::width(word.trim_end()) > columns {
            self.next(indent, done);
            rest = word.trim_start();
        }
        // A word that is wider than the line is split.
        while self.used + text::width(rest.trim_end()) > columns {
            let (fits, after) = split_at_columns(rest, columns - self.used);
            self.styled.0.push((tone, fits.to_owned()));
            self.next(indent, done);
            rest = after;
        }
        self.used += text::width(rest);
        self.styled.0.push((tone, rest.to_owned()));
    }

    fn next(&mut self, indent: usize, done: &mut Vec<Styled>) {
        let mut line = std::mem::take(&mut self.styled);
        // Remove the space at the break: it would count as a column too many.
        if let Some((_, last)) = line.0.last_mut() {
            last.truncate(last.trim_end().len());
        }
        done.push(line);
        self.styled.0.push((Tone::Plain, " ".repeat(indent)));
        self.used = indent;
        self.start = indent;
    }
}

/// The words of a text, each with the spaces after it.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ')
}

/// Splits at this many columns. At least one character goes before the split, so that a loop ends.
fn split_at_columns(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += text::width(c.encode_utf8(&mut [0; 4]));
        if used > columns && at > 0 {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// The width of a name and the spaces after it.
const NAME_WIDTH: usize = 10;

/// A field, on as many lines as its text needs.
pub(super) fn field(name: &str, tone: Tone, text: &str, columns: usize) -> Vec<Styled> {
    Styled::faint(format!("{name:<NAME_WIDTH$}")).and(tone, text.trim()).wrapped(columns, NAME_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Styled]) -> Vec<String> {
        lines.iter().map(|line| line.pieces().map(|(_, text)| text).collect()).collect()
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let line = Styled::plain("a\u{1b}[31m\u{202e}b\tc\nd");
        assert_eq!(texts(&[line]), ["a\\x1b[31m\\u{202e}b  c\\nd"]);
    }

    #[test]
    fn lines_are_cut_by_columns() {
        let line = |text: &str, columns| texts(&[Styled::strong(text).cut(columns)]).remove(0);
        assert_eq!(line("docker compose", 8), "docker …");
        assert_eq!(line("日本語", 6), "日本語");
        assert_eq!(line("日本語", 5), "日本…");
        assert_eq!(line("short", 9), "short");
    }

    #[test]
    fn lines_wrap_between_words_and_keep_their_tones() {
        let line = Styled::faint("why: ").and(Tone::Plain, "one two three four");
        let wrapped = line.wrapped(12, 5);
        assert_eq!(texts(&wrapped), ["why: one two", "     three", "     four"]);
        assert_eq!(wrapped[0].pieces().next(), Some((Tone::Faint, "why: ")));
        assert!(wrapped.iter().all(|line| line.width() <= 12));
        assert_eq!(texts(&Styled::plain("abcdefghijklm").wrapped(8, 0)), ["abcdefgh", "ijklm"]);
        assert_eq!(texts(&Styled::plain("日本語日本語").wrapped(9, 2)), ["日本語日", "  本語"]);
        assert_eq!(texts(&Styled::default().wrapped(9, 2)), [""]);
    }
}
