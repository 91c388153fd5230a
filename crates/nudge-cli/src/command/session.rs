//! `nudge session`: shows the activity, name and focus of a session.

use clap::{Args, Subcommand};
use nudge_memory::context_sets::SessionParam;
use nudge_memory::manage_sessions::{SessionView, UpdateSessionParams};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::SessionFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::time;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Show what a session is doing and what is relevant to it
    Show {
        /// Session id, or the start of it [default: the newest session here]
        session: Option<String>,
    },
    /// Name a session, or describe its environment
    Name {
        /// New name; an empty text removes the name
        name: String,
        #[command(flatten)]
        session: SessionFlag,
        /// What an agent should know about the environment
        #[arg(long, value_name = "TEXT")]
        env_hint: Option<String>,
    },
}

impl SessionArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Show { session } => {
                let answer = invocation.call("get_session", &SessionParam { session }, here())?;
                invocation.show::<SessionView>(&answer, show)
            }
            Verb::Name { name, session, env_hint } => {
                let session = session.session;
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
            page.text(format!("  {name:<12}{}", time::long_of_text(at))).end();
        }
    }
    if let Some(intent) = &session.meta.current_intent {
        page.text(format!("  working on  {intent}")).end();
    }
    if !session.resume.is_empty() {
        page.end();
        page.text(&session.resume).end();
    }
}
