//! GitHub Copilot CLI's record of a session, `events.jsonl`: each line `{type, data, id, timestamp, parentId}`.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, Speaker, StartSource, ToolCall};
use serde_json::{Value, json};

use super::spec::SPEC;
use crate::payload::Fields;
use crate::transcript::calls::Calls;
use crate::transcript::line::{status, word};
use crate::transcript::{
    Beginning, Follow, Format, Item, Place, Skip, Tail, TailFormat, Thinking, Told, ToolEnd,
};

pub(super) const FORMAT: Format = Format {
    place: Some(Place { variable: Some("COPILOT_HOME"), in_home: ".copilot", inside: "session-state" }),
    is_named: |_| false,
    follow: Some(|path| Box::new(Events::new(path))),
    beginning: Beginning { line: is_line, head: |_| false },
    tail: Some(TailFormat { words: &["tool.execution_complete", "reasoning"], has_answers: true, take }),
    ..Format::NONE
};

/// Whether a line is of such a record.
fn is_line(line: &Value) -> bool {
    line["data"].is_object() && line["type"].as_str().is_some_and(|kind| kind.contains('.'))
}

/// One session, as far as it was read.
#[derive(Debug)]
struct Events {
    path: String,
    session: Option<String>,
    version: Option<String>,
    cwd: Option<String>,
    turn: Option<String>,
    calls: Calls,
}

impl Follow for Events {
    fn line(&mut self, mut line: Fields, told: &mut Told) {
        let data = line.take(&["data"]).unwrap_or(Value::Null);
        match line.text(&["type"]).as_deref().unwrap_or_default() {
            "session.start" => self.begin(&data, &line, told),
            "user.message" => self.user(&data, &line, told),
            "assistant.message" | "assistant.reasoning" => self.assistant(&data, &line, told),
            "tool.execution_start" => {
                let (Some(id), Some(name)) = (word(&data, "toolCallId"), word(&data, "toolName")) else {
                    return told.skip(Skip::Unknown);
                };
                let mut call = ToolCall::new(name);
                call.id = Some(id.to_owned());
                call.input = data.get("arguments").cloned().unwrap_or(Value::Null);
                told.works();
                let event = self.event("postToolUse", EventKind::PostTool, &line);
                self.calls.begin(id, HookEvent { tool: Some(call), ..event });
            }
            "tool.execution_complete" => self.ended(&data, &line, told),
            "system.message" => told.skip(Skip::ProgramText),
            "hook.start" | "hook.end" => told.skip(Skip::Repeated),
            _ => told.skip(Skip::Bookkeeping),
        }
    }

    fn finish(self: Box<Self>) -> Vec<Item> {
        self.calls.rest()
    }
}

impl Events {
    fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            session: None,
            version: None,
            cwd: None,
            turn: None,
            calls: Calls::default(),
        }
    }

    fn begin(&mut self, data: &Value, line: &Fields, told: &mut Told) {
        if self.session.is_some() {
            return told.skip(Skip::Repeated);
        }
        self.session = word(data, "sessionId").map(Into::into);
        self.version = word(data, "copilotVersion").map(Into::into);
        self.cwd = word(&data["context"], "cwd").map(Into::into);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        let event = self.event("sessionStart", kind, line);
        told.event(HookEvent { model: word(data, "selectedModel").map(Into::into), ..event });
    }

    fn user(&mut self, data: &Value, line: &Fields, told: &mut Told) {
        self.turn = word(data, "interactionId").map(Into::into).or_else(|| self.turn.take());
        let prompt = crate::hooks::prompt::written(word(data, "content").unwrap_or_default());
        let by_person = matches!(word(data, "source"), None | Some("user")) && agent(line).is_none();
        if prompt.by == Speaker::Program || !by_person {
            return told.skip(Skip::ProgramText);
        }
        // Hooks have no id of the turn, so a prompt is known by its words and its time.
        let event = self.event("userPromptSubmitted", EventKind::Prompt, line);
        told.event(HookEvent { prompt: Some(prompt), prompt_id: None, ..event });
    }

    /// What it thought, and what it answered where it asked for no tool.
    fn assistant(&self, data: &Value, line: &Fields, told: &mut Told) {
        let thought = reasoning(data, line);
        if let Some(text) = thought {
            told.items.push(Item::Thinking(Thinking {
                text: text.to_owned(),
                at: line.moment("timestamp"),
                session: self.session.clone(),
                turn: self.turn.clone(),
                agent: agent(line),
            }));
        }
        let is_message = line.text(&["type"]).as_deref() == Some("assistant.message");
        let asks = data["toolRequests"].as_array().is_some_and(|calls| !calls.is_empty());
        match word(data, "content").filter(|_| is_message && !asks) {
            // Hooks have no id of the turn.
            Some(text) => {
                let event = self.event("agentStop", EventKind::Stop, line);
                told.answer(text, HookEvent { prompt_id: None, ..event });
            }
            None if thought.is_none() => told.skip(Skip::Answer),
            None => {}
        }
    }

    /// A call ended: as its hook would have told, by its text and how it went.
    fn ended(&mut self, data: &Value, line: &Fields, told: &mut Told) {
        let Some(mut event) = word(data, "toolCallId").and_then(|id| self.calls.end(id)) else {
            return told.skip(Skip::Repeated);
        };
        event.at = line.moment("timestamp").or(event.at);
        let Some(call) = &mut event.tool else { return };
        let result = &data["result"];
        let text = word(result, "detailedContent").or_else(|| word(result, "content")).unwrap_or_default();
        if data["success"].as_bool() == Some(true) {
            call.response = Some(json!({"resultType": "success", "textResultForLlm": text}));
        } else {
            let error = word(&data["error"], "message").or_else(|| word(data, "error"));
            call.error = Some(error.unwrap_or(text).to_owned());
            event.kind = EventKind::ToolFailure;
        }
        told.event(event);
    }

    fn event(&self, name: &str, kind: EventKind, line: &Fields) -> HookEvent {
        HookEvent {
            harness_version: self.version.clone(),
            session: self.session.clone(),
            prompt_id: self.turn.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: agent(line),
            at: line.moment("timestamp"),
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }
}

/// The subagent that a line is of.
fn agent(line: &Fields) -> Option<AgentLabel> {
    line.text(&["agentId"]).map(|id| AgentLabel { id, kind: None, parent: None })
}

/// Reasoning beside a message, or on its own.
fn reasoning<'a>(data: &'a Value, line: &Fields) -> Option<&'a str> {
    let alone = line.text(&["type"]).as_deref() == Some("assistant.reasoning");
    word(data, "reasoningText").or_else(|| word(data, "content").filter(|_| alone))
}

/// Calls that ended, and reasoning.
fn take(mut line: Fields, tail: &mut Tail) {
    let Some(data) = line.take(&["data"]) else { return };
    match line.text(&["type"]).as_deref() {
        Some("tool.execution_complete") => {
            let (Some(id), Some(success)) = (word(&data, "toolCallId"), data["success"].as_bool()) else {
                return;
            };
            let failed = Outcome::Failed { exit: None };
            let told = status(&data["shellExecution"], "exitCode").map(Outcome::of_exit);
            let outcome = told.unwrap_or(if success { Outcome::Success } else { failed });
            tail.ends.push(ToolEnd { id: id.to_owned(), outcome, output: None });
        }
        Some("assistant.message" | "assistant.reasoning") => {
            let Some(text) = reasoning(&data, &line) else { return };
            tail.thinking.push(Thinking {
                text: text.to_owned(),
                at: line.moment("timestamp"),
                session: None,
                turn: None,
                agent: None,
            });
        }
        _ => {}
    }
}
