//! `nudge show`: the whole of something that a list only names.

use clap::Args;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::recall::EntryRef;
use nudge_memory::recall::{GetObservationsParams, Observation};
use serde_json::Value;

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

/// Facts that say nothing to a person.
const UNTOLD: [&str; 2] = ["hash", "redacted"];

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// What to show: 42, #42 or obs://42, up to 50 of them
    #[arg(required = true, value_name = "ID")]
    ids: Vec<String>,
}

impl ShowArgs {
    /// Shows all of it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let ids = self.ids.iter().cloned().map(EntryRef::Path).collect();
        let answer =
            invocation.call("get_observations", &GetObservationsParams { ids }, Context::unknown())?;
        let found: Vec<Observation> = invocation.typed(&answer)?;
        if found.is_empty() {
            let why = format!("nothing has the id {}", self.ids.join(", "));
            return Err(Fault::new(FaultKind::NotFound, "no_entry", why)
                .next("`nudge search` and `nudge recent` show ids")
                .into());
        }
        let missing = missing(&self.ids, &found);
        let shown = invocation.show::<Vec<Observation>>(&answer, |page, rows| {
            let view = View::own();
            for (number, row) in rows.iter().enumerate() {
                if number > 0 {
                    page.end();
                }
                render(page, row, &view);
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

/// Those that were asked for and are not there.
fn missing<'i>(ids: &'i [String], found: &[Observation]) -> Vec<&'i str> {
    let is_there =
        |id: &str| EntryRef::Path(id.to_owned()).id().is_ok_and(|id| found.iter().any(|row| row.id == id.0));
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
