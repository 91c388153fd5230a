//! opencode's database: a row per session, message and part. Messages and parts keep their content
//! in a JSON column.

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, StartSource, ToolCall};
use serde_json::{Value, json};

use super::SPEC;
use crate::payload::Fields;
use crate::transcript::item::{text_of, word};
use crate::transcript::{Follow, Format, Item, LineItems, Skip, Thinking, TranscriptDir};

pub(super) const FORMAT: Format = Format {
    dir: Some(TranscriptDir {
        variable: Some("XDG_DATA_HOME"),
        in_home: ".local/share",
        inside: "opencode/opencode.db",
    }),
    follow: Some(|path| Box::new(Rows::new(path))),
    ..Format::NONE
};

/// The state of reading the rows. Each session comes before its messages.
#[derive(Debug)]
struct Rows {
    path: String,
    session: Option<String>,
    agent: Option<AgentLabel>,
    version: Option<String>,
    cwd: Option<String>,
}

impl Follow for Rows {
    fn line(&mut self, mut line: Fields, out: &mut LineItems) {
        if let Some(Value::Object(row)) = line.take(&["session"]) {
            return self.begin(&Fields::new(row), out);
        }
        let Some(Value::Object(mut row)) = line.take(&["message"]) else { return out.skip(Skip::Unknown) };
        let Some(data) = row.get_mut("data").and_then(column) else { return out.skip(Skip::Malformed) };
        let parts = match line.take(&["parts"]) {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let parts: Vec<Value> =
            parts.into_iter().filter_map(|mut part| part.get_mut("data").and_then(column)).collect();
        let id = row.get("id").and_then(Value::as_str).map(Into::into);
        match word(&data, "role") {
            Some("user") => self.user(id, &data, &parts, out),
            Some("assistant") => self.assistant(&data, parts, out),
            _ => out.skip(Skip::Unknown),
        }
    }
}

impl Rows {
    fn new(path: &str) -> Self {
        Self { path: path.to_owned(), session: None, agent: None, version: None, cwd: None }
    }

    fn begin(&mut self, row: &Fields, out: &mut LineItems) {
        let Some(id) = row.text(&["id"]) else { return out.skip(Skip::Unknown) };
        self.version = row.text(&["version"]);
        self.cwd = row.text(&["directory"]);
        let kind = row.text(&["agent"]);
        self.agent =
            row.text(&["parent_id"]).map(|parent| AgentLabel { id: id.clone(), kind, parent: Some(parent) });
        self.session = Some(id);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        out.event(HookEvent { at: row.point("time_created"), ..self.event("session.created", kind) });
    }

    fn event(&self, name: &str, kind: EventKind) -> HookEvent {
        HookEvent {
            harness_version: self.version.clone(),
            session: self.session.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: self.agent.clone(),
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }

    fn user(&self, id: Option<String>, data: &Value, parts: &[Value], out: &mut LineItems) {
        let at = point(data.pointer("/time/created"));
        if let Some(compaction) = parts.iter().find(|part| part["type"] == "compaction") {
            let auto = compaction["auto"].as_bool();
            let trigger = auto.map(|auto| if auto { "auto" } else { "manual" }.to_owned());
            let event = self.event("session.compacted", EventKind::PostCompact { trigger });
            return out.event(HookEvent { at, ..event });
        }
        let typed = |part: &&Value| part["type"] == "text" && part["synthetic"].as_bool() != Some(true);
        let typed: Vec<Value> = parts.iter().filter(typed).cloned().collect();
        if typed.is_empty() {
            return out.skip(Skip::ProgramText);
        }
        // The agent that started a subagent wrote the subagent's task.
        let prompt =
            crate::hooks::prompt::classify_prompt(&text_of(&Value::Array(typed)).unwrap_or_default());
        if self.agent.is_some() || prompt.text.trim().is_empty() {
            return out.skip(Skip::ProgramText);
        }
        let model = data.pointer("/model/modelID").and_then(Value::as_str).map(Into::into);
        let event = self.event("chat.message", EventKind::Prompt);
        out.event(HookEvent { at, prompt_id: id, model, prompt: Some(prompt), ..event });
    }

    fn assistant(&self, data: &Value, parts: Vec<Value>, out: &mut LineItems) {
        if data["summary"].as_bool() == Some(true) {
            return out.skip(Skip::Summary);
        }
        let turn = word(data, "parentID").map(String::from);
        let created = point(data.pointer("/time/created"));
        let before = out.items.len();
        let mut answer = None;
        for part in parts {
            match word(&part, "type") {
                Some("text") => answer = word(&part, "text").map(str::to_owned).or(answer),
                Some("tool") => {
                    out.note_action();
                    answer = None;
                    let cwd = data.pointer("/path/cwd").and_then(Value::as_str).map(Into::into);
                    if let Some(mut event) = self.call(part, created) {
                        event.cwd = cwd.or(event.cwd);
                        event.prompt_id.clone_from(&turn);
                        event.model = word(data, "modelID").map(Into::into);
                        out.event(event);
                    }
                }
                Some("reasoning") => {
                    let Some(text) = word(&part, "text").map(str::trim).filter(|text| !text.is_empty())
                    else {
                        continue;
                    };
                    out.items.push(Item::Thinking(Thinking {
                        text: text.to_owned(),
                        at: point(part.pointer("/time/end")).or(created),
                        session: self.session.clone(),
                        turn: turn.clone(),
                        agent: self.agent.clone(),
                    }));
                }
                _ => {}
            }
        }
        // A turn that ended with an error has no conclusion.
        match answer.filter(|_| data["error"].is_null()) {
            Some(answer) => {
                let at = point(data.pointer("/time/completed")).or(created);
                let event = self.event("session.idle", EventKind::Stop);
                out.answer(&answer, HookEvent { at, prompt_id: turn, ..event });
            }
            None if out.items.len() == before => out.skip(Skip::Answer),
            None => {}
        }
    }

    /// A call that is still running or was cut off has neither response nor error.
    fn call(&self, mut part: Value, created: Option<Timestamp>) -> Option<HookEvent> {
        let mut call = ToolCall::new(word(&part, "tool")?);
        call.id = word(&part, "callID").map(Into::into);
        let state = part.get_mut("state").map_or(Value::Null, Value::take);
        call.input = state.get("input").cloned().unwrap_or(Value::Null);
        let (start, end) = (point(state.pointer("/time/start")), point(state.pointer("/time/end")));
        call.duration_ms =
            start.zip(end).and_then(|(start, end)| u64::try_from(end.since(start).as_millis()).ok());
        let mut event = self.event("tool.execute.after", EventKind::PostTool);
        event.at = end.or(start).or(created);
        match word(&state, "status") {
            Some("completed") => {
                // Hooks see it in the MCP result itself; here the status has it.
                let out = ["title", "output", "metadata"]
                    .map(|key| (key, state.get(key).cloned().unwrap_or(Value::Null)));
                let mut response: Value =
                    out.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
                response["isError"] = json!(false);
                call.response = Some(response);
            }
            Some("error") => {
                event.kind = EventKind::ToolFailure;
                call.error = Some(word(&state, "error").unwrap_or("failed").to_owned());
                call.interrupted =
                    state.pointer("/metadata/interrupted").and_then(Value::as_bool) == Some(true);
            }
            _ => {}
        }
        event.tool = Some(call);
        Some(event)
    }
}

/// The JSON of a column, which may be text or already parsed.
fn column(value: &mut Value) -> Option<Value> {
    match value.take() {
        Value::String(text) => serde_json::from_str(&text).ok().filter(Value::is_object),
        object @ Value::Object(_) => Some(object),
        _ => None,
    }
}

fn point(value: Option<&Value>) -> Option<Timestamp> {
    value.and_then(Value::as_i64).map(Timestamp::from_millis)
}
