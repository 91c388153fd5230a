//! Screens of a terminal with the few styles that a picture supports: a program's output, cut to
//! its size, and drawn.

use std::fmt::Write as _;

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

// Draws the screens of a recording as one picture, each for a few seconds, without a script or an
// embedded font.

/// How long one screen stays, in seconds.
const SECONDS_PER_SCREEN: f64 = 6.0;

/// The font size, the height of a row, and the margin.
const FONT_SIZE: f64 = 14.0;

const ROW_HEIGHT: f64 = 19.0;

const LEFT_MARGIN: f64 = 28.0;

const TOP_MARGIN: f64 = 62.0;

const WIDTH: f64 = 900.0;

/// The picture.
pub(crate) fn draw(title: &str, screens: &[Vec<Line>]) -> String {
    let rows = screens.iter().map(Vec::len).max().unwrap_or_default().clamp(1, ROWS);
    let height = TOP_MARGIN + f64::from(u32::try_from(rows).unwrap_or_default()) * ROW_HEIGHT + 8.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(title)
    );
    svg.push_str(&style(screens.len()));
    let _ = writeln!(
        svg,
        "<rect width=\"{WIDTH}\" height=\"{height}\" rx=\"10\" fill=\"#0d1117\"/>\n<rect width=\"{WIDTH}\" height=\"36\" rx=\"10\" fill=\"#161b22\"/>\n<rect y=\"26\" width=\"{WIDTH}\" height=\"10\" fill=\"#161b22\"/>"
    );
    for (x, colour) in [(20, "#ff5f57"), (40, "#febc2e"), (60, "#28c840")] {
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"18\" r=\"6\" fill=\"{colour}\"/>");
    }
    let _ = writeln!(
        svg,
        "<text class=\"d\" x=\"450\" y=\"23\" text-anchor=\"middle\">{}</text>",
        escaped(title)
    );
    for (number, lines) in screens.iter().enumerate() {
        let _ = writeln!(svg, "<g class=\"s\" id=\"s{number}\">");
        for (row, line) in lines.iter().enumerate() {
            svg.push_str(&row_of(row, line));
        }
        svg.push_str(&progress(number, screens.len()));
        svg.push_str("</g>\n");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Shows the screens in turn; where animation is off, the first one.
fn style(screens: usize) -> String {
    let count = f64::from(u32::try_from(screens).unwrap_or_default()).max(1.0);
    let (whole, share) = (count * SECONDS_PER_SCREEN, 100.0 / count);
    let mut css = format!(
        "<style>text{{font:{FONT_SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#c9d1d9}}.b{{font-weight:700;fill:#f0f6fc}}.d{{fill:#8b949e}}.r{{fill:#ff7b72}}.g{{fill:#56d364}}.y{{fill:#e3b341}}.c{{fill:#79c0ff}}.s{{visibility:hidden;animation:v {whole}s step-end infinite}}#s0{{visibility:visible}}@keyframes v{{0%{{visibility:visible}}{share:.3}%{{visibility:hidden}}}}"
    );
    for number in 0..screens {
        let delay = f64::from(u32::try_from(number).unwrap_or_default()) * SECONDS_PER_SCREEN;
        let _ = write!(css, "#s{number}{{animation-delay:{delay}s}}");
    }
    css.push_str("@media (prefers-reduced-motion:reduce){.s{animation:none}}</style>\n");
    css
}

/// The progress mark at the top right.
fn progress(number: usize, screens: usize) -> String {
    format!(
        "<text class=\"d\" x=\"{}\" y=\"23\" text-anchor=\"end\">{}/{screens}</text>\n",
        WIDTH - 18.0,
        number + 1
    )
}

/// A row. Spaces must keep their width in every viewer, so they are non-breaking.
fn row_of(row: usize, line: &Line) -> String {
    let y = TOP_MARGIN + f64::from(u32::try_from(row).unwrap_or_default()) * ROW_HEIGHT;
    let mut text = String::new();
    for (style, piece) in line.pieces() {
        let words = escaped(piece).replace(' ', "\u{a0}");
        match class(style) {
            class if class.is_empty() => text.push_str(&words),
            class => text.push_str(&format!("<tspan{class}>{words}</tspan>")),
        }
    }
    if text.is_empty() { text } else { format!("<text x=\"{LEFT_MARGIN}\" y=\"{y}\">{text}</text>\n") }
}

fn class(style: Style) -> String {
    let colour = style.colour.map(|colour| match colour {
        Colour::Red => "r",
        Colour::Green => "g",
        Colour::Yellow => "y",
        Colour::Blue => "c",
    });
    let names: Vec<&str> =
        [style.bold.then_some("b"), style.dim.then_some("d"), colour].into_iter().flatten().collect();
    if names.is_empty() { String::new() } else { format!(" class=\"{}\"", names.join(" ")) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::screen::parse;
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

    #[test]
    fn pieces_keep_their_spaces_and_styles() {
        let svg = draw("a & b", &[parse("ab \u{1b}[1m<c>\u{1b}[0m"), parse("second")]);
        assert!(svg.contains("aria-label=\"a &amp; b\""), "{svg}");
        assert!(svg.contains(">ab\u{a0}<tspan class=\"b\">&lt;c&gt;</tspan></text>"), "{svg}");
        assert!(svg.contains("#s1{animation-delay:6s}") && svg.contains("2/2"), "{svg}");
        assert!(!svg.contains("<script") && !svg.contains("url("), "{svg}");
    }
}
