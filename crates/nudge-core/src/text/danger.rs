//! The list of dangerous characters: those that programs obey, or that nobody sees.
//!
//! Remembered text may come from a hostile file. On a terminal an escape sequence could rewrite the
//! screen and a direction mark could reorder a line; in a prompt a hidden character could carry
//! words that the user never saw. There is one list. The reader of the text decides which part of
//! it counts.

/// What a character does besides being shown.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Harm {
    /// It changes the text direction, has no width, or is a tag. Nobody needs it.
    Steers,
    /// It is invisible, but honest text has it: joiners in emoji and in scripts, selectors of a
    /// character's form, fillers.
    Hides,
    /// It ends a line, and most programs do not show that.
    Breaks,
}

/// Whether an agent should not get the character: programs obey it, or the user would not see it.
///
/// Ordinary white space is not included, nor are the two separators of lines and paragraphs, which
/// callers turn into a space or a line break.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\r' | '\t' => false,
        c => c.is_control() || matches!(harm(c), Some(Harm::Steers | Harm::Hides)),
    }
}

/// Whether a terminal would obey the character instead of showing it.
///
/// Narrower than [`is_hidden`], because a person reads: joiners and selectors stay, so that emoji
/// and scripts look as written. Wider by `\r` and the separators of lines, which would let a text
/// start a line of its own.
pub fn steers_terminal(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        c => c.is_control() || matches!(harm(c), Some(Harm::Steers | Harm::Breaks)),
    }
}

/// The list. It omits control characters: the standard library knows them.
const fn harm(c: char) -> Option<Harm> {
    match c {
        '\0'..='\u{ac}' => None,
        '\u{61c}' | '\u{200b}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => Some(Harm::Steers),
        '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => Some(Harm::Steers),
        '\u{2028}'..='\u{2029}' => Some(Harm::Breaks),
        '\u{ad}' | '\u{34f}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' => Some(Harm::Hides),
        '\u{180b}'..='\u{180f}' | '\u{200c}'..='\u{200d}' | '\u{2061}'..='\u{2065}' => Some(Harm::Hides),
        '\u{206a}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' => Some(Harm::Hides),
        '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' => Some(Harm::Hides),
        '\u{e0080}'..='\u{e0fff}' => Some(Harm::Hides),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    /// The ranges of characters for which `is` is true.
    fn ranges(is: impl Fn(char) -> bool) -> Vec<RangeInclusive<u32>> {
        let mut found: Vec<RangeInclusive<u32>> = Vec::new();
        for c in ('\0'..=char::MAX).filter(|c| is(*c)).map(u32::from) {
            match found.last_mut() {
                Some(last) if *last.end() + 1 == c => *last = *last.start()..=c,
                _ => found.push(c..=c),
            }
        }
        found
    }

    #[test]
    fn agents_get_nothing_that_a_person_would_not_see() {
        assert_eq!(
            ranges(is_hidden),
            [
                0x0..=0x8,
                0xb..=0xc,
                0xe..=0x1f,
                0x7f..=0x9f,
                0xad..=0xad,
                0x34f..=0x34f,
                0x61c..=0x61c,
                0x115f..=0x1160,
                0x17b4..=0x17b5,
                0x180b..=0x180f,
                0x200b..=0x200f,
                0x202a..=0x202e,
                0x2060..=0x206f,
                0x2800..=0x2800,
                0x3164..=0x3164,
                0xfe00..=0xfe0f,
                0xfeff..=0xfeff,
                0xffa0..=0xffa0,
                0xfff0..=0xfffb,
                0x1d173..=0x1d17a,
                0xe0000..=0xe0fff,
            ]
        );
    }

    #[test]
    fn terminals_show_what_they_would_obey() {
        assert_eq!(
            ranges(steers_terminal),
            [
                0x0..=0x8,
                0xb..=0x1f,
                0x7f..=0x9f,
                0x61c..=0x61c,
                0x200b..=0x200b,
                0x200e..=0x200f,
                0x2028..=0x202e,
                0x2060..=0x2060,
                0x2066..=0x2069,
                0xfeff..=0xfeff,
                0xe0000..=0xe007f,
            ]
        );
    }
}
