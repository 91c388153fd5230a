//! What is to be paused: a session, a project, or everything.

use std::path::Path;

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_home::surroundings;
use nudge_memory::capture::pause::PauseScope;
use nudge_memory::manage_projects::{ProjectView, ProjectsAnswer};
use nudge_memory::operation::NoParams;
use nudge_memory::projects;
use nudge_memory::recall::{SessionTraceAnswer, SessionTraceParams};

use crate::context_args::working_directory;
use crate::invocation::Invocation;
use crate::projects::named;

// No doc comment: clap would take it for the summary of the command.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this session of an agent
    #[arg(long, value_name = "ID", conflicts_with = "project")]
    session: Option<String>,
    /// Only this project: its directory, id or name [default: where you are]
    #[arg(long, value_name = "PROJECT", num_args = 0..=1)]
    project: Option<Option<String>>,
}

impl ScopeArgs {
    /// What was named, a project once for each place it was found in; `None` for everything.
    pub(crate) fn scopes(self, invocation: &Invocation) -> Result<Option<Vec<PauseScope>>, Fault> {
        if let Some(said) = self.session {
            let session = session(invocation, said)?;
            return Ok(Some(vec![PauseScope::Session { session }]));
        }
        let Some(said) = self.project else { return Ok(None) };
        let known = invocation
            .call("list_projects", &NoParams {}, surroundings::here(&working_directory()))
            .and_then(|answer| invocation.typed::<ProjectsAnswer>(&answer));
        let here = working_directory();
        let Some(said) = said else { return Ok(Some(of_directory(&here, known.ok().as_ref()))) };
        let text = named(&said);
        let dir = here.join(&said);
        // A path is a directory first, a word a project.
        if text.starts_with('/') && dir.is_dir() {
            return Ok(Some(of_directory(&dir, known.ok().as_ref())));
        }
        let found = known.and_then(|known| known.meant(&text).map(of_project));
        match found {
            Err(fault) if fault.reason != Fault::AMBIGUOUS_PROJECT && dir.is_dir() => {
                Ok(Some(of_directory(&dir, None)))
            }
            Err(fault) if fault.reason == Fault::NO_PROJECT => Err(neither(&said)),
            found => found.map(Some),
        }
    }
}

/// The session that is meant; the beginning of its id is enough. One that nobody has heard of yet may still come.
fn session(invocation: &Invocation, said: String) -> Result<String, Fault> {
    let params = SessionTraceParams { session_id: said.clone(), before: Some(0), after: None };
    match invocation.call("session_trace", &params, Context::unknown()) {
        Ok(answer) => Ok(invocation.typed::<SessionTraceAnswer>(&answer)?.session_id),
        Err(fault) if fault.reason == Fault::AMBIGUOUS_SESSION => Err(fault),
        Err(_) => {
            invocation.output.aside(|page| {
                page.text("no session of that id is known yet; only one with exactly that id is meant").end();
            });
            Ok(said)
        }
    }
}

fn of_directory(dir: &Path, known: Option<&ProjectsAnswer>) -> Vec<PauseScope> {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let found = projects::of_directory(&dir);
    let view = known.and_then(|known| known.projects.iter().find(|view| view.keys.contains(&found.key)));
    view.map_or_else(
        || vec![PauseScope::Project { key: found.key.clone(), name: found.name.clone() }],
        of_project,
    )
}

fn of_project(view: &ProjectView) -> Vec<PauseScope> {
    let scope = |key: &String| PauseScope::Project { key: key.clone(), name: view.name.clone() };
    let keys = if view.keys.is_empty() { std::slice::from_ref(&view.root) } else { &view.keys[..] };
    keys.iter().map(scope).collect()
}

fn neither(said: &str) -> Fault {
    let why = format!("`{said}` is neither a project nor a directory");
    Fault::new(FaultKind::NotFound, Fault::NO_PROJECT, why)
        .with("field", "project")
        .next("`nudge project ls` lists them; or give a directory that exists")
}
