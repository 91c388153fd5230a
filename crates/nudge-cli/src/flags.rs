//! Flags and values that several commands share: one spelling, one meaning, one sentence of help.
//!
//! The structs have no doc comments: clap would use one as the summary of the command.

use std::path::PathBuf;

use clap::Args;
use nudge_memory::manage_projects::{ListProjects, ProjectView};
use nudge_memory::operation::NoParams;
use nudge_memory::recall::ProjectParam;

use crate::context_args::{here, working_directory};
use crate::durations;
use crate::invocation::Invocation;

// One project.
#[derive(Debug, Default, Args)]
pub(crate) struct ProjectFlag {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT")]
    pub(crate) project: Option<String>,
}

impl ProjectFlag {
    /// The named project, or the one of the working directory.
    pub(crate) fn param(self) -> ProjectParam {
        project_or_here(self.project)
    }

    /// The named project, if one is named.
    pub(crate) fn named(self) -> Option<String> {
        self.project.map(|said| project_named(&said))
    }
}

// One project, or all of them.
#[derive(Debug, Default, Args)]
pub(crate) struct ProjectsFlags {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    pub(crate) project: Option<String>,
    /// Include all projects
    #[arg(long)]
    pub(crate) all: bool,
}

impl ProjectsFlags {
    /// The named project, the one of the working directory, or all.
    pub(crate) fn param(self) -> ProjectParam {
        project_here_or_all(self.project, self.all)
    }
}

// A period of time, in Unix seconds.
#[derive(Debug, Default, Args)]
pub(crate) struct PeriodFlags {
    /// Only from this time on: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN", alias = "after", value_parser = durations::when)]
    pub(crate) since: Option<i64>,
    /// Only before this time
    #[arg(long, value_name = "WHEN", alias = "before", value_parser = durations::when)]
    pub(crate) until: Option<i64>,
}

// The session that a command works on.
#[derive(Debug, Default, Args)]
pub(crate) struct SessionFlag {
    /// Session id, or the start of it [default: the newest session here]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

// Confirmation without a question.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct YesFlag {
    /// Go ahead without asking
    #[arg(short = 'y', long)]
    pub(crate) yes: bool,
}

// A run without changes.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct DryRunFlag {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

// The run whose view a command reads and changes.
#[derive(Debug, Default, Args)]
pub(crate) struct RunFlag {
    /// Run whose view this is about [default: the project's own view]
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
}

// How a run is followed.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct FollowFlags {
    /// Print the name of the run and return; it goes on in the server
    #[arg(long)]
    pub(crate) detach: bool,
    /// Print only the answer
    #[arg(short, long, conflicts_with = "detach")]
    pub(crate) quiet: bool,
}

// A list of matches without changes.
#[derive(Copy, Clone, Debug, Default, Args)]
pub(crate) struct PreviewFlag {
    /// List what matches, and change nothing
    #[arg(long, alias = "manifest", alias = "dry-run")]
    pub(crate) preview: bool,
}

// Projects named on the command line, and projects with a disputed name.

/// A project in the form that the memory accepts: a directory as a full path, anything else
/// unchanged.
pub(crate) fn project_named(said: &str) -> String {
    let dir = PathBuf::from(said);
    let is_dir = dir.is_absolute() || said.starts_with('.') || (said.contains('/') && dir.is_dir());
    let full = if is_dir { working_directory().join(&dir) } else { return said.to_owned() };
    full.canonicalize().unwrap_or(full).to_string_lossy().into_owned()
}

/// The named project, or the one of the working directory.
pub(crate) fn project_or_here(said: Option<String>) -> ProjectParam {
    said.map_or(ProjectParam::Here, |said| ProjectParam::Named(project_named(&said)))
}

/// The same, or all projects.
pub(crate) fn project_here_or_all(said: Option<String>, all: bool) -> ProjectParam {
    if said.is_none() && all { ProjectParam::All } else { project_or_here(said) }
}

/// Projects with a name that several directories claim; the user must decide.
pub(crate) fn claims(invocation: &Invocation) -> Vec<ProjectView> {
    let answer = invocation.call::<ListProjects>(&NoParams {}, here());
    let listed = answer.and_then(|answer| answer.typed());
    let projects = listed.map(|answer| answer.projects).unwrap_or_default();
    projects.into_iter().filter(|project| project.claim.is_some()).collect()
}
