//! One step of an edit.

use crate::pattern::Pattern;

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
