//! The entries of a run as its packet needs them. Files are read from disk when they are asked for.

use std::path::Path;

use nudge_context::PacketEntry;
use nudge_core::scheme::{Category, rules_of};
use nudge_core::view::status_of;
use nudge_core::{Fault, FaultKind};
use nudge_home::workspace::Workspace;
use nudge_store::{InView, Reader, RunRow};
use serde_json::Value;

use nudge_memory::entries::read_file;

/// Attributes that are for people and programs, not for the model.
const NOT_SHOWN: [&str; 6] = ["hash", "stat", "modified_ms", "hashed_ms", "mode", "healed"];

/// Everything that the model of a run may see.
pub(super) fn entries(reader: &Reader<'_>, run: &RunRow) -> Result<Vec<PacketEntry>, Fault> {
    let workspace = run.root.as_deref().and_then(|root| Workspace::open(Path::new(root)).ok());
    let mut all = Vec::new();
    for row in reader.in_view(&run.scope)? {
        all.push(entry(row, workspace.as_ref()));
    }
    Ok(all)
}

fn entry(row: InView, workspace: Option<&Workspace>) -> PacketEntry {
    let is_file = row.scheme == "file";
    let rules = rules_of(&row.scheme);
    // What was typed elsewhere is data here. Only the prompts of runs have a mode.
    let is_said = row.scheme == "prompt" && !row.attributes.contains_key("mode");
    let is_secret = row.attributes.get("secret").is_some_and(|secret| *secret == Value::Bool(true));
    let mut status = status_of(row.state, row.outcome.as_deref());
    let (mut state, mut outcome) = (row.state.name().to_owned(), row.outcome);
    let mut body = row.body;
    if is_file {
        match workspace.map(|workspace| read_file(workspace, &row.path)) {
            // Credentials stay on this machine.
            Some(Ok(file)) => body = nudge_secrets::redact(&file.text).into_owned(),
            _ => {
                (status, state) = (404, "failed".to_owned());
                outcome = Some("not_found".to_owned());
            }
        }
    }
    if is_secret {
        body = String::new();
    }
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let shown = |name: &str| row.scheme != "hint" && !NOT_SHOWN.contains(&name);
    PacketEntry {
        attributes: row
            .attributes
            .iter()
            .filter(|(name, _)| shown(name))
            .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
            .collect(),
        path: row.path,
        scheme: match row.scheme {
            _ if is_file => String::new(),
            _ if is_said => "said".to_owned(),
            scheme => scheme,
        },
        category: if is_said { Category::Data } else { rules.category },
        visibility: row.visibility,
        status,
        state,
        outcome,
        turn: u32::try_from(row.turn).unwrap_or(0),
        summary: row.summary,
        body,
        by_user: row.by_user && !is_said,
        model_visible: rules.model_visible,
    }
}

/// The prompt that a loop answers, as the packet needs it.
pub(super) fn prompt(entries: &[PacketEntry], path: &str) -> Option<PacketEntry> {
    entries.iter().find(|entry| entry.path == path).cloned()
}

pub(super) fn gone() -> Fault {
    Fault::new(FaultKind::NotFound, "no_run", "the run is gone")
}
