//! How much text an agent accepts, and how long it waits.

use std::time::Duration;

/// The longest text that an agent passes on whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// In UTF-16 units, as JavaScript counts.
    Utf16(usize),
    /// In bytes.
    Bytes(usize),
    /// No limit was found.
    NotFound,
}

impl Limit {
    /// Whether this text is within the limit.
    pub fn admits(self, text: &str) -> bool {
        match self {
            // Every UTF-16 unit takes at least one byte, so short texts need no counting.
            Self::Utf16(most) => text.len() <= most || text.encode_utf16().count() <= most,
            Self::Bytes(most) => text.len() <= most,
            Self::NotFound => true,
        }
    }
}

/// How long an agent waits for a hook before it kills it, if the registration sets no timeout.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HookTimeout {
    /// At most events.
    pub usual: Duration,
    /// At the end of a session, when the program itself is about to exit.
    pub session_end: Duration,
}

impl HookTimeout {
    /// The same timeout at every event.
    pub const fn millis(usual: u64) -> Self {
        Self { usual: Duration::from_millis(usual), session_end: Duration::from_millis(usual) }
    }

    /// Sets a shorter timeout for the end of a session.
    pub const fn with_session_end(self, millis: u64) -> Self {
        Self { session_end: Duration::from_millis(millis), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_counts_units_and_others_bytes() {
        let four_bytes_two_units = "𝄞";
        assert!(Limit::Utf16(2).admits(four_bytes_two_units));
        assert!(!Limit::Utf16(1).admits(four_bytes_two_units));
        assert!(!Limit::Bytes(3).admits(four_bytes_two_units));
        assert!(Limit::NotFound.admits(four_bytes_two_units));
    }
}
