//! Folding: different spellings of one letter become the same letter. Case is kept, because words
//! are split at it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// `text` with compatibility forms resolved (`Ｒ` is `R`, `ﬁ` is `fi`) and without the accents of
/// Latin, Greek and Cyrillic. Signs that turn a letter into another syllable (Japanese, Hangul,
/// Indic, Thai) stay.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkd().filter(|&c| !is_accent(c)).nfc() {
        match spelled(c) {
            Some(letters) => folded.push_str(letters),
            None => folded.push(c),
        }
    }
    Cow::Owned(folded)
}

/// Pushes `c` in lower case. A Greek sigma has one form, at any position in the word.
pub(crate) fn push_lower(c: char, into: &mut String) {
    if c.is_ascii() {
        into.push(c.to_ascii_lowercase());
    } else if c == 'ς' {
        into.push('σ');
    } else {
        into.extend(c.to_lowercase().filter(|&c| !is_accent(c)));
    }
}

fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// Letters that have no decomposition in Unicode and are typed as others on most keyboards.
fn spelled(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ø' => "o",
        'Ø' => "O",
        'ł' => "l",
        'Ł' => "L",
        'đ' => "d",
        'Đ' => "D",
        'ı' => "i",
        'þ' => "th",
        'Þ' => "TH",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_forms_fold_both_ways() {
        assert_eq!(fold("Café naïve Ａ Größe Łódź"), "Cafe naive A Grosse Lodz");
        assert_eq!(fold("e\u{301}"), fold("é"));
    }

    #[test]
    fn syllables_keep_their_signs() {
        assert_eq!(fold("がぎ 한국어 กำ").as_ref(), "がぎ 한국어 ก\u{e4d}\u{e32}");
    }
}
