//! Reads what people said in transcripts of Codex, Copilot and Gemini.

use std::collections::HashSet;

use serde_json::Value;

use super::contents::{self, Text};
use super::contents::{Collector, Kind, normal, text_of};

/// Reads every line. A message is recorded twice, as an event and as an item for the model; if
/// there is an event, it counts.
pub(super) fn collect(text: &str, to: &mut Collector<'_>) {
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut of_agent = false;
    let mut begun = false;
    let mut asked: Vec<(String, Value)> = Vec::new();
    let events: HashSet<String> = lines.iter().filter_map(event).map(|words| normal(&words)).collect();
    for (number, line) in lines.iter().enumerate() {
        let payload = &line["payload"];
        let id = line["timestamp"].as_str().map_or_else(|| number.to_string(), str::to_owned);
        if line["type"] == "session_meta" && !begun {
            begun = true;
            let parent = payload.pointer("/source/subagent/thread_spawn/parent_thread_id");
            of_agent = payload.pointer("/source/subagent").is_some();
            let own = payload["id"].as_str().or_else(|| payload["session_id"].as_str());
            let named = parent.and_then(Value::as_str).or_else(|| payload["session_id"].as_str()).or(own);
            named.unwrap_or_default().clone_into(&mut to.session);
            if let Some(dir) = payload["cwd"].as_str() {
                to.set_directory(dir);
            }
        }
        if let Some(words) = event(line) {
            collect_one(&words, of_agent, &id, to);
        } else if payload["type"] == "message" && payload["role"] == "user" {
            let words = text_of(&payload["content"]);
            if events.is_empty() && line["type"] == "response_item" {
                collect_one(&words, of_agent, &id, to);
            } else if !events.contains(&normal(&words)) {
                to.program("context for the model", &words);
            }
        } else if payload["name"] == "request_user_input" {
            let input = payload["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
            asked.push((
                payload["call_id"].as_str().unwrap_or_default().to_owned(),
                input.unwrap_or(Value::Null),
            ));
        } else if payload["type"] == "function_call_output"
            && asked.iter().any(|(call, _)| payload["call_id"] == call.as_str())
        {
            answers(&payload["output"], &id, to);
        }
    }
}

/// The words of an event that records a message.
fn event(line: &Value) -> Option<String> {
    let payload = &line["payload"];
    if line["type"] != "event_msg" {
        return None;
    }
    if payload["type"] == "user_message" {
        return payload["message"].as_str().map(str::to_owned);
    }
    let item = &payload["item"];
    (payload["type"] == "item_completed" && item["type"] == "UserMessage").then(|| text_of(&item["content"]))
}

fn collect_one(words: &str, of_agent: bool, id: &str, to: &mut Collector<'_>) {
    match contents::read(words) {
        _ if of_agent => to.program("subagent", words),
        Text::Program(kind) => to.program(kind, words),
        _ => to.person(Kind::Prompt, id, words),
    }
}

/// The answers that a person gave, by the questions' ids.
fn answers(output: &Value, id: &str, to: &mut Collector<'_>) {
    let text = output.as_str().map_or_else(|| text_of(output), str::to_owned);
    let Ok(reported) = serde_json::from_str::<Value>(&text) else { return };
    for (question, answer) in reported["answers"].as_object().into_iter().flatten() {
        let several = answer["answers"].as_array().into_iter().flatten();
        for words in several.filter_map(Value::as_str) {
            to.person(Kind::Answer, &format!("{id}{question}"), words.trim_start_matches("user_note: "));
        }
    }
}

// Reads what people said in the events of Copilot CLI.

/// Reads every line.
pub(super) fn collect_copilot(text: &str, to: &mut Collector<'_>) {
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
        match contents::read(words) {
            Text::Program(kind) => to.program(kind, words),
            _ if line["agentId"].is_string() => to.program("subagent", words),
            _ if by_person => to.person(Kind::Prompt, &id, words),
            _ => to.program("marked as a program's", words),
        }
    }
}

// Reads what people said in a session of Gemini CLI: one document, or lines in newer versions.

/// Reads every message.
pub(super) fn collect_gemini(text: &str, to: &mut Collector<'_>) {
    let mut reported = HashSet::new();
    if let Ok(whole) = serde_json::from_str::<Value>(text)
        && whole["messages"].is_array()
    {
        begin(&whole, to);
        for message in whole["messages"].as_array().into_iter().flatten() {
            collect_message(message, &mut reported, to);
        }
        return;
    }
    for line in text.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        begin(&line, to);
        collect_message(&line, &mut reported, to);
        let set = &line["$set"]["messages"];
        for message in set.as_array().into_iter().flatten() {
            collect_message(message, &mut reported, to);
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
fn collect_message(message: &Value, reported: &mut HashSet<String>, to: &mut Collector<'_>) {
    let kind = message["type"].as_str().unwrap_or_default();
    let id = message["id"].as_str().unwrap_or_default().to_owned();
    let words = match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    match (kind, contents::read(&words)) {
        ("user", Text::Program(kind)) => to.program(kind, &words),
        ("user", Text::Typed(words)) if reported.insert(id.clone()) => to.person(Kind::Prompt, &id, &words),
        ("info" | "warning" | "error", _) => to.program("note of the program", &words),
        _ => {}
    }
}
