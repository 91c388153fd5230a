//! How the analyzer classifies characters.

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
