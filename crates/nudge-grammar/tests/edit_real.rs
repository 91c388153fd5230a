//! Edits that agents made in real work give the files that their own tools made.
//!
//! The transcripts are in `../shared/harness/transcripts`; without them the tests fail.

mod claude;
mod codex;
mod hunks;
mod transcripts;
