//! Statements: who said what, what is in force, and what waits for the user.

mod category;
mod checked;
mod in_force;
mod likeness;
mod listen;
mod make;
mod place;
pub mod proposals;
mod saying;
mod stated_by;
mod stored;
mod view;

pub use category::Category;
pub(crate) use checked::checked_text;
pub use in_force::Origin;
pub(crate) use in_force::{Statement, in_force, proposed, said_once, silenced};
pub use likeness::{STATEMENTS, Similarity};
pub(crate) use listen::listen;
pub(crate) use make::{NewStatement, in_the_same_words, make, retire};
pub(crate) use place::{directory_in, project_to_write};
pub use saying::Saying;
pub(crate) use stated_by::{THE_PERSON, by_program, project_name, speaker, stated_by};
pub use stored::StatementState;
pub(crate) use stored::{Stored, by_id};
pub(crate) use view::contradicted;
pub use view::{Contradicted, StatementView};

/// The longest statement, in characters.
pub(crate) const STATEMENT_MOST: usize = 2_000;
