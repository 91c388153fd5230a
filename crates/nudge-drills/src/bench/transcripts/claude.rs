//! Reads what people said in a transcript of Claude Code, or in the stream of `claude -p`.

use std::collections::HashMap;

use regex::Regex;
use serde_json::Value;

use super::contents::{self, Text};
use super::contents::{Collector, Kind, normal, text_of};

/// Marks before the words of a person who rejected a call.
const SPEECH_MARKS: [&str; 2] = ["To tell you how to proceed, the user said:\n", "The user said:\n"];

/// Beginnings of results that report a rejection.
const REFUSED_BEGINNINGS: [&str; 3] = [
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission for this tool use was denied",
];

/// Text that the program adds after a rejection.
const ADDED_NOTE: &str = "\n\nNote: The user's next message may contain a correction";

/// The program's message when a person wants to discuss questions instead of answering them.
const CLARIFY_NOTE: &str = "The user wants to clarify these questions.";

/// Senders of a line that are not a person, where the program names them.
const NOT_A_PERSON: [&str; 6] =
    ["task-notification", "peer", "coordinator", "auto-continuation", "plugin", "tool"];

#[derive(Default)]
struct State {
    /// The names of tools, by the ids of their calls.
    calls: HashMap<String, String>,
    /// Messages in the queue.
    queue: Vec<(String, String)>,
    /// Messages that left the queue while the agent worked.
    sent: Vec<String>,
    /// How many of a person's lines come out of the queue next.
    due: usize,
}

/// Reads every line.
pub(super) fn collect(text: &str, to: &mut Collector<'_>) {
    let mut state = State::default();
    for (number, line) in text.lines().enumerate() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(session) = line["sessionId"].as_str().or_else(|| line["session_id"].as_str()) {
            session.clone_into(&mut to.session);
        }
        if let Some(dir) = line["cwd"].as_str() {
            to.set_directory(dir);
        }
        let id = line["uuid"].as_str().map_or_else(|| number.to_string(), str::to_owned);
        match line["type"].as_str() {
            Some("assistant") => {
                for block in line["message"]["content"].as_array().into_iter().flatten() {
                    if let (Some(id), Some(name)) = (block["id"].as_str(), block["name"].as_str()) {
                        state.calls.insert(id.to_owned(), name.to_owned());
                    }
                }
            }
            Some("queue-operation") => queue(&line, &id, &mut state, to),
            Some("attachment") => attachment(&line["attachment"], &id, &mut state, to),
            Some("user") => user(&line, &id, &mut state, to),
            Some("system") => {
                if let Text::Command { arguments, .. } =
                    contents::read(line["content"].as_str().unwrap_or_default())
                {
                    to.person(Kind::Arguments, &id, &arguments);
                }
            }
            _ => {}
        }
    }
}

/// A message is queued, sent to the agent while it works (`remove`), turned into a separate line
/// (`dequeue`), or withdrawn.
fn queue(line: &Value, id: &str, state: &mut State, to: &mut Collector<'_>) {
    let words = text_of(&line["content"]);
    match line["operation"].as_str() {
        Some("enqueue") => {
            let id = line["timestamp"].as_str().unwrap_or(id).to_owned();
            match contents::read(&words) {
                Text::Program(kind) => to.program(kind, &words),
                _ => state.queue.push((id, words)),
            }
        }
        Some("remove") if !state.queue.is_empty() => {
            let named = state.queue.iter().position(|(_, waiting)| *waiting == words);
            let Some(at) = named.or_else(|| words.is_empty().then_some(0)) else { return };
            let (id, words) = state.queue.remove(at);
            let reason = line["reason"].as_str().unwrap_or_default();
            if ["cancel", "clear", "dropped"].iter().any(|word| reason.contains(word)) {
                return;
            }
            state.sent.push(normal(&words));
            to.person(Kind::Queued, &id, &words);
        }
        Some("dequeue") => state.due += 1,
        Some("popAll") => match state.queue.iter().position(|(_, waiting)| *waiting == words) {
            Some(at) => drop(state.queue.remove(at)),
            None if words.is_empty() => state.queue.clear(),
            None => {}
        },
        _ => {}
    }
}

/// Newer versions report a message that arrived meanwhile as an attachment too.
fn attachment(attachment: &Value, id: &str, state: &mut State, to: &mut Collector<'_>) {
    if attachment["type"] != "queued_command" {
        return;
    }
    let words = text_of(&attachment["prompt"]);
    if not_a_person(&attachment["origin"]) || attachment["commandMode"] == "task-notification" {
        return to.program("notification", &words);
    }
    if let Some(at) = state.sent.iter().position(|sent| *sent == normal(&words)) {
        state.sent.remove(at);
        return;
    }
    match contents::read(&words) {
        Text::Program(kind) => to.program(kind, &words),
        _ => {
            // The queue may report it a line later.
            state.queue.retain(|(_, waiting)| normal(waiting) != normal(&words));
            to.person(Kind::Queued, id, &words);
        }
    }
}

fn user(line: &Value, id: &str, state: &mut State, to: &mut Collector<'_>) {
    let content = match &line["message"] {
        Value::Object(message) => message.get("content").unwrap_or(&Value::Null),
        whole => whole,
    };
    let of_agent = line["isSidechain"] == true
        || line["agentId"].is_string()
        || line["parent_tool_use_id"].is_string()
        || to.file.name.rsplit('/').next().is_some_and(|name| name.starts_with("agent-"));
    let flags = ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSynthetic"];
    let of_program = flags.iter().find(|flag| line[**flag] == true).copied();
    let blocks = content.as_array().cloned().unwrap_or_default();
    let results: Vec<&Value> = blocks.iter().filter(|block| block["type"] == "tool_result").collect();
    for (number, result) in results.iter().enumerate() {
        let whole = if results.len() == 1 { &line["toolUseResult"] } else { &Value::Null };
        refused_or_answered(result, whole, &format!("{id}#{number}"), state, to);
    }
    let texts: Vec<&str> = match content {
        Value::String(text) => vec![text],
        _ => blocks.iter().filter_map(|block| block.as_str().or_else(|| block["text"].as_str())).collect(),
    };
    let mut typed = Vec::new();
    for text in texts {
        let plan = contents::plan_comment(text);
        if let Some(words) = plan.filter(|_| text.starts_with("Implement the following plan:")) {
            to.person(Kind::Plan, id, words);
        }
        if of_agent || of_program.is_some() || not_a_person(&line["origin"]) || !line["planContent"].is_null()
        {
            to.program(if of_agent { "subagent" } else { "marked as a program's" }, text);
            continue;
        }
        match contents::read(text) {
            Text::Typed(words) => typed.push(words),
            Text::Command { arguments, .. } => to.person(Kind::Arguments, id, &arguments),
            Text::Shell(words) => to.person(Kind::Shell, id, &words),
            Text::Note(words) => to.person(Kind::Note, id, &words),
            Text::Program(kind) => to.program(kind, text),
        }
    }
    let words = typed.join("\n");
    if words.trim().is_empty() {
        return;
    }
    if !results.is_empty() {
        return to.person(Kind::Beside, id, &words);
    }
    if state.due > 0 {
        state.due -= 1;
        state.queue.retain(|(_, waiting)| normal(waiting) != normal(&words));
    }
    // A message that was sent to the agent in its turn may be written again as a separate line.
    let sent = state.sent.iter().position(|sent| *sent == normal(&words));
    if let Some(at) = sent.filter(|_| line["promptSource"] == "queued") {
        state.sent.remove(at);
        return;
    }
    to.person(Kind::Prompt, id, &words);
}

fn refused_or_answered(result: &Value, whole: &Value, id: &str, state: &State, to: &mut Collector<'_>) {
    let text = text_of(&result["content"]);
    let tool = result["tool_use_id"].as_str().and_then(|id| state.calls.get(id)).map(String::as_str);
    if result["is_error"] == true && REFUSED_BEGINNINGS.iter().any(|start| text.starts_with(start)) {
        let words = SPEECH_MARKS.iter().find_map(|mark| text.split_once(mark)).map_or("", |(_, words)| words);
        let words = words.split(ADDED_NOTE).next().unwrap_or_default();
        if words.starts_with(CLARIFY_NOTE) {
            let of = |line: &str| {
                let line = line.trim();
                let words = line.strip_prefix("Answer: ").or_else(|| line.strip_prefix("User notes: "));
                words.map(str::to_owned)
            };
            for (number, words) in words.lines().filter_map(of).enumerate() {
                to.person(Kind::Answer, &format!("{id}.{number}"), &words);
            }
            return;
        }
        let kind = if is_plan(tool) { Kind::Plan } else { Kind::Refusal };
        return to.person(kind, id, words);
    }
    if let Some(answers) = whole["answers"].as_object().filter(|_| tool == Some("AskUserQuestion")) {
        for (question, answer) in answers {
            let answer = match answer {
                Value::Array(several) => {
                    several.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
                }
                one => one.as_str().unwrap_or_default().to_owned(),
            };
            to.person(Kind::Answer, &format!("{id}{question}"), &answer);
            if let Some(notes) = whole["annotations"][question]["notes"].as_str() {
                to.person(Kind::Answer, &format!("{id}{question} notes"), notes);
            }
        }
    }
    if tool == Some("AskUserQuestion") && !whole["answers"].is_object() {
        let pairs = Regex::new(r#""([^"]+)"="([^"]+)""#).expect("a fixed pattern");
        for pair in pairs.captures_iter(&text) {
            to.person(Kind::Answer, &format!("{id}{}", &pair[1]), &pair[2]);
        }
    }
    if let Some(words) = contents::plan_comment(&text).filter(|_| is_plan(tool)) {
        to.person(Kind::Plan, id, words);
    }
}

fn is_plan(tool: Option<&str>) -> bool {
    matches!(tool, Some("ExitPlanMode" | "exit_plan_mode"))
}

fn not_a_person(origin: &Value) -> bool {
    origin["kind"].as_str().is_some_and(|kind| NOT_A_PERSON.contains(&kind))
}
