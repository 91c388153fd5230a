//! `nudge session`: what a session is doing, what it is called, what matters in it.

use clap::{Args, Subcommand};
use nudge_core::Context;
use nudge_home::surroundings;
use nudge_memory::context_sets::SessionParam;
use nudge_memory::manage_sessions::{SessionView, UpdateSessionParams};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::without_millis;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what a session is doing and what was marked as relevant in it
    Show {
        /// Its id, or the beginning of it [default: the newest here]
        session: Option<String>,
    },
    /// Give a session a name, or say what its surroundings are
    Name {
        /// What it is to be called; an empty text takes its name away
        name: String,
        /// Its id, or the beginning of it [default: the newest here]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// What an agent should know of its surroundings
        #[arg(long, value_name = "TEXT")]
        env_hint: Option<String>,
    },
}

impl SessionArgs {
    /// Does what the verb says.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Show { session } => {
                let answer = invocation.call("get_session", &SessionParam { session }, here())?;
                invocation.show::<SessionView>(&answer, show)
            }
            Verb::Name { name, session, env_hint } => {
                let params =
                    UpdateSessionParams { session, name: Some(name), env_hint, ..Default::default() };
                let answer = invocation.call("update_session", &params, here())?;
                invocation.show::<SessionView>(&answer, |page, session| {
                    let called = if session.meta.name.is_empty() { "(no name)" } else { &session.meta.name };
                    page.good("✔").text(format!(" {}: ", session.id)).strong(called).end();
                })
            }
        }
    }
}

fn here() -> Context {
    surroundings::here(&working_directory())
}

fn show(page: &mut Page, session: &SessionView) {
    if !session.meta.name.is_empty() {
        page.strong(&session.meta.name).end();
    }
    page.text(&session.id).end();
    let project = session.project.as_deref().unwrap_or("no project");
    page.text(format!("  {} in {project}, ", session.agent)).strong(&session.state).end();
    let times = [
        ("began", Some(&session.started_at)),
        ("last active", Some(&session.last_active_at)),
        ("last idle", session.meta.last_idle_at.as_ref()),
        ("ended", session.ended_at.as_ref()),
    ];
    for (name, at) in times {
        if let Some(at) = at {
            page.text(format!("  {name:<12}{}", without_millis(at))).end();
        }
    }
    if let Some(intent) = &session.meta.current_intent {
        page.text(format!("  at          {intent}")).end();
    }
    if !session.resume.is_empty() {
        page.end();
        page.text(&session.resume).end();
    }
}
