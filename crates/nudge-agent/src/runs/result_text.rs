//! What the record of a call says: short for what the packet shows elsewhere, whole for the rest.

use nudge_grammar::{Call, Tool};
use serde_json::Value;

/// How many entries a record lists.
const LISTED_MOST: usize = 50;

/// The text for a call that was carried out, from the answer of its operation.
pub(super) fn of_answer(call: &Call, answer: &Value) -> String {
    match call.tool {
        Tool::Get => of_get(call, answer),
        Tool::Set => of_results(answer, "stored"),
        Tool::Rm => of_results(answer, "removed"),
        Tool::Cp => of_results(answer, "copied"),
        Tool::Mv => of_results(answer, "moved"),
        _ => String::new(),
    }
}

fn of_get(call: &Call, answer: &Value) -> String {
    if let Some(failed) = answer.get("failed").filter(|failed| !failed.is_null()) {
        return why(failed);
    }
    let entries: Vec<&Value> = answer["entries"].as_array().into_iter().flatten().collect();
    let is_part = call.attributes.contains_key("line") || call.attributes.contains_key("limit");
    if let (true, [entry]) = (is_part, entries.as_slice()) {
        let lines = &entry["lines"];
        let head = format!(
            "{} lines {} to {} of {}",
            text(entry, "path"),
            lines["from"],
            lines["from"].as_u64().unwrap_or(1) + lines["count"].as_u64().unwrap_or(0).saturating_sub(1),
            lines["of"]
        );
        let body = entry["body"].as_str().map_or_else(|| text(entry, "withheld"), str::to_owned);
        return format!("{head}\n{body}");
    }
    if entries.is_empty() {
        return format!("nothing matches {}", call.target);
    }
    let is_preview = answer["preview"] == Value::Bool(true);
    let said = if is_preview { "matches" } else { "now visible" };
    let mut lines: Vec<String> = entries
        .iter()
        .take(LISTED_MOST)
        .map(|entry| {
            let withheld = entry["withheld"].as_str().map(|why| format!(", not shown: {why}"));
            format!(
                "{} ({} tokens{})",
                text(entry, "path"),
                entry["tokens"]["visible"],
                withheld.unwrap_or_default()
            )
        })
        .collect();
    lines.insert(0, format!("{said}: {}", answer["matched"]));
    if let Some(left_out) = answer["left_out"].as_u64().filter(|count| *count > 0) {
        lines.push(format!("{left_out} more are not in this answer"));
    }
    lines.join("\n")
}

fn of_results(answer: &Value, done: &str) -> String {
    let results: Vec<&Value> = answer["results"].as_array().into_iter().flatten().collect();
    if results.is_empty() {
        return "nothing matches".to_owned();
    }
    let line = |result: &&Value| {
        let status = result["status"].as_u64().unwrap_or(500);
        if status >= 400 { why(result) } else { format!("{done} {}", text(result, "path")) }
    };
    let lines: Vec<String> = results.iter().take(LISTED_MOST).map(line).collect();
    lines.join("\n")
}

fn why(failed: &Value) -> String {
    // A model has no command line.
    let next = failed["next"]
        .as_str()
        .filter(|next| !next.contains("`nudge "))
        .map(|next| format!("; {next}"))
        .unwrap_or_default();
    format!("{}: {}{next}", text(failed, "path"), text(failed, "why"))
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}
