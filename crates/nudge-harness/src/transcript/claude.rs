//! Claude Code's transcripts: one line per message, `<session>.jsonl`, and `<session>/subagents/agent-<id>.jsonl` beside it.

mod prompt;
mod result;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, PromptText, Speaker, StartSource, ToolCall};
use serde_json::Value;

use super::calls::Calls;
use super::line::{text_of, word};
use super::{Item, Skip, Thinking, Told, ToolEnd};
use crate::claude::SPEC;
use crate::event;
use crate::fields::Fields;

/// Kinds of lines that hold what the program needs for itself.
const BOOKKEEPING: &[&str] = &[
    "queue-operation",
    "prompt_snapshot",
    "last-prompt",
    "cost-state",
    "tools-used",
    "file-history-snapshot",
    "progress",
    "mode",
    "permission-mode",
    "ai-title",
    "custom-title",
    "agent-name",
    "pr-link",
    "turn_duration",
];

/// One transcript, as far as it was read.
#[derive(Debug)]
pub(super) struct Session {
    path: String,
    /// The subagent whose transcript this is, by the file's name.
    file_agent: Option<String>,
    /// What sort of subagent it is, once a line has said so.
    agent_kind: Option<String>,
    /// The sessions whose start was told: the lines of a resumed session may come under two.
    started: Vec<String>,
    turn: Option<String>,
    calls: Calls,
}

impl Session {
    pub(super) fn new(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let agent = name.strip_prefix("agent-").and_then(|name| name.strip_suffix(".jsonl"));
        Self {
            path: path.to_owned(),
            file_agent: agent.map(Into::into),
            agent_kind: None,
            started: Vec::new(),
            turn: None,
            calls: Calls::default(),
        }
    }

    pub(super) fn line(&mut self, mut line: Fields, told: &mut Told) {
        let kind = line.text(&["type"]).unwrap_or_default();
        self.learn(&mut line);
        match kind.as_str() {
            "user" | "assistant" | "system" | "attachment" => self.start(&line, told),
            _ => {}
        }
        match kind.as_str() {
            "user" => self.user(line, told),
            "assistant" => self.assistant(line, told),
            "system" => self.system(line, told),
            "attachment" => told.skip(attachment(&mut line)),
            "summary" => told.skip(Skip::Summary),
            kind if BOOKKEEPING.contains(&kind) || kind.starts_with("api-") => told.skip(Skip::Bookkeeping),
            _ => told.skip(Skip::Unknown),
        }
    }

    pub(super) fn finish(self) -> Vec<Item> {
        self.calls.rest()
    }

    /// What later lines leave out.
    fn learn(&mut self, line: &mut Fields) {
        if let Some(turn) = line.text(&["promptId"]) {
            self.turn = Some(turn);
        }
        if let Some(kind) = line.text(&["attributionAgent"]) {
            self.agent_kind = Some(kind);
        }
        let hook = line.get("attachment").and_then(|attachment| word(attachment, "hookName"));
        if let Some(kind) = hook.and_then(|hook| hook.strip_prefix("SubagentStart:")) {
            self.agent_kind = Some(kind.to_owned());
        }
    }

    /// A session starts with its first line. A subagent's transcript starts none.
    fn start(&mut self, line: &Fields, told: &mut Told) {
        let Some(session) = line.text(&["sessionId"]) else { return };
        if self.agent(line).is_some() || self.started.contains(&session) {
            return;
        }
        self.started.push(session);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        told.event(HookEvent { prompt_id: None, ..self.event("SessionStart", kind, line) });
    }

    fn event(&self, name: &str, kind: EventKind, line: &Fields) -> HookEvent {
        HookEvent {
            harness_version: line.text(&["version"]),
            session: line.text(&["sessionId"]),
            prompt_id: self.turn.clone(),
            cwd: line.text(&["cwd"]),
            transcript: Some(self.path.clone()),
            agent: self.agent(line),
            at: line.moment("timestamp"),
            permission_mode: line.text(&["permissionMode"]),
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }

    fn agent(&self, line: &Fields) -> Option<AgentLabel> {
        let named = line.text(&["agentId"]).or_else(|| self.file_agent.clone());
        let id = named.or_else(|| line.flag("isSidechain").then(|| "sidechain".to_owned()))?;
        Some(AgentLabel { id, kind: self.agent_kind.clone(), parent: None })
    }

    fn user(&mut self, mut line: Fields, told: &mut Told) {
        let content = line.take_object(&["message"]).take(&["content"]).unwrap_or(Value::Null);
        let results = result::all(&content);
        if !results.is_empty() {
            let whole = line.take(&["toolUseResult"]);
            return self.results(&line, results, whole, told);
        }
        if line.flag("isCompactSummary") {
            return told.skip(Skip::Summary);
        }
        let text = text_of(&content).unwrap_or_default();
        let of_program = line.flag("isMeta")
            || line.flag("isVisibleInTranscriptOnly")
            || self.agent(&line).is_some()
            || prompt::is_of_program(&text);
        if of_program || text.trim().is_empty() {
            return told.skip(Skip::ProgramText);
        }
        let prompt: PromptText = crate::prompt::written(&text);
        if prompt.by == Speaker::Program && prompt.text.trim().is_empty() {
            return told.skip(Skip::Injected);
        }
        let event = self.event("UserPromptSubmit", EventKind::Prompt, &line);
        told.event(HookEvent { prompt: Some(prompt), ..event });
    }

    fn results(
        &mut self,
        line: &Fields,
        results: Vec<result::ToolResult>,
        mut whole: Option<Value>,
        told: &mut Told,
    ) {
        let only = results.len() == 1;
        for result in results {
            if result.was_declined() {
                // The call never ran, so no hook would have told of it.
                self.calls.end(&result.id);
                told.skip(Skip::Declined);
                continue;
            }
            let end = ToolEnd { id: result.id.clone(), outcome: result.outcome() };
            let Some(mut event) = self.calls.end(&result.id) else {
                told.items.push(Item::ToolEnd(end));
                continue;
            };
            event.at = line.moment("timestamp").or(event.at);
            event.prompt_id = self.turn.clone().or(event.prompt_id);
            result.into_event(&mut event, whole.take().filter(|_| only));
            told.event(event);
        }
    }

    fn assistant(&mut self, mut line: Fields, told: &mut Told) {
        let mut message = line.take_object(&["message"]);
        let model = message.text(&["model"]);
        let Some(Value::Array(blocks)) = message.take(&["content"]) else {
            return told.skip(Skip::Answer);
        };
        let mut took = false;
        for mut block in blocks {
            match word(&block, "type") {
                Some("thinking") => {
                    if let Some(text) = word(&block, "thinking") {
                        took = true;
                        told.items.push(Item::Thinking(self.thinking(text, &line)));
                    }
                }
                Some("tool_use") => {
                    let (Some(id), Some(name)) = (word(&block, "id"), word(&block, "name")) else { continue };
                    took = true;
                    let (id, mut tool) = (id.to_owned(), ToolCall::new(name));
                    tool.id = Some(id.clone());
                    tool.input = block.get_mut("input").map_or(Value::Null, Value::take);
                    let event = self.event("PostToolUse", EventKind::PostTool, &line);
                    self.calls.begin(&id, HookEvent { tool: Some(tool), model: model.clone(), ..event });
                }
                _ => {}
            }
        }
        if !took {
            told.skip(Skip::Answer);
        }
    }

    fn thinking(&self, text: &str, line: &Fields) -> Thinking {
        Thinking {
            text: text.to_owned(),
            at: line.moment("timestamp"),
            session: line.text(&["sessionId"]),
            turn: self.turn.clone(),
            agent: self.agent(line),
        }
    }

    fn system(&self, mut line: Fields, told: &mut Told) {
        if line.text(&["subtype"]).as_deref() != Some("compact_boundary") {
            return told.skip(Skip::Bookkeeping);
        }
        let trigger = line.take_object(&["compactMetadata"]).text(&["trigger"]);
        told.event(self.event("PostCompact", EventKind::PostCompact { trigger }, &line));
    }
}

fn attachment(line: &mut Fields) -> Skip {
    let kind = line.take_object(&["attachment"]).text(&["type"]).unwrap_or_default();
    if kind.starts_with("hook_") { Skip::Injected } else { Skip::Bookkeeping }
}

/// What one line adds to what hooks told: thinking, and calls that failed.
pub(super) fn grown(mut line: Fields, growth: &mut super::Growth) {
    let at: Option<Timestamp> = line.moment("timestamp");
    let content = line.take_object(&["message"]).take(&["content"]).unwrap_or(Value::Null);
    let ends = result::all(&content).into_iter().filter(|result| result.failed && !result.was_declined());
    growth.ends.extend(ends.map(|result| ToolEnd { outcome: result.outcome(), id: result.id }));
    let agent = line.text(&["agentId"]).map(|id| AgentLabel {
        id,
        kind: line.text(&["attributionAgent"]),
        parent: None,
    });
    let blocks = content.as_array().into_iter().flatten();
    let texts =
        blocks.filter(|block| block["type"] == "thinking").filter_map(|block| word(block, "thinking"));
    growth.thinking.extend(texts.map(|text| Thinking {
        text: text.to_owned(),
        at,
        session: line.text(&["sessionId"]),
        turn: line.text(&["promptId"]),
        agent: agent.clone(),
    }));
}

/// An error's text without the word that the program puts before it.
fn error_text(content: &Value) -> Option<String> {
    text_of(content).or_else(|| event::error_text(content.clone()))
}
