//! Projects: which one a directory belongs to, what belongs to one, and who may see and change it.

mod belongs;
mod choose;
mod project_ref;
pub mod resolve;
mod standing;
mod walls;

pub(crate) use belongs::{keys_of, scopes_of};
pub use choose::label;
pub(crate) use choose::{choose, meant};
pub use project_ref::{ProjectRef, Said};
pub use resolve::of_directory;
pub(crate) use standing::{Standing, is_person, may_write_into, place};
pub(crate) use walls::{Walls, closes, says_so};
