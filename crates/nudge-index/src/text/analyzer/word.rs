//! One word of a text: its text, its position, and how it relates to what was written.

/// The longest word in characters; a longer one (a key, a blob of base64) is cut to its beginning.
pub(super) const LONGEST_WORD: usize = 64;

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
