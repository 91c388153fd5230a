//! Reads what people said in the events of Copilot CLI.

use serde_json::Value;

use super::said::{Collector, Kind};
use super::tags::{self, Text};

/// Reads every line.
pub(super) fn collect(text: &str, to: &mut Collector<'_>) {
    for (number, line) in text.lines().enumerate() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let data = &line["data"];
        if line["type"] == "session.start" {
            data["sessionId"].as_str().unwrap_or_default().clone_into(&mut to.session);
            if let Some(dir) = data["context"]["cwd"].as_str() {
                to.set_directory(dir);
            }
        }
        if line["type"] == "system.message" {
            to.program("instructions", data["content"].as_str().unwrap_or_default());
        }
        if line["type"] != "user.message" {
            continue;
        }
        let words = data["content"].as_str().unwrap_or_default();
        let id = line["id"].as_str().map_or_else(|| number.to_string(), str::to_owned);
        let by_person = matches!(data["source"].as_str(), None | Some("user"));
        match tags::read(words) {
            Text::Program(kind) => to.program(kind, words),
            _ if line["agentId"].is_string() => to.program("subagent", words),
            _ if by_person => to.person(Kind::Prompt, &id, words),
            _ => to.program("marked as a program's", words),
        }
    }
}
