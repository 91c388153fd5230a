//! Operations on projects: list, rename, merge, make private, trust.

mod manage;
mod private;
mod trust;

pub use manage::{
    ListProjects, MergeAnswer, MergeParams, MergeProjects, ProjectAnswer, ProjectView, ProjectsAnswer,
    RenameParams, RenameProject, claim_words,
};
pub use private::{PrivateParams, SetPrivate};
pub use trust::{TrustAnswer, TrustParams, TrustProject};
