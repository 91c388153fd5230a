//! The result of an edit, and how sure it is.

use std::fmt;

/// How well a text was found. Later ones are less sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchQuality {
    /// Byte by byte, in one place (or nothing had to be found).
    Exact,
    /// Byte by byte in several places; one at the start of a line, or the last, was taken.
    LineStart,
    /// White space at the ends of lines, blank lines or escapes differ.
    Whitespace,
    /// The indentation differs, and the replacement was indented like the body.
    Reindented,
}

impl MatchQuality {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::LineStart => "line_start",
            Self::Whitespace => "whitespace",
            Self::Reindented => "reindented",
        }
    }

    /// How sure the place is, from 0 to 1: 1.0, 0.9, 0.8 and 0.6. An order, not a probability.
    pub fn sureness(self) -> f32 {
        match self {
            Self::Exact => 1.0,
            Self::LineStart => 0.9,
            Self::Whitespace => 0.8,
            Self::Reindented => 0.6,
        }
    }
}

/// The body after an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct Edited {
    /// The new body.
    pub body: String,
    /// The worst of all steps.
    pub matched: MatchQuality,
    /// What the writer should know.
    pub warnings: Vec<EditWarning>,
}

/// Something that was guessed. Steps count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditWarning {
    /// The text occurs several times.
    Ambiguous {
        /// The step.
        step: usize,
        /// How often it occurs.
        count: usize,
        /// The line of the one that was edited, from 1.
        line: usize,
    },
    /// The text was found only without the backslashes in it.
    Unescaped {
        /// The step.
        step: usize,
    },
    /// The text was found only with other white space.
    Whitespace {
        /// The step.
        step: usize,
    },
    /// The replacement was indented like the body.
    Reindented {
        /// The step.
        step: usize,
    },
    /// Text outside the markers was left out.
    Outside,
}

impl fmt::Display for EditWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ambiguous { step, count, line } => {
                write!(f, "step {}: the text occurs {count} times; line {line} was edited", step + 1)
            }
            Self::Unescaped { step } => {
                write!(f, "step {}: the text was found without its backslashes", step + 1)
            }
            Self::Whitespace { step } => {
                write!(f, "step {}: the text was found with other white space", step + 1)
            }
            Self::Reindented { step } => {
                write!(f, "step {}: the replacement was indented like the body", step + 1)
            }
            Self::Outside => f.write_str("text outside the markers was left out"),
        }
    }
}
