//! One word of a text: its letters, folded; signs attached to it; its position and its form.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// The longest word in characters; a longer one (a key, a blob of base64) is cut to its beginning.
pub(super) const MAX_WORD_CHARS: usize = 64;

/// How a word relates to what was written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A part as written, in lower case.
    Part,
    /// The English stem of a part.
    Stem,
    /// A name of several parts, without joiners.
    Whole,
    /// The English stem of a whole name.
    WholeStem,
    /// A part with the sign attached to it: `c++`, or `.net` at the beginning of a word.
    Signed,
    /// A part with the dot before it in the middle of a word: `.net` in `asp.net`. A search for
    /// `.net` finds it; a search for `asp.net` looks for its parts.
    Dotted,
    /// One character of a script without spaces.
    Single,
    /// Two adjacent characters of such a script.
    Pair,
}

/// One word and its position.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Word<'a> {
    /// The text to look up.
    pub(crate) text: &'a str,
    /// Its position among the parts of the text.
    pub(crate) position: u32,
    /// Its form.
    pub(crate) form: Form,
    /// The number of the name it belongs to.
    pub(crate) name: u32,
}

// How the analyzer classifies characters.

/// The role of a character in a word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Letter {
    /// Upper case: may begin a part of a name.
    Upper,
    /// Lower case, or a script that has no case.
    Lower,
    /// A digit of any script.
    Digit,
    /// A character of a script written without spaces between words.
    Dense,
    /// A symbol that is a word of its own.
    Symbol,
    /// Joins the parts of one name: `_`, `-`, `'`.
    Joiner,
    /// Drawn as part of the symbol before it, not a word.
    Silent,
    /// Everything else.
    Gap,
}

/// The class of `c`.
pub(crate) fn letter(c: char) -> Letter {
    match c {
        'a'..='z' => Letter::Lower,
        'A'..='Z' => Letter::Upper,
        '0'..='9' => Letter::Digit,
        '_' | '-' | '\'' | '\u{2019}' | '\u{2010}' | '\u{2011}' => Letter::Joiner,
        _ if c.is_ascii() => Letter::Gap,
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => Letter::Silent,
        _ if is_dense(c) => Letter::Dense,
        // Vowel signs and conjuncts of the Indic scripts; Unicode does not call all of them
        // alphabetic.
        '\u{900}'..='\u{dff}' if !matches!(c, '\u{964}' | '\u{965}') && !c.is_numeric() => Letter::Lower,
        _ if c.is_uppercase() => Letter::Upper,
        _ if c.is_alphabetic() => Letter::Lower,
        _ if c.is_numeric() => Letter::Digit,
        _ if is_symbol(c) => Letter::Symbol,
        _ => Letter::Gap,
    }
}

/// Han, kana, Hangul, Thai, Lao, Myanmar, Khmer, Tibetan: written without spaces, or with words
/// that grow together. Hangul has spaces, but its particles are attached to the word that people
/// search for.
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{f00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{3096}' | '\u{3099}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}'
        | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Emoji, arrows, dingbats, technical signs, flags.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{23ff}' | '\u{2460}'..='\u{24ff}' | '\u{25a0}'..='\u{27bf}'
        | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

// Folding: different spellings of one letter become the same letter. Case is kept, because words
// are split at it.

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

// Signs that belong to a name: `c++`, `c#`, `.net`.

/// A sign attached to a name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// `++` after a name, not followed by a letter or a third `+`.
    Plus,
    /// `#` after a name, with no part of a name after it: `repo#12` is something else.
    Sharp,
    /// A dot at the start of a word, with a letter after it.
    Dot,
    /// A dot with a letter after it anywhere else.
    InnerDot,
}

impl Sign {
    /// The sign that `c` begins, given the character before it and the two after.
    pub(crate) fn read(before: Option<char>, c: char, [next, later]: [Option<char>; 2]) -> Option<Self> {
        match c {
            '+' if next == Some('+') && later != Some('+') && !later.is_some_and(is_letter) => {
                Some(Self::Plus)
            }
            '#' if next != Some('#') && !next.is_some_and(|next| is_letter(next) || is_digit(next)) => {
                Some(Self::Sharp)
            }
            '.' if before != Some('.') && next.is_some_and(is_letter) => {
                Some(if before.is_none_or(opens) { Self::Dot } else { Self::InnerDot })
            }
            _ => None,
        }
    }

    /// As written.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Plus => "++",
            Self::Sharp => "#",
            Self::Dot | Self::InnerDot => ".",
        }
    }

    /// The form of a part with this sign.
    pub(crate) fn form(self) -> Form {
        if self == Self::InnerDot { Form::Dotted } else { Form::Signed }
    }
}

/// Whether a word can begin after this character.
fn opens(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '(' | '[' | '{' | '<' | '"' | '\'' | '`' | '/' | '\\' | ',' | ';' | ':' | '=' | '*' | '|'
        )
}

fn is_letter(c: char) -> bool {
    matches!(letter(c), Letter::Upper | Letter::Lower)
}

fn is_digit(c: char) -> bool {
    letter(c) == Letter::Digit
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
