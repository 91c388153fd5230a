//! What agents write down of a session while it runs, where their hooks tell less.

use nudge_core::event::Outcome;

use crate::{Harness, codex};

/// How one tool call ended, by the id its hooks had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEnd {
    /// The id of the call.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// The calls that ended, in the order of the transcript; later lines on the same call come later.
///
/// The text may be any piece of the file: a line that is cut off at either end, or that says something else, is passed over. Only
/// agents whose hooks do not tell how commands end are read; for the others there is nothing to learn here.
pub fn tool_ends(harness: Harness, text: &str) -> Vec<ToolEnd> {
    match harness {
        Harness::Codex => text.lines().filter_map(codex::tool_end).collect(),
        _ => Vec::new(),
    }
}
