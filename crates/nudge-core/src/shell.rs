//! Command lines taken apart: into words, or into simple commands.
//!
//! [`tokens`] gives the place of every word, as it is written, and follows the shell as closely as
//! the reader can afford. [`commands()`] gives what was run, words without their quotes. Both decide
//! what is kept of a command line, so a change here is a change of what memory holds.

mod commands;
mod document;
mod look;
mod words;

pub use commands::commands;
pub use document::{document_end, document_text};
pub use look::{is_look, looks};
pub use words::{Reading, Token, Tokens, tokens, unquoted};
