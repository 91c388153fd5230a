//! The start of a text, for a line that shows what it is.

use nudge_context::clean_text;
use nudge_core::text::first_chars;

/// The length of a preview, in characters: enough to judge whether the whole text is worth its
/// cost.
const CHARS: usize = 120;

/// The first 120 characters of a text, on one line, without control characters.
pub(crate) fn preview(text: &str) -> String {
    // Only the start of a long text is cleaned; cleaning removes more than it adds.
    let beginning = first_chars(text, CHARS * 4);
    let mut line = String::with_capacity(CHARS);
    let mut length = 0;
    for word in clean_text(beginning).split_whitespace() {
        let spaced = usize::from(length > 0);
        let room = CHARS.saturating_sub(length + spaced);
        if room == 0 {
            break;
        }
        if spaced > 0 {
            line.push(' ');
        }
        line.push_str(first_chars(word, room));
        length += spaced + word.chars().count().min(room);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_harmless_line_of_120_characters() {
        assert_eq!(preview("cargo test\n\n  --\tall\u{1b}[31m"), "cargo test -- all[31m");
        assert_eq!(preview(&"é".repeat(500)).chars().count(), 120);
        assert_eq!(preview(&"abc ".repeat(100)).chars().count(), 119);
        assert_eq!(preview(""), "");
    }
}
