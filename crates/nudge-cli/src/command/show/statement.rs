//! A statement as a page.

use nudge_core::Timestamp;
use nudge_memory::recall::Observation;
use serde_json::Value;

use super::lines;
use crate::pages::Page;
use crate::pages::recall::View;
use crate::pages::time;
use crate::pages::words::{count, field, whom};

/// Whether an entry is a statement: it has both a state and a category. An imported memory takes
/// its state from its file.
pub(super) fn is_one(row: &Observation) -> bool {
    row.metadata.contains_key("state") && row.metadata.contains_key("category")
}

/// The text, who stated it, when and how often, where it applies, and its state.
pub(super) fn render(page: &mut Page, row: &Observation, view: &View) {
    let category = text(row, "category").unwrap_or_default();
    page.strong(format!("{}", row.id)).text(format!("  statement ({category})"));
    page.faint(format!("  {}", time::long_of_seconds(row.timestamp, view.now))).end();
    lines(page, &row.content);
    let facts = [
        ("state", Some(state(row))),
        ("for", Some(place(row))),
        ("stated by", row.stated_by.as_deref().map(whom)),
        ("said", Some(said(row))),
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
fn said(row: &Observation) -> String {
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
