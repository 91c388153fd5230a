//! What is wrong with an edit, and why it did not fit a body.

use std::fmt;

use crate::pattern::PatternError;

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
