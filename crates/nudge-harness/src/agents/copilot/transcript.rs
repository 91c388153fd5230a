//! GitHub Copilot CLI's record of a session, `events.jsonl`: each line `{type, data, id, timestamp,
//! parentId}`.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, Outcome, Speaker, StartSource, ToolCall};
use serde_json::{Value, json};

use super::SPEC;
use crate::payload::Fields;
use crate::transcript::item::{Calls, status, word};
use crate::transcript::{
    Follow, Format, FormatMarkers, Item, LineItems, Skip, Tail, TailFormat, Thinking, ToolEnd, TranscriptDir,
};

pub(super) const FORMAT: Format = Format {
    dir: Some(TranscriptDir { variable: Some("COPILOT_HOME"), in_home: ".copilot", inside: "session-state" }),
    is_named: |_| false,
    follow: Some(|path| Box::new(Events::new(path))),
    beginning: FormatMarkers { line: is_line, head: |_| false },
    tail: Some(TailFormat { words: &["tool.execution_complete", "reasoning"], has_answers: true, take }),
    ..Format::NONE
};

/// Whether a line belongs to such a record.
fn is_line(line: &Value) -> bool {
    line["data"].is_object() && line["type"].as_str().is_some_and(|kind| kind.contains('.'))
}

/// The state of reading one session.
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
    fn line(&mut self, mut line: Fields, out: &mut LineItems) {
        let data = line.take(&["data"]).unwrap_or(Value::Null);
        match line.text(&["type"]).as_deref().unwrap_or_default() {
            "session.start" => self.begin(&data, &line, out),
            "user.message" => self.user(&data, &line, out),
            "assistant.message" | "assistant.reasoning" => self.assistant(&data, &line, out),
            "tool.execution_start" => {
                let (Some(id), Some(name)) = (word(&data, "toolCallId"), word(&data, "toolName")) else {
                    return out.skip(Skip::Unknown);
                };
                let mut call = ToolCall::new(name);
                call.id = Some(id.to_owned());
                call.input = data.get("arguments").cloned().unwrap_or(Value::Null);
                out.note_action();
                let event = self.event("postToolUse", EventKind::PostTool, &line);
                self.calls.begin(id, HookEvent { tool: Some(call), ..event });
            }
            "tool.execution_complete" => self.ended(&data, &line, out),
            "system.message" => out.skip(Skip::ProgramText),
            "hook.start" | "hook.end" => out.skip(Skip::Repeated),
            _ => out.skip(Skip::Bookkeeping),
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

    fn begin(&mut self, data: &Value, line: &Fields, out: &mut LineItems) {
        if self.session.is_some() {
            return out.skip(Skip::Repeated);
        }
        self.session = word(data, "sessionId").map(Into::into);
        self.version = word(data, "copilotVersion").map(Into::into);
        self.cwd = word(&data["context"], "cwd").map(Into::into);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        let event = self.event("sessionStart", kind, line);
        out.event(HookEvent { model: word(data, "selectedModel").map(Into::into), ..event });
    }

    fn user(&mut self, data: &Value, line: &Fields, out: &mut LineItems) {
        self.turn = word(data, "interactionId").map(Into::into).or_else(|| self.turn.take());
        let prompt = crate::hooks::prompt::classify_prompt(word(data, "content").unwrap_or_default());
        let by_person = matches!(word(data, "source"), None | Some("user")) && agent(line).is_none();
        if prompt.by == Speaker::Program || !by_person {
            return out.skip(Skip::ProgramText);
        }
        // Hooks have no turn id, so a prompt is identified by its text and time.
        let event = self.event("userPromptSubmitted", EventKind::Prompt, line);
        out.event(HookEvent { prompt: Some(prompt), prompt_id: None, ..event });
    }

    /// The agent's thinking, and its answer in a message that calls no tool.
    fn assistant(&self, data: &Value, line: &Fields, out: &mut LineItems) {
        let thought = reasoning(data, line);
        if let Some(text) = thought {
            out.items.push(Item::Thinking(Thinking {
                text: text.to_owned(),
                at: line.point("timestamp"),
                session: self.session.clone(),
                turn: self.turn.clone(),
                agent: agent(line),
            }));
        }
        let is_message = line.text(&["type"]).as_deref() == Some("assistant.message");
        let asks = data["toolRequests"].as_array().is_some_and(|calls| !calls.is_empty());
        match word(data, "content").filter(|_| is_message && !asks) {
            // Hooks have no turn id.
            Some(text) => {
                let event = self.event("agentStop", EventKind::Stop, line);
                out.answer(text, HookEvent { prompt_id: None, ..event });
            }
            None if thought.is_none() => out.skip(Skip::Answer),
            None => {}
        }
    }

    /// A call ended: reported as its hook would, with its text and outcome.
    fn ended(&mut self, data: &Value, line: &Fields, out: &mut LineItems) {
        let Some(mut event) = word(data, "toolCallId").and_then(|id| self.calls.end(id)) else {
            return out.skip(Skip::Repeated);
        };
        event.at = line.point("timestamp").or(event.at);
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
        out.event(event);
    }

    fn event(&self, name: &str, kind: EventKind, line: &Fields) -> HookEvent {
        HookEvent {
            harness_version: self.version.clone(),
            session: self.session.clone(),
            prompt_id: self.turn.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: agent(line),
            at: line.point("timestamp"),
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }
}

/// The subagent that a line belongs to.
fn agent(line: &Fields) -> Option<AgentLabel> {
    line.text(&["agentId"]).map(|id| AgentLabel { id, kind: None, parent: None })
}

/// Reasoning in a message or in a line of its own.
fn reasoning<'a>(data: &'a Value, line: &Fields) -> Option<&'a str> {
    let alone = line.text(&["type"]).as_deref() == Some("assistant.reasoning");
    word(data, "reasoningText").or_else(|| word(data, "content").filter(|_| alone))
}

/// Ended calls, and reasoning.
fn take(mut line: Fields, tail: &mut Tail) {
    let Some(data) = line.take(&["data"]) else { return };
    match line.text(&["type"]).as_deref() {
        Some("tool.execution_complete") => {
            let (Some(id), Some(success)) = (word(&data, "toolCallId"), data["success"].as_bool()) else {
                return;
            };
            let failed = Outcome::Failed { exit: None };
            let out = status(&data["shellExecution"], "exitCode").map(Outcome::of_exit);
            let outcome = out.unwrap_or(if success { Outcome::Success } else { failed });
            tail.ends.push(ToolEnd { id: id.to_owned(), outcome, output: None });
        }
        Some("assistant.message" | "assistant.reasoning") => {
            let Some(text) = reasoning(&data, &line) else { return };
            tail.thinking.push(Thinking {
                text: text.to_owned(),
                at: line.point("timestamp"),
                session: None,
                turn: None,
                agent: None,
            });
        }
        _ => {}
    }
}
