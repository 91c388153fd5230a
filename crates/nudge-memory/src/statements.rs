//! Statements: who said what, what is in force, and what waits for the user.

mod in_force;
mod listen;
mod make;
pub mod proposals;
mod quotes;
mod stated_by;
mod stored;

pub use in_force::{Contradicted, Origin, StatementView};
pub(crate) use in_force::{Statement, contradicted, in_force, proposed, said_once, silenced};
pub(crate) use listen::listen;
pub(crate) use make::{NewStatement, checked_text, in_the_same_words, make, retire};
pub(crate) use quotes::{has_user, mark_heard, quote};
pub use stated_by::project_to_write;
pub(crate) use stated_by::{
    RECORD_CLIENT, THE_PERSON, by_program, directory_in, project_name, speaker, stated_by,
};
pub use stored::{Category, STATEMENT_SIMILARITY, Saying, Similarity, StatementState, is_statement};
pub(crate) use stored::{Stored, by_id};

/// The longest statement, in characters.
pub(crate) const MAX_STATEMENT_CHARS: usize = 2_000;
