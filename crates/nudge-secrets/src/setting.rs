//! How a value is written, which decides how strong the evidence for a credential must be.

/// How a value is written.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// As data: in quotes, in an environment file, after a flag, stored under the name.
    Literal,
    /// Without quotes, where code or prose is possible: most likely an identifier or a type.
    Bare,
    /// In a sentence that states it.
    Prose,
    /// In the next word, with nothing that states it.
    Adjacent,
}
