//! Reads what people said in a session of Gemini CLI: one document, or lines in newer versions.

use std::collections::HashSet;

use serde_json::Value;

use super::said::{Collector, Kind};
use super::tags::{self, Text};

/// Reads every message.
pub(super) fn collect(text: &str, to: &mut Collector<'_>) {
    let mut reported = HashSet::new();
    if let Ok(whole) = serde_json::from_str::<Value>(text)
        && whole["messages"].is_array()
    {
        begin(&whole, to);
        for message in whole["messages"].as_array().into_iter().flatten() {
            collect_one(message, &mut reported, to);
        }
        return;
    }
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        begin(&line, to);
        collect_one(&line, &mut reported, to);
        let set = &line["$set"]["messages"];
        for message in set.as_array().into_iter().flatten() {
            collect_one(message, &mut reported, to);
        }
    }
}

fn begin(line: &Value, to: &mut Collector<'_>) {
    if let Some(session) = line["sessionId"].as_str() {
        session.clone_into(&mut to.session);
    }
    if let Some(dir) = line["directories"][0].as_str() {
        to.set_directory(dir);
    }
}

/// A message is written again whenever it changes.
fn collect_one(message: &Value, reported: &mut HashSet<String>, to: &mut Collector<'_>) {
    let kind = message["type"].as_str().unwrap_or_default();
    let id = message["id"].as_str().unwrap_or_default().to_owned();
    let words = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    match (kind, tags::read(&words)) {
        ("user", Text::Program(kind)) => to.program(kind, &words),
        ("user", Text::Typed(words)) if reported.insert(id.clone()) => to.person(Kind::Prompt, &id, &words),
        ("info" | "warning" | "error", _) => to.program("note of the program", &words),
        _ => {}
    }
}
