//! `nudge session`, `handoff` and `focus`: what one session does and what is relevant to it.

use clap::{Args, Subcommand};
use nudge_core::context_set::{FILES_SET, KNOWN_SETS};
use nudge_core::{Fault, FaultKind};
use nudge_memory::context_sets::{
    ContextMode, GetContext, GetContextParams, SessionParam, SetContext, SetContextParams,
};
use nudge_memory::manage_sessions::{GetSession, Handoff, SessionView, UpdateSession, UpdateSessionParams};

use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::flags::SessionFlag;
use crate::invocation::Invocation;
use crate::pages::words::count;
use crate::pages::{Page, time};

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
                let answer = invocation.call::<GetSession>(&SessionParam { session }, here())?;
                invocation.show(&answer, show)
            }
            Verb::Name { name, session, env_hint } => {
                let session = session.session;
                let params =
                    UpdateSessionParams { session, name: Some(name), env_hint, ..Default::default() };
                let answer = invocation.call::<UpdateSession>(&params, here())?;
                invocation.show(&answer, |page, session| {
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

// `nudge handoff`: what the next agent or user should know about a session.

#[derive(Debug, Args)]
pub(crate) struct HandoffArgs {
    /// Session id, or the start of it [default: the newest session here]
    session: Option<String>,
}

impl HandoffArgs {
    /// Prints the handoff as Markdown.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = SessionParam { session: self.session };
        let answer = invocation.call::<Handoff>(&params, here())?;
        invocation.show(&answer, |page, answer| {
            page.text(answer.markdown.trim_end()).end();
        })
    }
}

// `nudge focus`: the items that the user marks as important to a session.

#[derive(Debug, Args)]
pub(crate) struct FocusArgs {
    #[command(subcommand)]
    verb: FocusVerb,
}

#[derive(Debug, Args)]
struct Where {
    /// Set name: files, endpoints, ports, applet or your own [default: files]
    #[arg(long, value_name = "NAME")]
    set: Option<String>,
    #[command(flatten)]
    session: SessionFlag,
}

#[derive(Debug, Subcommand)]
enum FocusVerb {
    /// Mark items as relevant: agents get them when the session resumes
    Add {
        /// Files, or a set and its items
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        place: Where,
    },
    /// Remove items from a set
    Rm {
        /// Files, or a set and its items; without items, clear the set
        items: Vec<String>,
        #[command(flatten)]
        place: Where,
    },
    /// List what is relevant
    Ls {
        #[command(flatten)]
        session: SessionFlag,
    },
}

impl FocusArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            FocusVerb::Add { items, place } => {
                let (name, items) = place.named(items);
                if items.is_empty() {
                    let why = format!("`{name}` is the name of a set; name the items to add to it");
                    let next = format!("for a file of that name, type `./{name}`");
                    return Err(Fault::invalid("no_items", why).next(next).into());
                }
                set(invocation, name, place.session, items, ContextMode::Merge)
            }
            FocusVerb::Rm { items, place } => {
                let (name, items) = place.named(items);
                let left = left(invocation, &name, &place.session, &items)?;
                set(invocation, name, place.session, left, ContextMode::Replace)
            }
            FocusVerb::Ls { session } => {
                let params = GetContextParams { set_name: None, session: session.session };
                let answer = invocation.call::<GetContext>(&params, here())?;
                invocation.show(&answer, |page, answer| {
                    if let Some(text) = &answer.text {
                        page.text(text).end();
                    }
                    for (name, items) in &answer.context {
                        page.strong(name).end();
                        items.iter().for_each(|item| {
                            page.text(format!("  {item}")).end();
                        });
                    }
                })
            }
        }
    }
}

impl Where {
    /// The name of the set, and the items. Without `--set`, the first word may be the name.
    fn named(&self, mut items: Vec<String>) -> (String, Vec<String>) {
        let first = items.first().filter(|first| KNOWN_SETS.contains(&first.as_str()));
        match (&self.set, first) {
            (Some(set), _) => (set.clone(), items),
            (None, Some(_)) => (items.remove(0), items),
            (None, None) => (FILES_SET.to_owned(), items),
        }
    }
}

fn set(
    invocation: &Invocation,
    name: String,
    session: SessionFlag,
    items: Vec<String>,
    mode: ContextMode,
) -> Result<Exit, Failure> {
    let is_files = name == FILES_SET && mode == ContextMode::Merge;
    let missing: Vec<String> =
        items.iter().filter(|item| is_files && !working_directory().join(item).exists()).cloned().collect();
    let params = SetContextParams { set_name: name, items, mode: Some(mode), session: session.session };
    let answer = invocation.call::<SetContext>(&params, here())?;
    invocation.show(&answer, |page, answer| {
        let session = answer.session.as_deref().unwrap_or_default();
        let items = count(i64::try_from(answer.items).unwrap_or(i64::MAX), "item");
        let changed = if answer.changed { "" } else { "nothing to change: " };
        page.good("✔").text(format!(" {changed}{} has {items}", answer.set_name));
        page.faint(format!("  session {session}")).end();
        for file in &missing {
            page.warning("warning:").text(format!(" {file} does not exist yet")).end();
        }
        if let Some(warning) = &answer.warning {
            page.warning("warning:").text(format!(" {warning}")).end();
        }
    })
}

/// The rest of a set after these items are removed. A file may be named relative to the working
/// directory.
fn left(
    invocation: &Invocation,
    name: &str,
    session: &SessionFlag,
    gone: &[String],
) -> Result<Vec<String>, Failure> {
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let params = GetContextParams { set_name: Some(name.to_owned()), session: session.session.clone() };
    let known = invocation.ask::<GetContext>(&params, here())?;
    let here = working_directory();
    let is_gone =
        |item: &String| gone.iter().any(|gone| item == gone || *item == here.join(gone).to_string_lossy());
    let items = known.context.into_values().next().unwrap_or_default();
    let left: Vec<String> = items.iter().filter(|item| !is_gone(item)).cloned().collect();
    if left.len() == items.len() {
        let why = format!("the set `{name}` has none of these items");
        return Err(Fault::new(FaultKind::NotFound, "item", why)
            .next("run `nudge focus ls` to see its items")
            .into());
    }
    Ok(left)
}
