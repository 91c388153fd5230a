//! Projects named on the command line, and projects with a disputed name.

use std::path::PathBuf;

use nudge_memory::manage_projects::{ProjectView, ProjectsAnswer};
use nudge_memory::operation::NoParams;
use nudge_memory::recall::ProjectParam;

use crate::context_args::{here, working_directory};
use crate::invocation::Invocation;

/// A project in the form that the memory accepts: a directory as a full path, anything else
/// unchanged.
pub(crate) fn named(said: &str) -> String {
    let dir = PathBuf::from(said);
    let is_dir = dir.is_absolute() || said.starts_with('.') || (said.contains('/') && dir.is_dir());
    let full = if is_dir { working_directory().join(&dir) } else { return said.to_owned() };
    full.canonicalize().unwrap_or(full).to_string_lossy().into_owned()
}

/// The named project, or the one of the working directory.
pub(crate) fn named_or_here(said: Option<String>) -> ProjectParam {
    said.map_or(ProjectParam::Here, |said| ProjectParam::Named(named(&said)))
}

/// The same, or all projects.
pub(crate) fn named_here_or_all(said: Option<String>, all: bool) -> ProjectParam {
    if said.is_none() && all { ProjectParam::All } else { named_or_here(said) }
}

/// Projects with a name that several directories claim; the user must decide.
pub(crate) fn claims(invocation: &Invocation) -> Vec<ProjectView> {
    let answer = invocation.call("list_projects", &NoParams {}, here());
    let listed = answer.and_then(|answer| invocation.typed::<ProjectsAnswer>(&answer));
    let projects = listed.map(|answer| answer.projects).unwrap_or_default();
    projects.into_iter().filter(|project| project.claim.is_some()).collect()
}
