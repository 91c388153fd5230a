//! The steps of an edit, its result and how sure it is, and why it did not fit a body.

use std::fmt;

use crate::pattern::{Pattern, PatternError};

nudge_core::named_enum! {
    /// How well a text was found. Later ones are less sure.
    pub enum MatchQuality {
        /// Byte by byte, in one place (or nothing had to be found).
        Exact => "exact",
        /// Byte by byte in several places; one at the start of a line, or the last, was taken.
        LineStart => "line_start",
        /// White space at the ends of lines, blank lines or escapes differ.
        Whitespace => "whitespace",
        /// The indentation differs, and the replacement was indented like the body.
        Reindented => "reindented",
    }
}

impl MatchQuality {
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

// What is wrong with an edit, and why it did not fit a body.

/// A body whose markers are wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A marker opens and never closes.
    #[error("`{marker}` is not closed: end the block with `{closer}` between white space")]
    Unclosed {
        /// The opener.
        marker: String,
        /// What would close it.
        closer: String,
    },
    /// A SEARCH without a REPLACE right after it.
    #[error("`<<{ident}` needs a `<<REPLACE` block right after it")]
    LoneSearch {
        /// The word of the marker.
        ident: String,
    },
    /// A body that begins like a sed expression and is none.
    #[error("`{0}` looks like `s/old/new/` and is not complete")]
    BrokenSed(String),
    /// A sed expression that cannot be used.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// An edit that does not fit the body. Nothing was changed.
#[derive(Clone, Debug, PartialEq)]
pub struct EditConflict {
    /// The step, from 0.
    pub step: usize,
    /// Its name.
    pub name: &'static str,
    /// Why it did not fit.
    pub reason: ConflictReason,
    /// The beginning of what was searched.
    pub searched: String,
    /// The place of the body that is most like it.
    pub nearest: Option<Nearest>,
}

/// Why a step did not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictReason {
    /// There is no entry to edit.
    NoEntry,
    /// The text is not in the body.
    NotFound,
    /// The pattern could not be run.
    Pattern(PatternError),
    /// Too many steps for a body of this size.
    TooCostly,
}

/// The place of a body that is most like what was searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    /// The line it begins at, from 1.
    pub line: usize,
    /// How alike the two are, from 0 to 1.
    pub similarity: f32,
    /// The lines as they are, cut to a readable length.
    pub text: String,
}

impl fmt::Display for EditConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} ({}): ", self.step + 1, self.name)?;
        match &self.reason {
            ConflictReason::NoEntry => f.write_str("there is no entry to edit")?,
            ConflictReason::NotFound => {
                f.write_str("nothing in the body matches; in plain text, only white space may differ")?;
            }
            ConflictReason::Pattern(error) => write!(f, "{error}")?,
            ConflictReason::TooCostly => {
                f.write_str("too many steps for a body of this size; make fewer at once")?;
            }
        }
        if let Some(nearest) = &self.nearest {
            let percent = (nearest.similarity * 100.0).round();
            write!(f, "; the nearest place is line {} ({percent} % alike)", nearest.line)?;
        }
        Ok(())
    }
}

impl std::error::Error for EditConflict {}

/// One step of an edit.
#[derive(Clone, Debug)]
pub enum EditStep {
    /// The text becomes the whole body.
    Replace(String),
    /// The text is put before the body, on lines of its own.
    Prepend(String),
    /// The text is put after the body, on lines of its own.
    Append(String),
    /// The text is found and removed.
    Delete(String),
    /// One text is found and another takes its place.
    SearchReplace {
        /// What is found. Empty: the replacement is put after the body.
        search: String,
        /// What takes its place.
        replace: String,
    },
    /// A sed expression.
    Substitute(Pattern),
    /// A unified diff, or hunks without line numbers.
    Patch(String),
}

impl EditStep {
    /// The name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Replace(_) => "replace",
            Self::Prepend(_) => "prepend",
            Self::Append(_) => "append",
            Self::Delete(_) => "delete",
            Self::SearchReplace { .. } => "search",
            Self::Substitute(_) => "substitute",
            Self::Patch(_) => "patch",
        }
    }
}
