//! How much an agent takes, and how long it waits.

use std::time::Duration;

/// The most text that an agent passes on whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Counted as JavaScript counts a string: in UTF-16 units.
    Utf16(usize),
    /// Counted in bytes.
    Bytes(usize),
    /// None was found.
    NotFound,
}

impl Limit {
    /// Whether this text passes whole.
    pub fn admits(self, text: &str) -> bool {
        match self {
            // Every UTF-16 unit stands for at least one byte, so short texts need no counting.
            Self::Utf16(most) => text.len() <= most || text.encode_utf16().count() <= most,
            Self::Bytes(most) => text.len() <= most,
            Self::NotFound => true,
        }
    }
}

/// How long an agent waits for a hook before it kills it, when the registration says nothing.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// At most events.
    pub usual: Duration,
    /// At the end of a session, when the program itself wants to go.
    pub session_end: Duration,
}

impl Patience {
    /// The same patience at every event.
    pub const fn millis(usual: u64) -> Self {
        Self { usual: Duration::from_millis(usual), session_end: Duration::from_millis(usual) }
    }

    /// Less patience at the end of a session.
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
