//! The scope of a pause: a session, a project, or everything.

use std::path::Path;

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::capture::pause::PauseScope;
use nudge_memory::manage_projects::{ProjectView, ProjectsAnswer};
use nudge_memory::operation::NoParams;
use nudge_memory::projects;
use nudge_memory::recall::{SessionTraceAnswer, SessionTraceParams};

use crate::context_args::{here, working_directory};
use crate::invocation::Invocation;
use crate::projects::named;

// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
pub(crate) struct ScopeArgs {
    /// Only this session: its id, or the start of it
    #[arg(long, value_name = "ID", conflicts_with = "project")]
    session: Option<String>,
    /// Only this project: name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", num_args = 0..=1)]
    project: Option<Option<String>>,
}

impl ScopeArgs {
    /// The named scopes; `None` for everything. A project has one scope for each of its
    /// directories.
    pub(crate) fn scopes(self, invocation: &Invocation) -> Result<Option<Vec<PauseScope>>, Fault> {
        if let Some(said) = self.session {
            let session = session(invocation, said)?;
            return Ok(Some(vec![PauseScope::Session { session }]));
        }
        let Some(said) = self.project else { return Ok(None) };
        let known = invocation
            .call("list_projects", &NoParams {}, here())
            .and_then(|answer| invocation.typed::<ProjectsAnswer>(&answer));
        let here = working_directory();
        let Some(said) = said else { return Ok(Some(of_directory(&here, known.ok().as_ref()))) };
        let text = named(&said);
        let dir = here.join(&said);
        // A path names a directory first; a word names a project.
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

/// The session to pause; a prefix of its id is enough. An unknown id is accepted, because the
/// session may start later.
fn session(invocation: &Invocation, said: String) -> Result<String, Fault> {
    let params = SessionTraceParams { session_id: said.clone(), before: Some(0), after: None };
    match invocation.call("session_trace", &params, Context::unknown()) {
        Ok(answer) => Ok(invocation.typed::<SessionTraceAnswer>(&answer)?.session_id),
        Err(fault) if fault.reason == Fault::AMBIGUOUS_SESSION => Err(fault),
        Err(_) => {
            invocation.output.aside(|page| {
                page.text("no session with this id was captured yet; the pause applies to this exact id")
                    .end();
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
        .next("run `nudge project ls` to see the projects, or name a directory that exists")
}
