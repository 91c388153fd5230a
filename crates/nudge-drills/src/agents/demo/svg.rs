//! Draws the screens of a recording as one picture, each for a few seconds, without a script or an
//! embedded font.

use std::fmt::Write as _;

use super::screen::{Colour, Line, ROWS, Style};

/// How long one screen stays, in seconds.
const SECONDS: f64 = 6.0;

/// The font size, the height of a row, and the margin.
const SIZE: f64 = 14.0;
const LEADING: f64 = 19.0;
const LEFT: f64 = 28.0;
const TOP: f64 = 62.0;
const WIDTH: f64 = 900.0;

/// The picture.
pub(crate) fn draw(title: &str, screens: &[Vec<Line>]) -> String {
    let rows = screens.iter().map(Vec::len).max().unwrap_or_default().clamp(1, ROWS);
    let height = TOP + f64::from(u32::try_from(rows).unwrap_or_default()) * LEADING + 8.0;
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
    let (whole, share) = (count * SECONDS, 100.0 / count);
    let mut css = format!(
        "<style>text{{font:{SIZE}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#c9d1d9}}.b{{font-weight:700;fill:#f0f6fc}}.d{{fill:#8b949e}}.r{{fill:#ff7b72}}.g{{fill:#56d364}}.y{{fill:#e3b341}}.c{{fill:#79c0ff}}.s{{visibility:hidden;animation:v {whole}s step-end infinite}}#s0{{visibility:visible}}@keyframes v{{0%{{visibility:visible}}{share:.3}%{{visibility:hidden}}}}"
    );
    for number in 0..screens {
        let delay = f64::from(u32::try_from(number).unwrap_or_default()) * SECONDS;
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
    let y = TOP + f64::from(u32::try_from(row).unwrap_or_default()) * LEADING;
    let mut text = String::new();
    for (style, piece) in line.pieces() {
        let words = escaped(piece).replace(' ', "\u{a0}");
        match class(style) {
            class if class.is_empty() => text.push_str(&words),
            class => text.push_str(&format!("<tspan{class}>{words}</tspan>")),
        }
    }
    if text.is_empty() { text } else { format!("<text x=\"{LEFT}\" y=\"{y}\">{text}</text>\n") }
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
    fn pieces_keep_their_spaces_and_styles() {
        let svg = draw("a & b", &[parse("ab \u{1b}[1m<c>\u{1b}[0m"), parse("second")]);
        assert!(svg.contains("aria-label=\"a &amp; b\""), "{svg}");
        assert!(svg.contains(">ab\u{a0}<tspan class=\"b\">&lt;c&gt;</tspan></text>"), "{svg}");
        assert!(svg.contains("#s1{animation-delay:6s}") && svg.contains("2/2"), "{svg}");
        assert!(!svg.contains("<script") && !svg.contains("url("), "{svg}");
    }
}
