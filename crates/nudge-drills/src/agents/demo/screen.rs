//! Lines with the few styles that a recording supports: a program's output, cut to the size of a
//! screen.

/// The size of the screen.
pub(crate) const COLUMNS: usize = 100;
pub(crate) const ROWS: usize = 30;

/// How a piece of text looks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) colour: Option<Colour>,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Blue,
}

impl Style {
    pub(crate) const BOLD: Self = Self { bold: true, dim: false, colour: None };
    pub(crate) const DIM: Self = Self { bold: false, dim: true, colour: None };
    pub(crate) const BRIGHT: Self = Self { bold: false, dim: false, colour: Some(Colour::Yellow) };
    pub(crate) const LABEL: Self = Self { bold: true, dim: false, colour: Some(Colour::Blue) };
    pub(crate) const PROMPT: Self = Self { bold: true, dim: false, colour: Some(Colour::Green) };

    /// Applies the numbers of an SGR sequence. A terminal may give the first colours as indexes
    /// into the table.
    fn apply_sgr(&mut self, codes: &[u8]) {
        match codes {
            [38, 5, colour @ (0..=7), rest @ ..] => {
                self.apply_code(30 + colour);
                self.apply_sgr(rest);
            }
            [38, 5, colour @ (8..=15), rest @ ..] => {
                self.apply_code(82 + colour);
                self.apply_sgr(rest);
            }
            [code, rest @ ..] => {
                self.apply_code(*code);
                self.apply_sgr(rest);
            }
            [] => {}
        }
    }

    const fn apply_code(&mut self, code: u8) {
        match code {
            0 => *self = Self { bold: false, dim: false, colour: None },
            1 => self.bold = true,
            2 => self.dim = true,
            22 => (self.bold, self.dim) = (false, false),
            31 | 91 => self.colour = Some(Colour::Red),
            32 | 92 => self.colour = Some(Colour::Green),
            33 | 93 => self.colour = Some(Colour::Yellow),
            34 | 36 | 94 | 96 => self.colour = Some(Colour::Blue),
            39 => self.colour = None,
            _ => {}
        }
    }
}

/// One line: its pieces, each in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line(Vec<(Style, String)>);

impl Line {
    pub(crate) fn of(style: Style, text: &str) -> Self {
        Self::default().and(style, text)
    }

    pub(crate) fn and(mut self, style: Style, text: &str) -> Self {
        text.chars().for_each(|c| self.push(style, c));
        self
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = (Style, &str)> {
        self.0.iter().map(|(style, text)| (*style, text.as_str()))
    }

    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|(_, text)| text.as_str()).collect()
    }

    fn push(&mut self, style: Style, c: char) {
        match self.0.last_mut() {
            Some((last, text)) if *last == style => text.push(c),
            _ => self.0.push((style, c.to_string())),
        }
    }

    fn styled_chars(&self) -> Vec<(Style, char)> {
        self.0.iter().flat_map(|(style, text)| text.chars().map(|c| (*style, c))).collect()
    }

    fn from_styled_chars(letters: &[(Style, char)]) -> Self {
        let mut line = Self::default();
        letters.iter().for_each(|(style, c)| line.push(*style, *c));
        line
    }

    /// Wraps the line between words; continuation lines are indented by two columns.
    pub(crate) fn wrapped(&self, columns: usize) -> Vec<Self> {
        let mut rest = self.styled_chars();
        let indent = rest.iter().take_while(|(_, c)| *c == ' ').count().min(columns / 2) + 2;
        let mut lines = Vec::new();
        while rest.len() > columns {
            let space = rest[..columns].iter().rposition(|(_, c)| *c == ' ').filter(|at| *at > indent);
            let at = space.unwrap_or(columns);
            lines.push(Self::from_styled_chars(&rest[..at]));
            let from = if space.is_some() { at + 1 } else { at };
            let mut next = vec![(Style::default(), ' '); indent];
            next.extend_from_slice(&rest[from..]);
            rest = next;
        }
        lines.push(Self::from_styled_chars(&rest));
        lines
    }
}

/// The output of a program, line by line.
pub(crate) fn parse(printed: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut style = Style::default();
    for row in printed.lines() {
        let mut line = Line::default();
        let mut rest = row;
        while let Some(at) = rest.find("\u{1b}[") {
            rest[..at].chars().for_each(|c| line.push(style, c));
            let sequence = &rest[at + 2..];
            let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(sequence.len());
            let codes = &sequence[..end];
            if sequence[end..].starts_with('m') {
                let codes: Vec<u8> = codes.split(';').map(|code| code.parse().unwrap_or_default()).collect();
                style.apply_sgr(&codes);
            }
            rest = sequence.get(end + 1..).unwrap_or_default();
        }
        rest.chars().for_each(|c| line.push(style, c));
        lines.push(line);
    }
    lines
}

/// At most `most` lines; a sign replaces the lines left out in the middle.
pub(crate) fn cut(lines: Vec<Line>, most: usize, at_the_end: usize) -> Vec<Line> {
    if lines.len() <= most {
        return lines;
    }
    let head = most.saturating_sub(at_the_end + 1);
    let tail = lines.len() - at_the_end;
    let mut kept = lines[..head].to_vec();
    kept.push(Line::of(Style::DIM, "…"));
    kept.extend_from_slice(&lines[tail..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_read_and_other_sequences_dropped() {
        let lines = parse("\u{1b}[1;32m✔\u{1b}[0m done\u{1b}[2K\n\u{1b}[2mfaint");
        assert_eq!(
            lines[0].pieces().collect::<Vec<_>>(),
            [(Style::PROMPT, "✔"), (Style::default(), " done")]
        );
        assert_eq!(lines[1], Line::of(Style::DIM, "faint"));
        let blue = parse("\u{1b}[1;38;5;6ma\u{1b}[39mb\u{1b}[38;5;14mc");
        assert_eq!(blue[0], Line::of(Style::LABEL, "a").and(Style::BOLD, "b").and(Style::LABEL, "c"));
    }

    #[test]
    fn long_lines_go_on_further_in() {
        let texts = |text: &str| -> Vec<String> {
            Line::of(Style::BOLD, text).wrapped(10).iter().map(Line::text).collect()
        };
        assert_eq!(texts("- one two three four"), ["- one two", "  three", "  four"]);
        assert_eq!(texts("abcdefghijklmno"), ["abcdefghij", "  klmno"]);
        assert_eq!(texts("short"), ["short"]);
    }

    #[test]
    fn what_is_left_out_leaves_a_sign() {
        let all =
            |most, end| -> String { cut(parse("a\nb\nc\nd\ne"), most, end).iter().map(Line::text).collect() };
        assert_eq!((all(5, 1), all(4, 1), all(3, 0)), ("abcde".into(), "ab…e".into(), "ab…".into()));
    }
}
