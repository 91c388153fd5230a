//! Projects: which one a directory belongs to, and what people do with them.

mod manage;
pub mod resolve;

pub use manage::{
    ListProjects, MergeAnswer, MergeParams, MergeProjects, ProjectAnswer, ProjectView, ProjectsAnswer,
    RenameParams, RenameProject,
};
pub(crate) use manage::{is_by_name, keys_of, meant};
