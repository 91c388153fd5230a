//! Projects: which one a directory belongs to, what belongs to a project, and who may see and
//! change it.

mod belongs;
mod caller_place;
mod choose;
mod hidden_projects;
mod project_ref;
pub mod resolve;

pub(crate) use belongs::{keys_of, scopes_of};
pub(crate) use caller_place::{CallerPlace, is_person, may_write_into, no_place, place};
pub use choose::label;
pub(crate) use choose::{choose, find_project};
pub(crate) use hidden_projects::{HiddenProjects, declares_private, is_hidden_from};
pub use project_ref::{ProjectClaims, ProjectRef};
pub use resolve::of_directory;
