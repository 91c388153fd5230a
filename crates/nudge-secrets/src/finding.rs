//! What the detectors share: what they return, how a value is written, and a limit on their work.

use std::cell::Cell;

/// Replaces a credential.
pub const REDACTED: &str = "[REDACTED]";

/// Where a credential was found, and by which rule.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's stable name, such as `github-token`.
    pub rule: &'static str,
    /// First byte of the credential itself, on a character boundary.
    pub start: usize,
    /// One past its last byte, on a character boundary.
    pub end: usize,
}

// How a value is written, which decides how strong the evidence for a credential must be.

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

// Limits that keep the work linear on texts that repeat a name over and over.
//
// The text after each name is read separately. In texts of people and programs the names are far
// enough apart; elsewhere, at most a few times the length of the text is read.

/// The bytes that may still be read after names.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// Three times the length of the text, with a minimum for short texts.
    pub(super) fn of(text: &[u8]) -> Self {
        Self(Cell::new(3 * text.len() + 8 * 1024))
    }

    /// Takes this many bytes. Returns whether they were available.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(bytes));
        left >= bytes
    }
}

/// Limits how many names in a row are followed through the sentence after them.
pub(super) struct Window {
    begins: usize,
    count: usize,
}

impl Window {
    pub(super) const fn new() -> Self {
        Self { begins: 0, count: 0 }
    }

    /// Whether to follow another name at this position.
    pub(super) fn admits(&mut self, at: usize) -> bool {
        const BYTES: usize = 240;
        const MAX_TIMES: usize = 3;
        if at >= self.begins + BYTES {
            (self.begins, self.count) = (at, 0);
        }
        self.count += 1;
        self.count <= MAX_TIMES
    }
}
