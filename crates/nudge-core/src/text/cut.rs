//! The beginning of a text, in characters or in bytes; never half a character.

/// The first `most` characters of a text, or all of it.
pub fn first_chars(text: &str, most: usize) -> &str {
    cut_to_chars(text, most).unwrap_or(text)
}

/// The first `most` characters of a longer text; `None` if nothing needs to be cut.
///
/// For callers that mark a cut or count the rest; others use [`first_chars`].
pub fn cut_to_chars(text: &str, most: usize) -> Option<&str> {
    text.char_indices().nth(most).map(|(end, _)| &text[..end])
}

/// As much of the beginning of a text as fits into `most` bytes.
///
/// For limits on work and space. For limits that users see, use [`first_chars`].
pub fn first_bytes(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The first characters of a text; control characters are dropped and not counted.
///
/// For a caller's word that a message repeats: it stays short and on its line.
pub fn without_controls(text: &str, most: usize) -> String {
    text.chars().filter(|c| !c.is_control()).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_never_halved() {
        assert_eq!([0, 1, 2, 3, 9].map(|most| first_chars("äöü", most)), ["", "ä", "äö", "äöü", "äöü"]);
        assert_eq!([2, 3].map(|most| cut_to_chars("äöü", most)), [Some("äö"), None]);
        assert_eq!(cut_to_chars("", 0), None);
        assert_eq!([0, 1, 2, 3, 9].map(|most| first_bytes("äöü", most)), ["", "", "ä", "ä", "äöü"]);
    }

    #[test]
    fn control_characters_do_not_count() {
        assert_eq!(without_controls("a\u{1b}[31m\nb\u{9b}c", 6), "a[31mb");
        assert_eq!(without_controls("\r\n", 6), "");
    }
}
