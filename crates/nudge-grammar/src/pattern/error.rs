//! Why a pattern was rejected, or could not be run; how deep its brackets nest.

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

// How deep brackets nest, and where one closes, with quoted text left out.

/// The position of the bracket that closes one opened just before `text`.
pub(super) fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if let Some(end) = quote {
            if c == end {
                quote = None;
            }
        } else if c == '"' || c == '\'' {
            quote = Some(c);
        } else if c == open {
            depth += 1;
        } else if c == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// The text with everything between quotes replaced by nothing, so that it can be scanned.
///
/// `escapes` says whether a backslash protects a quote: it does in JSONPath, not in XPath.
pub(super) fn without_quoted(text: &str, escapes: bool) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut quote = None;
    let mut is_escaped = false;
    for c in text.chars() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if escapes && c == '\\' => is_escaped = true,
            Some(end) if c == end => {
                quote = None;
                bare.push(c);
            }
            Some(_) => {}
            None => {
                if c == '"' || c == '\'' {
                    quote = Some(c);
                }
                bare.push(c);
            }
        }
    }
    bare
}

/// The deepest nesting of round and square brackets.
pub(super) fn depth(bare: &str) -> usize {
    let (mut now, mut deepest) = (0usize, 0);
    for c in bare.chars() {
        match c {
            '(' | '[' => {
                now += 1;
                deepest = deepest.max(now);
            }
            ')' | ']' => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}
