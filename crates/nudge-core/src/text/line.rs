//! Multi-line text put on one line, or wrapped to a width.

use super::cut::cut_to_chars;
use super::width::{char_width, width};

/// Marks a cut.
const CUT: char = '…';

/// The text on one line: line breaks and runs of blanks become one blank.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text on one line of at most `most` characters; a longer text is cut and ends in `…`.
///
/// For text that is stored or sent, where every character counts as one, whatever its width. The
/// mark is exactly where the cut is, even after a blank, as in stored summaries.
pub fn one_line_of_chars(text: &str, most: usize) -> String {
    let line = one_line(text);
    if cut_to_chars(&line, most).is_none() {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.push(CUT);
    cut
}

/// The text on one line of at most `columns` columns; a longer text is cut and ends in `…`.
///
/// For a terminal, where a character may take two columns or none. There is no blank before the
/// mark.
pub fn one_line_of_columns(text: &str, columns: usize) -> String {
    let line = one_line(text);
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
    out.push(CUT);
    out
}

/// The lines of a paragraph, wrapped between words to at most `columns` where words allow it.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(one_line_of_columns("docker compose build router", 16), "docker compose…");
        assert_eq!(one_line_of_columns("docker\n  compose", 16), "docker compose");
        assert_eq!(one_line_of_columns("日本語日本語", 7), "日本語…");
    }

    #[test]
    fn characters_count_alike_and_the_mark_stands_at_the_cut() {
        assert_eq!(one_line_of_chars("docker compose build router", 16), "docker compose …");
        assert_eq!(one_line_of_chars("docker\n  compose", 14), "docker compose");
        assert_eq!(one_line_of_chars("日本語日本語", 5), "日本語日…");
        assert_eq!(one_line_of_chars(" ", 1), "");
    }

    #[test]
    fn paragraphs_break_between_words() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
