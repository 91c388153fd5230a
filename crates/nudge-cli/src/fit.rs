//! Fits text into the columns of a terminal.

/// One line of at most `columns` columns; what does not fit is cut and marked with `…`.
///
/// Line breaks and runs of blanks become one blank: a list has one line per thing.
pub(crate) fn one_line(text: &str, columns: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if width(&line) <= columns {
        return line;
    }
    let mut out = String::new();
    let mut used = 1; // the mark
    for c in line.chars() {
        used += char_width(c);
        if used > columns {
            break;
        }
        out.push(c);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    out
}

/// Cuts a value to what is left of a line, or leaves it whole where nothing limits it.
pub(crate) fn cut(text: &str, columns: usize, used: usize) -> String {
    one_line(text, columns.saturating_sub(used).max(12))
}

/// The lines of a paragraph broken between words, each at most `columns` wide where words allow it.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// The columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The columns that a character takes: the wide blocks of East Asian scripts and emoji take two,
/// combining marks none. Enough to keep columns straight; not the whole of Unicode's table.
fn char_width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200d | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff => 2,
        0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(one_line("docker compose build router", 16), "docker compose…");
        assert_eq!(one_line("docker\n  compose", 16), "docker compose");
        assert_eq!(one_line("日本語日本語", 7), "日本語…");
    }

    #[test]
    fn paragraphs_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
