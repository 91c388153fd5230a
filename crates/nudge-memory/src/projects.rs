//! Projects: which one a directory belongs to, what belongs to one, who may see and change it, and
//! what people do with them.

mod belongs;
mod choose;
mod manage;
mod private;
pub mod resolve;
mod standing;
mod trust;
mod walls;

pub(crate) use belongs::{keys_of, scopes_of};
pub use choose::label;
pub(crate) use choose::meant;
pub use manage::{
    ListProjects, MergeAnswer, MergeParams, MergeProjects, ProjectAnswer, ProjectView, ProjectsAnswer,
    RenameParams, RenameProject, claim_words,
};
pub use private::{PrivateParams, SetPrivate};
pub use resolve::of_directory;
pub(crate) use standing::{Standing, is_person, may_write_into, place};
pub use trust::{TrustAnswer, TrustParams, TrustProject};
pub(crate) use walls::{Walls, closes};
