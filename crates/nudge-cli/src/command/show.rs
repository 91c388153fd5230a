//! `nudge show`: the whole of something that a list only names.

mod statement;

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_home::surroundings;
use nudge_memory::recall::EntryRef;
use nudge_memory::recall::{GetObservationsParams, Observation};
use nudge_memory::review::{ProposalView, ProposalsParams};
use serde::Deserialize;
use serde_json::Value;

use crate::command::review::page as review;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{View, age};

/// Facts that are told as text of their own, below what an entry says, with what they are called.
const TEXTS: [(&str, &str); 4] = [
    ("response", "it said"),
    ("changed", "it changed"),
    ("commit_message", "message"),
    ("description", "for"),
];

/// The type of what holds, and of what was said and may come to hold.
const STATEMENT: &str = "statement";

/// Facts that say nothing to a person.
const UNTOLD: [&str; 2] = ["hash", "redacted"];

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// What to show: 42, #42 or obs://42, up to 50 of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

/// One thing that is shown.
#[derive(Deserialize)]
#[serde(untagged)]
enum Shown {
    Entry(Box<Observation>),
    Proposal(Box<ProposalView>),
}

impl ShowArgs {
    /// Shows all of it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let ids = self.ids.iter().cloned().map(EntryRef::Path).collect();
        let params = GetObservationsParams { ids, around: None };
        let answer =
            invocation.call("get_observations", &params, surroundings::here(&working_directory()))?;
        let mut found = answer.as_array().cloned().unwrap_or_default();
        // What was only said is a proposal, which says more of itself than an entry does.
        found.retain(|row| row["obs_type"] != STATEMENT || row["metadata"].get("state").is_some());
        if !missing(&self.ids, &found).is_empty() {
            found.extend(proposals(invocation, &missing(&self.ids, &found)));
        }
        if found.is_empty() {
            let why = format!("nothing has the id {}", self.ids.join(", "));
            return Err(Fault::new(FaultKind::NotFound, "no_entry", why)
                .next("`nudge search` and `nudge recent` show ids")
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
                    Shown::Proposal(proposal) => review::one(page, proposal),
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

/// Those of the numbers that are proposals, as `nudge review` lists them. An agent is not shown them.
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

/// Those that were asked for and are not there.
fn missing<'i>(ids: &'i [String], found: &[Value]) -> Vec<&'i str> {
    let is_there = |id: &str| number(id).is_some_and(|id| found.iter().any(|row| row["id"] == id));
    ids.iter().map(String::as_str).filter(|id| !is_there(id)).collect()
}

fn render(page: &mut Page, row: &Observation, view: &View) {
    page.strong(format!("{}", row.id)).text(format!("  {}", row.obs_type));
    page.faint(format!("  {}", age(row.timestamp, view.now)));
    if let Some(project) = &row.project {
        page.faint("  project:").text(format!(" {project}"));
    }
    if let Some(session) = &row.session_id {
        page.faint("  session:").text(format!(" {session}"));
    }
    page.end();
    lines(page, &row.content);
    // The text of a summary says what stands in its facts.
    if row.obs_type == "session_summary" {
        return;
    }
    for (name, title) in TEXTS {
        if let Some(text) = row.metadata.get(name).and_then(Value::as_str) {
            page.faint(format!("{title}:")).end();
            lines(page, text);
        }
    }
    let told = |name: &str| TEXTS.iter().any(|(text, _)| *text == name) || UNTOLD.contains(&name);
    for (name, value) in row.metadata.iter().filter(|(name, _)| !told(name)) {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        page.faint(format!("{name}:")).text(format!(" {value}")).end();
    }
}

fn lines(page: &mut Page, text: &str) {
    for line in text.lines() {
        page.text(format!("  {line}")).end();
    }
}
