//! The width of a text in terminal columns.

use unicode_width::UnicodeWidthChar;

/// The columns of a text: the sum over its characters.
///
/// Unicode gives some sequences, such as joined emoji, a width of their own. It is ignored:
/// terminals do not agree on it, and text is cut between characters, so widths must add up.
pub fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The columns of a character. A control character counts as one; pages spell it out.
pub(super) fn char_width(c: char) -> usize {
    c.width().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        for (text, columns) in [
            ("abc …", 5),
            ("größe", 5),
            ("gro\u{308}ße", 5),
            ("日本語", 6),
            ("ｶﾞ", 2),
            ("👩", 2),
            ("⌚", 2),
            ("\u{1b}", 1),
        ] {
            assert_eq!(width(text), columns, "{text}");
        }
        assert!((0..0x80_u8).all(|byte| char_width(byte.into()) == 1));
    }
}
