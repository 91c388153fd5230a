//! The grammar of the six verbs over entries: patterns, edits, and the tags that models write.
//!
//! Nothing here does I/O. Text comes in; matches, edited bodies and calls come out, with what was
//! recovered on the way.

pub mod edit;
pub mod pattern;
mod tags;

pub use edit::{Edit, EditConflict, EditError, EditStep, apply_patch, unified_diff};
pub use pattern::{Pattern, PatternError, PatternKind};
pub use tags::{Call, Parsed, TagLimits, TagWarning, Tool, WarningKind, parse_tags};
