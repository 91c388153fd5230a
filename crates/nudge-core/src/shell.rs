//! Command lines split into words, or into simple commands.
//!
//! [`tokens`] returns the position of every word, as written, and follows the shell as closely as
//! the caller needs. [`commands()`] returns what was run, as words without their quotes. Both
//! decide what is stored of a command line, so a change here changes what memory contains.

mod commands;
mod document;
mod look;
mod words;

pub use commands::commands;
pub use document::{document_end, document_text};
pub use look::{is_read_only, is_read_only_command};
pub use words::{Reading, Token, Tokens, tokens, unquoted};
