//! Limits that keep the work linear on texts that repeat a name over and over.
//!
//! What stands behind a name is read anew for each name. In texts that people and programs write the names stand far enough
//! apart; where they do not, only as much is read as the text is long, a few times over.

use std::cell::Cell;

/// Bytes that may still be read behind names.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    /// Three times the text, and enough for short ones.
    pub(super) fn of(text: &[u8]) -> Self {
        Self(Cell::new(3 * text.len() + 8 * 1024))
    }

    /// Takes so many bytes; whether they were there.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(bytes));
        left >= bytes
    }
}

/// How many names in a row are followed through the sentence behind them.
pub(super) struct Window {
    begins: usize,
    count: usize,
}

impl Window {
    pub(super) const fn new() -> Self {
        Self { begins: 0, count: 0 }
    }

    /// Whether another name at this place is to be followed.
    pub(super) fn admits(&mut self, at: usize) -> bool {
        const BYTES: usize = 240;
        const MOST: usize = 3;
        if at >= self.begins + BYTES {
            (self.begins, self.count) = (at, 0);
        }
        self.count += 1;
        self.count <= MOST
    }
}
