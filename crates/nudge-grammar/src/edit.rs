//! Edits: what the body of a `set` does to an entry.
//!
//! A body is one or more blocks `<<IDENT … IDENT`, where IDENT is a capital letter followed by
//! letters, digits and `_`. The first letters of IDENT are the operation; the rest is free, so that
//! a body that holds the word can use another: `<<SEARCH1 … SEARCH1`. `NEWS` therefore means NEW,
//! and `SEARCHING` means SEARCH.
//!
//! | IDENT begins with | effect |
//! |---|---|
//! | `NEW`, `REPLACE`, any other word | the content becomes the body |
//! | `PREPEND`, `APPEND` | the content is added before or after |
//! | `DELETE` | the content is found and removed |
//! | `SEARCH`, then `REPLACE` | the first content is found and the second takes its place |
//!
//! The content is what stands between the markers without the white space next to them, so that
//! `<<NEW a NEW` and the form over three lines are equal. A body without markers is the new body.
//!
//! Edits in older forms are read too: `<<<<<<< SEARCH`, unified diffs, JSON with `search` and
//! `replace`, and sed expressions.

mod apply;
mod locate;
mod markers;
mod outcome;
mod patch;

#[cfg(test)]
mod tests;

pub use outcome::{
    ConflictReason, EditConflict, EditError, EditStep, EditWarning, Edited, MatchQuality, Nearest,
};
pub use patch::{PatchError, apply_patch, unified_diff};

/// What a body does: steps that apply in order, each to the result of the one before.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The steps; at least one.
    pub steps: Vec<EditStep>,
    /// Whether the body was written in markers or an older form. If not, it is the new body as it
    /// is, byte by byte.
    pub is_marked: bool,
    /// Whether there was text outside the markers, which is not part of the edit.
    pub has_outside: bool,
}

impl Edit {
    /// Reads the body of a `set`.
    pub fn parse(body: &str) -> Result<Self, EditError> {
        if let Some(marked) = markers::parse(body)? {
            return Ok(Self { steps: marked.steps, is_marked: true, has_outside: marked.has_outside });
        }
        if let Some(steps) = markers::parse_older(body)? {
            return Ok(Self { steps, is_marked: true, has_outside: false });
        }
        let steps = vec![EditStep::Replace(body.to_owned())];
        Ok(Self { steps, is_marked: false, has_outside: false })
    }

    /// The edit that makes a text the new body, as it is.
    pub fn replacing(body: &str) -> Self {
        let steps = vec![EditStep::Replace(body.to_owned())];
        Self { steps, is_marked: false, has_outside: false }
    }

    /// The edit that puts a text after the body, as it is.
    pub fn appending(text: &str) -> Self {
        let steps = vec![EditStep::Append(text.to_owned())];
        Self { steps, is_marked: false, has_outside: false }
    }

    /// The text of an edit that does nothing but put it after the body, and whether it goes on
    /// lines of its own.
    pub fn appended(&self) -> Option<(&str, bool)> {
        match self.steps.as_slice() {
            [EditStep::Append(text)] => Some((text, self.is_marked)),
            _ => None,
        }
    }

    /// Whether the result depends on the body that is there now.
    pub fn needs_current(&self) -> bool {
        !matches!(self.steps.first(), Some(EditStep::Replace(_)))
    }

    /// The body after all steps. `current` is `None` when there is no entry.
    ///
    /// Nothing is half done: one step that finds no place fails the whole edit.
    pub fn apply(&self, current: Option<&str>) -> Result<Edited, EditConflict> {
        if let Some((text, false)) = self.appended() {
            let body = format!("{}{text}", current.unwrap_or_default());
            return Ok(Edited { body, matched: MatchQuality::Exact, warnings: Vec::new() });
        }
        apply::apply(self.steps.as_slice(), apply::Manner::of(self.is_marked, self.has_outside), current)
    }
}
