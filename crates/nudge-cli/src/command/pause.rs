//! `nudge pause` and `nudge unpause`: stop and resume capture.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use nudge_core::{Context, Fault, FaultKind, Timestamp};
use nudge_home::Home;
use nudge_memory::capture::pause::{Pause, PauseScope, Pauses};
use nudge_memory::manage_projects::{ListProjects, ProjectView, ProjectsAnswer};
use nudge_memory::operation::NoParams;
use nudge_memory::projects;
use nudge_memory::recall::{SessionTrace, SessionTraceParams};
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::{here, working_directory};
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::flags::project_named;
use crate::invocation::{Invocation, now};
use crate::pages::words::spell;
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// How long, such as 30m, 2h or 7d [default: until `nudge unpause`]
    #[arg(long = "for", value_name = "TIME", value_parser = durations::length)]
    length: Option<Duration>,
}

#[derive(Debug, Args)]
pub(crate) struct UnpauseArgs {
    #[command(flatten)]
    scope: ScopeArgs,
}

impl PauseArgs {
    /// Saves the pause. Hooks that start from now on see it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Pause)?;
        let (home, now) = (invocation.home()?, now());
        let scopes = self.scope.scopes(invocation)?.unwrap_or_else(|| vec![PauseScope::All]);
        let mut pauses = Pauses::read(&home, now);
        let until = self.length.map(|length| now.plus(length).as_millis());
        let mut made: Vec<Pause> =
            scopes.into_iter().map(|scope| Pause { scope, since: now.as_millis(), until }).collect();
        made.iter().for_each(|pause| pauses.add(pause.clone()));
        // Each directory of a project has its own pause, and all look the same. Show the first.
        let pause = made.swap_remove(0);
        write(&pauses, &home)?;
        let answer = json!({"paused": pause, "pauses": pauses.pauses});
        invocation.output.answer(&answer, |page| {
            page.good("✔").text(" paused ").strong(scope_name(&pause.scope)).text(end_of(&pause, now)).end();
            page.text("  nothing is captured there; `nudge unpause` ends all pauses").end();
        });
        Ok(Exit::Ok)
    }
}

impl UnpauseArgs {
    /// Ends one pause, or all of them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Unpause)?;
        let home = invocation.home()?;
        let scopes = self.scope.scopes(invocation)?;
        let mut pauses = Pauses::read(&home, now());
        let ended = match scopes {
            Some(scopes) => scopes.iter().filter(|scope| pauses.remove(scope)).count(),
            None => std::mem::take(&mut pauses.pauses).len(),
        };
        write(&pauses, &home)?;
        let left = pauses.pauses.len();
        invocation.output.answer(&json!({"ended": ended, "pauses": pauses.pauses}), |page| {
            match ended {
                0 => page.text("nothing was paused").end(),
                1 => page.good("✔").text(" ended 1 pause").end(),
                many => page.good("✔").text(format!(" ended {many} pauses")).end(),
            };
            if left > 0 {
                page.text("  other pauses remain; run `nudge status` to see them").end();
            }
        });
        Ok(Exit::Ok)
    }
}

fn write(pauses: &Pauses, home: &Home) -> Result<(), Fault> {
    pauses.write(home).map_err(|error| {
        Fault::new(FaultKind::ReadOnly, "pause_not_written", format!("cannot save the pause: {error}"))
            .next("make the memory directory writable, or start the agent with NUDGE_OFF=1")
    })
}

// The scope of a pause: a session, a project, or everything.

// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
struct ScopeArgs {
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
    fn scopes(self, invocation: &Invocation) -> Result<Option<Vec<PauseScope>>, Fault> {
        if let Some(said) = self.session {
            let session = session(invocation, said)?;
            return Ok(Some(vec![PauseScope::Session { session }]));
        }
        let Some(said) = self.project else { return Ok(None) };
        let known = invocation.call::<ListProjects>(&NoParams {}, here()).and_then(|answer| answer.typed());
        let here = working_directory();
        let Some(said) = said else { return Ok(Some(of_directory(&here, known.ok().as_ref()))) };
        let text = project_named(&said);
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
    match invocation.call::<SessionTrace>(&params, Context::unknown()) {
        Ok(answer) => Ok(answer.typed()?.session_id),
        Err(fault) if fault.reason == Fault::AMBIGUOUS_SESSION => Err(fault),
        Err(_) => {
            invocation.output.note(|page| {
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

/// Lists what is paused, one line each.
pub(crate) fn list_pauses(page: &mut Page, pauses: &Pauses, now: Timestamp) {
    for pause in &pauses.pauses {
        page.warning("paused:").text(" ").text(scope_name(&pause.scope)).text(end_of(pause, now)).end();
    }
}

/// What is paused.
fn scope_name(scope: &PauseScope) -> String {
    match scope {
        PauseScope::All => "everything".to_owned(),
        PauseScope::Session { session } => format!("session {session}"),
        PauseScope::Project { name, .. } => format!("project {name}"),
    }
}

/// When it ends.
pub(crate) fn end_of(pause: &Pause, now: Timestamp) -> String {
    pause.until.map_or_else(
        || " until `nudge unpause`".to_owned(),
        |until| {
            let left = Timestamp::from_millis(until).since(now).as_millis().div_ceil(1000);
            let length = spell(Duration::from_secs(u64::try_from(left).unwrap_or(u64::MAX)));
            format!(" until {} ({length} left)", time::short(Timestamp::from_millis(until), now))
        },
    )
}
