//! Gemini CLI's record of a session: one document, or lines in newer versions. A message is written again whenever it grows, so what
//! it holds comes more than once.

use std::collections::HashSet;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, Speaker, StartSource, ToolCall};
use serde_json::{Value, json};

use super::spec::SPEC;
use crate::payload::Fields;
use crate::tool;
use crate::transcript::line::{text_of, word};
use crate::transcript::{
    Beginning, Follow, Format, Item, Place, Skip, Tail, TailFormat, Thinking, Told, ToolEnd,
};

pub(super) const FORMAT: Format = Format {
    place: Some(Place { variable: None, in_home: ".gemini", inside: "tmp" }),
    is_named: |_| false,
    follow: Some(|path| Box::new(Chat::new(path))),
    document: Some(lines),
    beginning: Beginning { line: is_line, head: is_head },
    tail: Some(TailFormat { words: &["\"thoughts\"", "\"toolCalls\""], has_answers: false, take }),
};

/// Whether a line is of such a record.
fn is_line(line: &Value) -> bool {
    let has = |key: &str| !line[key].is_null();
    has("projectHash") || (has("sessionId") && line["messages"].is_array())
}

fn is_head(head: &str) -> bool {
    head.starts_with('{') && head.contains("\"sessionId\":") && head.contains("\"messages\":[")
}

/// One session, as far as it was read.
#[derive(Debug)]
struct Chat {
    path: String,
    session: Option<String>,
    cwd: Option<String>,
    agent: Option<AgentLabel>,
    /// The messages, calls and thoughts that were told.
    told: HashSet<String>,
}

impl Follow for Chat {
    fn line(&mut self, mut line: Fields, told: &mut Told) {
        if line.get("sessionId").is_some() && line.get("type").is_none() {
            return self.begin(&line, told);
        }
        if let Some(Value::Object(set)) = line.take(&["$set"]) {
            let messages = list(Fields::new(set).take(&["messages"]));
            if messages.is_empty() {
                return told.skip(Skip::Bookkeeping);
            }
            for message in messages {
                if let Value::Object(message) = message {
                    self.message(Fields::new(message), told);
                }
            }
            return;
        }
        self.message(line, told);
    }
}

impl Chat {
    fn new(path: &str) -> Self {
        Self { path: path.to_owned(), session: None, cwd: None, agent: None, told: HashSet::new() }
    }

    fn begin(&mut self, line: &Fields, told: &mut Told) {
        if self.session.is_some() {
            return told.skip(Skip::Repeated);
        }
        self.session = line.text(&["sessionId"]);
        self.cwd = line.first_of("directories");
        if line.text(&["kind"]).as_deref() == Some("subagent") {
            let id = self.session.clone().unwrap_or_default();
            self.agent = Some(AgentLabel { id, kind: None, parent: None });
            return told.skip(Skip::Bookkeeping);
        }
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        told.event(HookEvent { at: line.moment("startTime"), ..self.event("SessionStart", kind) });
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

    fn message(&mut self, mut line: Fields, told: &mut Told) {
        let at = line.moment("timestamp");
        match line.text(&["type"]).as_deref() {
            Some("user") => self.user(&line, at, told),
            Some("gemini") => {
                let before = told.items.len();
                for text in list(line.take(&["thoughts"])).iter().filter_map(thought) {
                    if self.told.insert(format!("thought {text}")) {
                        told.items.push(Item::Thinking(Thinking {
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
                    told.works();
                    self.call(call, &line, told);
                }
                match answer.filter(|answer| !answer.trim().is_empty()) {
                    Some(answer) => {
                        told.answer(&answer, HookEvent { at, ..self.event("AfterAgent", EventKind::Stop) });
                    }
                    None if told.items.len() == before => told.skip(Skip::Answer),
                    None => {}
                }
            }
            Some("info" | "warning" | "error") => told.skip(Skip::ProgramText),
            _ => told.skip(Skip::Bookkeeping),
        }
    }

    fn user(&mut self, line: &Fields, at: Option<Timestamp>, told: &mut Told) {
        let content = line.get("content").and_then(text_of).unwrap_or_default();
        let prompt = crate::hooks::prompt::written(&content);
        let is_new = line.text(&["id"]).is_none_or(|id| self.told.insert(format!("message {id}")));
        if prompt.by == Speaker::Program || self.agent.is_some() {
            return told.skip(Skip::ProgramText);
        }
        if !is_new {
            return told.skip(Skip::Repeated);
        }
        let event = self.event("BeforeAgent", EventKind::Prompt);
        told.event(HookEvent { at, prompt: Some(prompt), ..event });
    }

    /// A call that has ended, as its hook would have told.
    fn call(&mut self, mut call: Value, line: &Fields, told: &mut Told) {
        let Some(end) = ended(&call) else { return };
        if !self.told.insert(format!("call {}", end.id)) {
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
        event.at = word(&call, "timestamp").and_then(Timestamp::parse).or_else(|| line.moment("timestamp"));
        event.model = line.text(&["model"]);
        event.tool = Some(used);
        told.event(event);
    }
}

/// The lines that a document is made of: what it says of itself, then its messages. `None` when it is no document.
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
        let at = word(&thought, "timestamp").and_then(Timestamp::parse).or_else(|| line.moment("timestamp"));
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

/// The status of a command, which stands after its output and before what hooks added.
fn exit(call: &Value) -> Option<i32> {
    let response = call.pointer("/result/0/functionResponse/response")?;
    let text = word(response, "output").filter(|_| call["name"] == "run_shell_command")?;
    tool::after_output(text.split("<hook_context>").next()?)
}
