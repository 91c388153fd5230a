//! Gemini CLI's record of a session: one document, or lines in newer versions. A message is written
//! again whenever it grows, so its contents occur more than once.

use std::collections::HashSet;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, Speaker, StartSource, ToolCall};
use serde_json::{Value, json};

use super::SPEC;
use crate::payload::Fields;
use crate::tool;
use crate::transcript::item::{text_of, word};
use crate::transcript::{
    Follow, Format, FormatMarkers, Item, LineItems, Skip, Tail, TailFormat, Thinking, ToolEnd, TranscriptDir,
};

pub(super) const FORMAT: Format = Format {
    dir: Some(TranscriptDir { variable: None, in_home: ".gemini", inside: "tmp" }),
    is_named: |_| false,
    follow: Some(|path| Box::new(Chat::new(path))),
    document: Some(lines),
    beginning: FormatMarkers { line: is_line, head: is_head },
    tail: Some(TailFormat { words: &["\"thoughts\"", "\"toolCalls\""], has_answers: false, take }),
};

/// Whether a line belongs to such a record.
fn is_line(line: &Value) -> bool {
    let has = |key: &str| !line[key].is_null();
    has("projectHash") || (has("sessionId") && line["messages"].is_array())
}

fn is_head(head: &str) -> bool {
    head.starts_with('{') && head.contains("\"sessionId\":") && head.contains("\"messages\":[")
}

/// The state of reading one session.
#[derive(Debug)]
struct Chat {
    path: String,
    session: Option<String>,
    cwd: Option<String>,
    agent: Option<AgentLabel>,
    /// The messages, calls and thoughts that were reported already.
    reported: HashSet<String>,
}

impl Follow for Chat {
    fn line(&mut self, mut line: Fields, out: &mut LineItems) {
        if line.get("sessionId").is_some() && line.get("type").is_none() {
            return self.begin(&line, out);
        }
        if let Some(Value::Object(set)) = line.take(&["$set"]) {
            let messages = list(Fields::new(set).take(&["messages"]));
            if messages.is_empty() {
                return out.skip(Skip::Bookkeeping);
            }
            for message in messages {
                if let Value::Object(message) = message {
                    self.message(Fields::new(message), out);
                }
            }
            return;
        }
        self.message(line, out);
    }
}

impl Chat {
    fn new(path: &str) -> Self {
        Self { path: path.to_owned(), session: None, cwd: None, agent: None, reported: HashSet::new() }
    }

    fn begin(&mut self, line: &Fields, out: &mut LineItems) {
        if self.session.is_some() {
            return out.skip(Skip::Repeated);
        }
        self.session = line.text(&["sessionId"]);
        self.cwd = line.first_of("directories");
        if line.text(&["kind"]).as_deref() == Some("subagent") {
            let id = self.session.clone().unwrap_or_default();
            self.agent = Some(AgentLabel { id, kind: None, parent: None });
            return out.skip(Skip::Bookkeeping);
        }
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        out.event(HookEvent { at: line.point("startTime"), ..self.event("SessionStart", kind) });
    }

    fn event(&self, name: &str, kind: EventKind) -> HookEvent {
        HookEvent {
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: self.agent.clone(),
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }

    fn message(&mut self, mut line: Fields, out: &mut LineItems) {
        let at = line.point("timestamp");
        match line.text(&["type"]).as_deref() {
            Some("user") => self.user(&line, at, out),
            Some("gemini") => {
                let before = out.items.len();
                for text in list(line.take(&["thoughts"])).iter().filter_map(thought) {
                    if self.reported.insert(format!("thought {text}")) {
                        out.items.push(Item::Thinking(Thinking {
                            text,
                            at,
                            session: self.session.clone(),
                            turn: None,
                            agent: self.agent.clone(),
                        }));
                    }
                }
                let calls = list(line.take(&["toolCalls"]));
                let answer = line.get("content").and_then(text_of).filter(|_| calls.is_empty());
                for call in calls {
                    out.note_action();
                    self.call(call, &line, out);
                }
                match answer.filter(|answer| !answer.trim().is_empty()) {
                    Some(answer) => {
                        out.answer(&answer, HookEvent { at, ..self.event("AfterAgent", EventKind::Stop) });
                    }
                    None if out.items.len() == before => out.skip(Skip::Answer),
                    None => {}
                }
            }
            Some("info" | "warning" | "error") => out.skip(Skip::ProgramText),
            _ => out.skip(Skip::Bookkeeping),
        }
    }

    fn user(&mut self, line: &Fields, at: Option<Timestamp>, out: &mut LineItems) {
        let content = line.get("content").and_then(text_of).unwrap_or_default();
        let prompt = crate::hooks::prompt::classify_prompt(&content);
        let is_new = line.text(&["id"]).is_none_or(|id| self.reported.insert(format!("message {id}")));
        if prompt.by == Speaker::Program || self.agent.is_some() {
            return out.skip(Skip::ProgramText);
        }
        if !is_new {
            return out.skip(Skip::Repeated);
        }
        let event = self.event("BeforeAgent", EventKind::Prompt);
        out.event(HookEvent { at, prompt: Some(prompt), ..event });
    }

    /// A call that has ended, as its hook would have reported it.
    fn call(&mut self, mut call: Value, line: &Fields, out: &mut LineItems) {
        let Some(end) = ended(&call) else { return };
        if !self.reported.insert(format!("call {}", end.id)) {
            return;
        }
        let mut used = ToolCall::new(word(&call, "name").unwrap_or_default());
        used.input = call.get_mut("args").map_or(Value::Null, Value::take);
        used.id = Some(end.id);
        let response = call.pointer("/result/0/functionResponse/response").unwrap_or(&Value::Null);
        let output = word(response, "output").unwrap_or_default();
        let mut event = self.event("AfterTool", EventKind::PostTool);
        match word(response, "error") {
            Some(error) => {
                used.error = Some(error.to_owned());
                event.kind = EventKind::ToolFailure;
            }
            None => {
                let output = output.split("<hook_context>").next().unwrap_or_default().trim_end();
                used.response = Some(json!({"llmContent": output}));
            }
        }
        event.at = word(&call, "timestamp").and_then(Timestamp::parse).or_else(|| line.point("timestamp"));
        event.model = line.text(&["model"]);
        event.tool = Some(used);
        out.event(event);
    }
}

/// Splits a document into lines: its header, then its messages. `None` when it is not a document.
fn lines(text: &str) -> Option<Vec<String>> {
    let Ok(Value::Object(mut whole)) = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'))
    else {
        return None;
    };
    let Some(Value::Array(messages)) = whole.remove("messages") else { return None };
    let first = Value::Object(whole).to_string();
    Some(std::iter::once(first).chain(messages.iter().map(Value::to_string)).collect())
}

/// Thoughts and ended calls of a message.
fn take(mut line: Fields, tail: &mut Tail) {
    for thought in list(line.take(&["thoughts"])) {
        let at = word(&thought, "timestamp").and_then(Timestamp::parse).or_else(|| line.point("timestamp"));
        if let Some(text) = self::thought(&thought) {
            tail.thinking.push(Thinking { text, at, session: None, turn: None, agent: None });
        }
    }
    tail.ends.extend(list(line.take(&["toolCalls"])).iter().filter_map(ended));
}

fn thought(thought: &Value) -> Option<String> {
    let parts = [word(thought, "subject"), word(thought, "description")];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}

fn list(value: Option<Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    }
}

fn ended(call: &Value) -> Option<ToolEnd> {
    let id = word(call, "id")?.to_owned();
    let outcome = match word(call, "status")? {
        "success" => exit(call).map_or(Outcome::Success, Outcome::of_exit),
        "error" | "cancelled" => Outcome::Failed { exit: None },
        _ => return None,
    };
    Some(ToolEnd { id, outcome, output: None })
}

/// A command's exit status, which is after its output and before text that hooks added.
fn exit(call: &Value) -> Option<i32> {
    let response = call.pointer("/result/0/functionResponse/response")?;
    let text = word(response, "output").filter(|_| call["name"] == "run_shell_command")?;
    tool::after_output(text.split("<hook_context>").next()?)
}
