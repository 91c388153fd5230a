//! Why a pattern was rejected, or could not be run.

/// The longest text of a pattern, in characters.
pub const MAX_PATTERN_CHARS: usize = 4096;

/// Why a pattern was rejected, or could not be run over a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// The pattern is longer than [`MAX_PATTERN_CHARS`].
    #[error("the pattern has {chars} characters; the limit is {MAX_PATTERN_CHARS}")]
    TooLong {
        /// How many characters it has.
        chars: usize,
    },
    /// The shape is that of a kind, but the syntax is wrong.
    #[error("`{text}` is not a valid {kind}: {why}")]
    Invalid {
        /// The kind that the shape gave.
        kind: &'static str,
        /// The pattern, cut to a readable length.
        text: String,
        /// What the parser said.
        why: String,
    },
    /// The pattern uses something that no bounded matcher offers.
    #[error("{what} is not supported: matching takes linear time; write the pattern without it")]
    Unsupported {
        /// The construct, such as `lookaround`.
        what: &'static str,
    },
    /// Running the pattern would take too long or too much memory.
    #[error("the {kind} is too costly: {why}; make it more specific")]
    TooCostly {
        /// The kind of the pattern.
        kind: &'static str,
        /// Which bound it crosses.
        why: String,
    },
    /// The body is larger than a query reads.
    #[error("the body has {bytes} bytes; a {kind} reads at most {limit}")]
    BodyTooLarge {
        /// The kind of the pattern.
        kind: &'static str,
        /// The size of the body.
        bytes: usize,
        /// The limit of this kind.
        limit: usize,
    },
}

impl PatternError {
    /// An error about the syntax of `text`.
    pub(super) fn invalid(kind: &'static str, text: &str, why: impl Into<String>) -> Self {
        let short: String = text.chars().take(80).collect();
        Self::Invalid { kind, text: short, why: why.into() }
    }

    /// An error about the work that a pattern would cause.
    pub(super) fn too_costly(kind: &'static str, why: impl Into<String>) -> Self {
        Self::TooCostly { kind, why: why.into() }
    }
}
