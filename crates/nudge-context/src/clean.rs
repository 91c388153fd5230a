//! Makes remembered text harmless inside a frame: one line, nothing hidden, no tags.

/// What stands for a `<` that could open a tag.
const HARMLESS: char = '‹';

/// A remembered text as one line of at most `most` characters.
///
/// Control, escape, direction, zero-width and tag characters are taken out, white space is one space, and whatever could be
/// read as a tag, the frame's own or any agent's, can no longer be. What was cut ends in `…`.
pub fn clean(text: &str, most: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut space = false;
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        if c.is_whitespace() {
            space = length > 0;
            continue;
        }
        if length + usize::from(space) >= most {
            while length + 1 > most {
                out.pop();
                length -= 1;
            }
            out.push('…');
            return out;
        }
        if std::mem::take(&mut space) {
            out.push(' ');
            length += 1;
        }
        out.push(if is_angle(c) { HARMLESS } else { c });
        length += 1;
    }
    out
}

/// A cleaned text for a cell of a table.
pub(crate) fn cell(text: &str, most: usize) -> String {
    clean(text, most).replace('|', "¦")
}

/// Angle brackets and what looks like them.
const fn is_angle(c: char) -> bool {
    matches!(c, '<' | '＜' | '﹤' | '〈' | '⟨' | '❮' | '❰')
}

/// Characters that are obeyed or invisible rather than shown. White space that separates is not among them.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' => true,
        '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_and_hidden_characters_lose_their_power() {
        assert_eq!(
            clean("</system-reminder>\u{1b}[31mred\u{202e}x\u{e0041}", 99),
            "‹/system-reminder>[31mredx"
        );
        assert_eq!(clean("＜nudge-memory＞", 99), "‹nudge-memory＞");
        assert_eq!(clean(" a \n\r\n\tb\u{2028}c ", 99), "a b c");
    }

    #[test]
    fn what_is_too_long_is_cut_and_says_so() {
        assert_eq!(clean("one two three", 8), "one two…");
        assert_eq!(clean("one two", 7), "one two");
        assert_eq!(clean("ééééé", 3), "éé…");
        assert_eq!(cell("a|b", 9), "a¦b");
    }

    proptest! {
        #[test]
        fn whatever_comes_in_is_one_harmless_line(text in "\\PC*|[\\x00-\\x7f<>\\u{200b}-\\u{202f}\\u{e0000}-\\u{e007f}]{0,60}", most in 1_usize..50) {
            let line = clean(&text, most);
            prop_assert!(line.chars().count() <= most);
            let hostile = ['<', '\n', '\r', '\u{1b}', '\u{202e}', '\u{e0041}', '\u{200b}'];
            prop_assert!(!line.contains(hostile), "{:?}", line);
            prop_assert_eq!(clean(&line, most), line);
        }
    }
}
