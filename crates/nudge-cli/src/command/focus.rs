//! `nudge focus`: what matters to a session, marked by the person.

use clap::{Args, Subcommand};
use nudge_core::Context;
use nudge_home::surroundings;
use nudge_memory::context_sets::{
    ContextMode, GetContextParams, RelevantContext, SetContextAnswer, SetContextParams,
};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct FocusArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Args)]
struct Where {
    /// The set: files, endpoints, ports, applet, or your own
    #[arg(long, value_name = "NAME", default_value = "files")]
    set: String,
    /// The session: its id, or the beginning of it [default: the newest here]
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Mark something as relevant: it comes back when the session goes on
    Add {
        /// Files, or items of another set
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        place: Where,
    },
    /// Mark something as no longer relevant
    Rm {
        /// Files, or items of another set; none clears the set
        items: Vec<String>,
        #[command(flatten)]
        place: Where,
    },
    /// List what is marked as relevant
    Ls {
        /// The session: its id, or the beginning of it [default: the newest here]
        #[arg(long, value_name = "ID")]
        session: Option<String>,
    },
}

impl FocusArgs {
    /// Does what the verb says.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Add { items, place } => set(invocation, place, items, ContextMode::Merge),
            Verb::Rm { items, place } => {
                let left = left(invocation, &place, &items)?;
                set(invocation, place, left, ContextMode::Replace)
            }
            Verb::Ls { session } => {
                let params = GetContextParams { set_name: None, session };
                let answer = invocation.call("get_relevant_context", &params, here())?;
                invocation.show::<RelevantContext>(&answer, |page, answer| {
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

fn set(
    invocation: &Invocation,
    place: Where,
    items: Vec<String>,
    mode: ContextMode,
) -> Result<Exit, Failure> {
    let is_files = place.set == "files" && mode == ContextMode::Merge;
    let missing: Vec<String> =
        items.iter().filter(|item| is_files && !working_directory().join(item).exists()).cloned().collect();
    let params = SetContextParams { set_name: place.set, items, mode: Some(mode), session: place.session };
    let answer = invocation.call("set_relevant_context", &params, here())?;
    invocation.show::<SetContextAnswer>(&answer, |page, answer| {
        let session = answer.session.as_deref().unwrap_or_default();
        page.good("✔").text(format!(" {}", answer.text)).faint(format!("  session {session}")).end();
        for file in &missing {
            page.warning("warning:").text(format!(" {file} does not exist yet")).end();
        }
        if let Some(warning) = &answer.warning {
            page.warning("warning:").text(format!(" {warning}")).end();
        }
    })
}

/// What is left of a set without these items. A file may be named from where the person stands.
fn left(invocation: &Invocation, place: &Where, gone: &[String]) -> Result<Vec<String>, Failure> {
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let params = GetContextParams { set_name: Some(place.set.clone()), session: place.session.clone() };
    let answer = invocation.call("get_relevant_context", &params, here())?;
    let known: RelevantContext = serde_json::from_value(answer).map_err(|error| {
        nudge_core::Fault::new(nudge_core::FaultKind::Internal, "answer", error.to_string())
    })?;
    let here = working_directory();
    let is_gone =
        |item: &String| gone.iter().any(|gone| item == gone || *item == here.join(gone).to_string_lossy());
    let items = known.context.into_values().next().unwrap_or_default();
    let left: Vec<String> = items.iter().filter(|item| !is_gone(item)).cloned().collect();
    if left.len() == items.len() {
        let why = format!("none of it is in the set `{}`", place.set);
        return Err(nudge_core::Fault::new(nudge_core::FaultKind::NotFound, "item", why)
            .next("`nudge focus ls` lists what is")
            .into());
    }
    Ok(left)
}

fn here() -> Context {
    surroundings::here(&working_directory())
}
