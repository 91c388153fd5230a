//! `nudge maintain`: runs the maintenance steps now.

use std::time::Instant;

use clap::Args;
use nudge_client::indexing;
use nudge_core::Fault;
use nudge_memory::upkeep::{self, Step, Watch};
use serde_json::{Value, json};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, log_failure, now, refuse_ephemeral};
use crate::pages::words::count;
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct MaintainArgs {
    /// Only summarise ended sessions that have no summary yet
    #[arg(long)]
    catch_up: bool,
    /// Confirm that the clock is right after it jumped, so that retention uses it again
    #[arg(long, conflicts_with = "catch_up")]
    clock_is_right: bool,
    /// Delete everything that is due, even if it is more than a tenth of the memory
    #[arg(long, conflicts_with = "catch_up")]
    remove_all_due: bool,
}

impl MaintainArgs {
    /// Runs every step, even after a step failed. If one failed, the command fails at the end.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if self.clock_is_right || self.remove_all_due {
            refuse_agents(UserOnly::Maintain)?;
        }
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let memory = upkeep::open(&home, &invocation.settings()?, now())?;
        if self.clock_is_right {
            upkeep::clock_is_right(&memory, now())?;
        }
        let watch = if self.remove_all_due { Watch::Watched } else { Watch::Unwatched };
        let began = Instant::now();
        let steps = if self.catch_up {
            upkeep::catch_up(&memory, now())
        } else {
            upkeep::maintain(&memory, &home, now(), watch)
        };
        for step in &steps {
            step.fault.iter().for_each(|fault| log_failure(&home, step.step, began, fault));
        }
        let answer = serde_json::to_value(&steps).map_err(|error| {
            Fault::new(
                nudge_core::FaultKind::Internal,
                "unserialisable",
                format!("cannot write the steps as JSON: {error}"),
            )
        })?;
        invocation
            .output
            .answer(&json!({"steps": answer}), |page| steps.iter().for_each(|step| line(page, step)));
        Ok(if steps.iter().any(|step| step.failed.is_some()) { Exit::Failed } else { Exit::Ok })
    }
}

fn line(page: &mut Page, step: &Step) {
    match &step.failed {
        Some(why) => page.bad("✘").text(format!(" {:<9}  ", step.step)).text(why).end(),
        None => page.good("✔").text(format!(" {:<9}  ", step.step)).text(describe_step(step)).end(),
    };
}

/// What a step did, in words. Counts of zero are left out.
fn describe_step(step: &Step) -> String {
    let number = |name: &str| step.did.get(name).and_then(Value::as_u64).unwrap_or(0);
    let is = |name: &str| step.did.get(name).and_then(Value::as_bool).unwrap_or(false);
    let parts: Vec<String> = match step.step {
        "spool" => vec![some(number("kept"), "imported"), some(number("dropped"), "could not be read")]
            .into_iter()
            .chain(is("left").then(|| Some("the rest next time".to_owned())))
            .flatten()
            .collect(),
        "summaries" => some(number("written"), "written").into_iter().collect(),
        "retention" => [
            some_of(number("observations"), "observation", " removed"),
            some_of(number("prompts"), "prompt", " removed"),
            some_of(number("runs"), "run", " removed"),
            some(number("kept_pinned"), "old but pinned"),
            some(number("kept_unsummarised"), "old but in no summary yet"),
        ]
        .into_iter()
        .flatten()
        .chain(retention_hold_lines(step))
        .collect(),
        "leftovers" => [
            some_of(number("files"), "file name", ""),
            some_of(number("subagents"), "subagent", ""),
            some_of(number("sessions"), "empty session", ""),
        ]
        .into_iter()
        .flatten()
        .collect(),
        "sweep" => [
            some_of(number("hints"), "ended hint", ""),
            some_of(number("operations"), "old answer", ""),
            some_of(number("feed_rows"), "old change", ""),
            some_of(number("drafts"), "half-written backup", ""),
        ]
        .into_iter()
        .flatten()
        .collect(),
        "index" => [some(number("entries"), "imported")]
            .into_iter()
            .chain([is("elsewhere").then(|| "another process is doing it".to_owned())])
            .chain([is("left").then(|| "the rest next time".to_owned())])
            .flatten()
            .collect(),
        "space" => some_of(number("pages"), "page", " freed").into_iter().collect(),
        _ if is("empty") => vec!["emptied".to_owned()],
        _ => vec!["in use by another process; emptied next time".to_owned()],
    };
    if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") }
}

/// Why retention removed fewer rows than the settings allow.
fn retention_hold_lines(step: &Step) -> Vec<String> {
    let text = |name: &str| step.did.get(name).and_then(Value::as_str).map(time::exact_of_text);
    let mut parts = Vec::new();
    if let (Some(from), Some(to)) = (text("counts_from"), text("jumped_to")) {
        parts.push(format!(
            "the clock jumped from {from} to {to}; retention counts from before the jump \
             (if the clock is right: `nudge maintain --clock-is-right`)"
        ));
    }
    if let Some(stopped) = step.did.get("stopped") {
        let number = |name: &str| stopped.get(name).and_then(Value::as_u64).unwrap_or(0);
        parts.push(format!(
            "stopped: {} of {} are due, more than a tenth \
             (to remove them: `nudge maintain --remove-all-due`)",
            number("due"),
            number("kept")
        ));
    }
    parts
}

fn some_of(number: u64, noun: &str, then: &str) -> Option<String> {
    let counted = count(i64::try_from(number).unwrap_or(i64::MAX), noun);
    (number > 0).then(|| format!("{counted}{then}"))
}

fn some(number: u64, what: &str) -> Option<String> {
    (number > 0).then(|| format!("{number} {what}"))
}

// `nudge keep-index`: the body of a process that Nudge starts to update the search index. Not for
// users.

#[derive(Debug, Args)]
pub(crate) struct KeepIndexArgs {}

impl KeepIndexArgs {
    /// Updates the index. Nobody reads the output.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        indexing::update_index(&invocation.home()?)?;
        Ok(Exit::Ok)
    }
}
