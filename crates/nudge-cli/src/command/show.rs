//! `nudge show`: prints entries in full.

mod statement;

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::recall::EntryRef;
use nudge_memory::recall::{GetObservationsParams, Observation};
use nudge_memory::review::{ProposalView, ProposalsParams};
use serde::Deserialize;
use serde_json::Value;

use crate::command::review::page as review;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::metadata;
use crate::pages::recall::View;
use crate::pages::time;
use crate::pages::words::field;

/// Metadata that is printed as separate text below the entry, with its heading.
const TEXTS: [(&str, &str); 4] =
    [("response", "output"), ("changed", "changes"), ("commit_message", "message"), ("description", "for")];

/// The type of statements, and of the user's words that may become statements.
const STATEMENT: &str = "statement";

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Entry ids, such as 42, #42 or obs://42; up to 50
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// One item to show.
#[derive(Deserialize)]
#[serde(untagged)]
enum Shown {
    Entry(Box<Observation>),
    Proposal(Box<ProposalView>),
}

impl ShowArgs {
    /// Shows the items in full.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let ids = self.ids.iter().cloned().map(EntryRef::Path).collect();
        let params = GetObservationsParams { ids, around: None };
        let answer = invocation.call("get_observations", &params, here())?;
        let mut found = answer.as_array().cloned().unwrap_or_default();
        // The user's words without a state are a proposal. A proposal has more facts than its
        // entry.
        found.retain(|row| row["obs_type"] != STATEMENT || row["metadata"].get("state").is_some());
        if !missing(&self.ids, &found).is_empty() {
            found.extend(proposals(invocation, &missing(&self.ids, &found)));
        }
        if found.is_empty() {
            let why = format!("no entry has the id {}", self.ids.join(", "));
            return Err(Fault::new(FaultKind::NotFound, "no_entry", why)
                .next("run `nudge search` or `nudge recent` to see ids")
                .into());
        }
        let missing = missing(&self.ids, &found);
        let shown = invocation.show::<Vec<Shown>>(&Value::Array(found), |page, rows| {
            let view = View::own();
            for (number, row) in rows.iter().enumerate() {
                if number > 0 {
                    page.end();
                }
                match row {
                    Shown::Entry(row) if statement::is_one(row) => statement::render(page, row, &view),
                    Shown::Entry(row) => render(page, row, &view),
                    Shown::Proposal(proposal) => review::in_full(page, proposal),
                }
            }
        })?;
        if missing.is_empty() {
            return Ok(shown);
        }
        invocation.output.aside(|page| {
            page.warning("not found:").text(format!(" {}", missing.join(", "))).end();
        });
        Ok(Exit::NotFound)
    }
}

/// The ids that are proposals, as `nudge review` lists them. Agents do not see them.
fn proposals(invocation: &Invocation, ids: &[&str]) -> Vec<Value> {
    let all = ProposalsParams { all: true };
    let Ok(answer) = invocation.call("list_proposals", &all, Context::unknown()) else { return Vec::new() };
    let listed = answer["proposals"].as_array().cloned().unwrap_or_default();
    let is_asked = |one: &Value| ids.iter().any(|id| number(id).is_some_and(|id| one["id"] == id));
    listed.into_iter().filter(is_asked).collect()
}

fn number(id: &str) -> Option<i64> {
    EntryRef::Path(id.to_owned()).id().ok().map(|id| id.0)
}

/// The requested ids that were not found.
fn missing<'i>(ids: &'i [String], found: &[Value]) -> Vec<&'i str> {
    let is_there = |id: &str| number(id).is_some_and(|id| found.iter().any(|row| row["id"] == id));
    ids.iter().map(String::as_str).filter(|id| !is_there(id)).collect()
}

fn render(page: &mut Page, row: &Observation, view: &View) {
    page.strong(format!("{}", row.id)).text(format!("  {}", row.obs_type));
    page.faint(format!("  {}", time::long_of_seconds(row.timestamp, view.now))).end();
    if let Some(project) = &row.project {
        field(page, "project", project);
    }
    if let Some(session) = &row.session_id {
        field(page, "session", session);
    }
    lines(page, &row.content);
    // The text of a summary repeats its metadata.
    if metadata::is_summary(row) {
        return;
    }
    for (name, title) in TEXTS {
        if let Some(text) = row.metadata.get(name).and_then(Value::as_str) {
            page.faint(format!("{title}:")).end();
            lines(page, text);
        }
    }
    for (name, value) in metadata::facts(row) {
        page.faint(format!("{name}:")).text(format!(" {value}")).end();
    }
}

fn lines(page: &mut Page, text: &str) {
    for line in text.lines() {
        page.text(format!("  {line}")).end();
    }
}
