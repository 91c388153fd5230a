//! How a value is written down, which decides how much it takes to be a credential.

/// How a value is written down.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// As data: in quotes, in an environment file, behind a flag, stored under the name.
    Literal,
    /// Without quotes where code or prose may stand: most likely an identifier or a type.
    Bare,
    /// In a sentence that says so.
    Prose,
    /// In the next word, with nothing that says so.
    Adjacent,
}
