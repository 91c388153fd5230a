//! What is to be paused: a session, a project, or everything.

use std::path::PathBuf;

use clap::Args;
use nudge_memory::capture::pause::PauseScope;
use nudge_memory::capture::project;
use nudge_memory::settings;

use crate::context_args::working_directory;

// No doc comment: clap would take it for the summary of the command.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this session of an agent
    #[arg(long, value_name = "ID", conflicts_with = "project")]
    session: Option<String>,
    /// Only this project; without a directory, the one you stand in
    #[arg(long, value_name = "DIR", num_args = 0..=1)]
    project: Option<Option<PathBuf>>,
}

impl ScopeArgs {
    /// What was named; `None` for everything.
    pub(crate) fn scope(self) -> Option<PauseScope> {
        if let Some(session) = self.session {
            return Some(PauseScope::Session { session });
        }
        let here = working_directory();
        let dir = self.project?.map_or_else(|| here.clone(), |dir| here.join(dir));
        let dir = dir.canonicalize().unwrap_or(dir);
        // The name a project gives itself is part of which project it is.
        let named = settings::project_name(&dir);
        let found = project::resolve(Some(&dir), named.as_deref());
        Some(PauseScope::Project { key: found.key, name: found.name })
    }
}
