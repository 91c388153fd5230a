//! Projects: which one a directory belongs to, what belongs to a project, and who may see and
//! change it.

mod caller_place;
mod choose;
pub mod resolve;

pub use caller_place::{CallerPlace, is_person};
pub(crate) use caller_place::{
    HiddenProjects, declares_private, is_hidden_from, keys_of, may_write_into, no_place, place, scopes_of,
};
pub use choose::label;
pub(crate) use choose::{choose, find_project};
pub use resolve::{ProjectClaims, ProjectRef, of_directory};
