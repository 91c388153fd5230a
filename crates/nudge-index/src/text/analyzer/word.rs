//! One word of a text: what it says, where it stands, and what it is to what was written.

/// The longest word in characters; of a longer one (a key, a blob of base64) the beginning stands
/// for it.
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
    /// The English stem of that.
    WholeStem,
    /// A part with the sign that is glued to it: `c++`, or `.net` at the beginning of a word.
    Signed,
    /// A part with the dot before it in the middle of a word: `.net` in `asp.net`. Found by who
    /// looks for it; who looks for `asp.net` looks for its parts.
    Dotted,
    /// One character of a script without spaces.
    Single,
    /// Two neighbouring ones.
    Pair,
}

/// One word and where it stands.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Word<'a> {
    /// The text to be looked up.
    pub(crate) text: &'a str,
    /// Its position among the parts of the text.
    pub(crate) position: u32,
    /// What it is.
    pub(crate) form: Form,
    /// Which name of the text it belongs to.
    pub(crate) name: u32,
}
