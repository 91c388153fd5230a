//! `nudge show`: prints entries in full.

use clap::Args;
use nudge_core::{Context, Fault, FaultKind, Timestamp};
use nudge_memory::recall::{EntryRef, GetObservations, GetObservationsParams, Observation};
use nudge_memory::review::{ListProposals, ProposalView, ProposalsParams};
use serde::Deserialize;
use serde_json::Value;

use crate::command::review::page as review;
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, read_answer};
use crate::pages::recall::View;
use crate::pages::words::{count, field, whom};
use crate::pages::{Page, metadata, time};

/// Metadata that is printed as separate text below the entry, with its heading.
const SEPARATE_TEXTS: [(&str, &str); 4] =
    [("response", "output"), ("changed", "changes"), ("commit_message", "message"), ("description", "for")];

/// The type of statements, and of the user's words that may become statements.
const STATEMENT_TYPE: &str = "statement";

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
        let answer = invocation.call::<GetObservations>(&params, here())?;
        let mut found = answer.json.as_array().cloned().unwrap_or_default();
        // The user's words without a state are a proposal. A proposal has more facts than its
        // entry.
        found.retain(|row| row["obs_type"] != STATEMENT_TYPE || row["metadata"].get("state").is_some());
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
        let found = Value::Array(found);
        let rows: Vec<Shown> = if invocation.output.is_json() { Vec::new() } else { read_answer(&found)? };
        invocation.output.answer(&found, |page| {
            let view = View::own();
            for (number, row) in rows.iter().enumerate() {
                if number > 0 {
                    page.end();
                }
                match row {
                    Shown::Entry(row) if is_one(row) => render_statement(page, row, &view),
                    Shown::Entry(row) => render(page, row, &view),
                    Shown::Proposal(proposal) => review::in_full(page, proposal),
                }
            }
        });
        if missing.is_empty() {
            return Ok(Exit::Ok);
        }
        invocation.output.note(|page| {
            page.warning("not found:").text(format!(" {}", missing.join(", "))).end();
        });
        Ok(Exit::NotFound)
    }
}

/// The ids that are proposals, as `nudge review` lists them. Agents do not see them.
fn proposals(invocation: &Invocation, ids: &[&str]) -> Vec<Value> {
    let all = ProposalsParams { all: true };
    let Ok(answer) = invocation.call::<ListProposals>(&all, Context::unknown()) else { return Vec::new() };
    let listed = answer.json["proposals"].as_array().cloned().unwrap_or_default();
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
    for (name, title) in SEPARATE_TEXTS {
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

/// Whether an entry is a statement: it has both a state and a category. An imported memory takes
/// its state from its file.
fn is_one(row: &Observation) -> bool {
    row.metadata.contains_key("state") && row.metadata.contains_key("category")
}

/// The text, who stated it, when and how often, where it applies, and its state.
fn render_statement(page: &mut Page, row: &Observation, view: &View) {
    let category = text(row, "category").unwrap_or_default();
    page.strong(format!("{}", row.id)).text(format!("  statement ({category})"));
    page.faint(format!("  {}", time::long_of_seconds(row.timestamp, view.now))).end();
    lines(page, &row.content);
    let facts = [
        ("state", Some(state(row))),
        ("for", Some(place(row))),
        ("stated by", row.stated_by.as_deref().map(whom)),
        ("said", Some(occurrences(row))),
        ("in the place of", id(row, "predecessor")),
        ("accepted from", id(row, "accepted_from")),
        ("about", about(row)),
    ];
    for (name, text) in facts {
        if let Some(text) = text {
            field(page, name, &text);
        }
    }
}

fn text<'r>(row: &'r Observation, name: &str) -> Option<&'r str> {
    row.metadata.get(name).and_then(Value::as_str)
}

fn id(row: &Observation, name: &str) -> Option<String> {
    row.metadata.get(name).and_then(Value::as_i64).map(|id| format!("#{id}"))
}

fn state(row: &Observation) -> String {
    match (text(row, "state"), id(row, "successor")) {
        (Some("stands"), _) if row.metadata.contains_key("is_routine") => "applies, as a routine".to_owned(),
        (Some("stands"), _) => "applies".to_owned(),
        (Some("corrected"), Some(successor)) => format!("corrected; replaced by {successor}"),
        (state, _) => state.unwrap_or_default().to_owned(),
    }
}

fn place(row: &Observation) -> String {
    let place = row.project.as_deref().map_or_else(|| "every project".to_owned(), str::to_owned);
    match text(row, "directory") {
        Some(directory) => format!("{directory} of {place}"),
        None => place,
    }
}

/// `3 times, in 2 sessions; last 2026-11-15 06:10 (prompt)`.
fn occurrences(row: &Observation) -> String {
    let times = row.metadata.get("times").and_then(Value::as_i64).unwrap_or(0);
    let said = row.metadata.get("said").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let sessions = said.iter().filter(|one| one["session"].is_string()).count();
    let sessions = match i64::try_from(sessions).unwrap_or(i64::MAX) {
        0 => String::new(),
        sessions => format!(", in {}", count(sessions, "session")),
    };
    let last = said.first().map_or_else(String::new, |one| {
        let at = Timestamp::from_millis(one["at"].as_i64().unwrap_or(0));
        format!("; last {} ({})", time::exact(at), one["how"].as_str().unwrap_or_default())
    });
    format!("{}{sessions}{last}", count(times, "time"))
}

/// The files it is about.
fn about(row: &Observation) -> Option<String> {
    let anchors = row.metadata.get("anchors")?.as_array()?;
    let mut files: Vec<&str> = anchors.iter().filter_map(|anchor| anchor["path"].as_str()).collect();
    files.dedup();
    (!files.is_empty()).then(|| files.join(", "))
}
