//! Remembers values that later lines leave out, and builds events with them.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, PromptText, Speaker, Speech, StartSource};

use crate::agents::claude::hooks::SPEC;
use crate::payload::Fields;
use crate::transcript::item::word;
use crate::transcript::{LineItems, Thinking};

/// The values seen so far in one transcript.
#[derive(Debug, Default)]
pub(super) struct TranscriptState {
    path: String,
    /// The subagent that wrote this transcript, from the file name.
    file_agent: Option<String>,
    /// The kind of subagent, once a line has named it.
    agent_kind: Option<String>,
    /// The sessions with a start event already: a resumed session's lines may have two session ids.
    started: Vec<String>,
    /// The id of the current prompt.
    pub(super) turn: Option<String>,
    session: Option<String>,
    cwd: Option<String>,
    /// `Some(true)` when the session runs unattended.
    headless: Option<bool>,
}

impl TranscriptState {
    pub(super) fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let agent = name.strip_prefix("agent-").and_then(|name| name.strip_suffix(".jsonl"));
        Self { path: path.to_owned(), file_agent: agent.map(Into::into), ..Self::default() }
    }

    /// Remembers the values that later lines leave out.
    pub(super) fn remember_fields(&mut self, line: &mut Fields) {
        if let Some(turn) = line.text(&["promptId"]) {
            self.turn = Some(turn);
        }
        if let Some(session) = line.text(&["sessionId", "session_id"]) {
            self.session = Some(session);
        }
        if let Some(cwd) = line.text(&["cwd"]) {
            self.cwd = Some(cwd);
        }
        // A printed stream spells `session_id` differently; a transcript names its entry point.
        let streamed = line.get("sessionId").is_none() && line.get("session_id").is_some();
        if streamed || line.text(&["entrypoint"]).is_some_and(|entry| entry.starts_with("sdk")) {
            self.headless = Some(true);
        }
        if let Some(kind) = line.text(&["attributionAgent"]) {
            self.agent_kind = Some(kind);
        }
        let hook = line.get("attachment").and_then(|attachment| word(attachment, "hookName"));
        if let Some(kind) = hook.and_then(|hook| hook.strip_prefix("SubagentStart:")) {
            self.agent_kind = Some(kind.to_owned());
        }
    }

    /// A session starts with its first line. A subagent's transcript does not start one.
    pub(super) fn start(&mut self, line: &Fields, out: &mut LineItems) {
        let Some(session) = self.session.clone() else { return };
        if self.agent(line).is_some() || self.started.contains(&session) {
            return;
        }
        self.started.push(session);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        out.event(HookEvent { prompt_id: None, ..self.event("SessionStart", kind, line) });
    }

    pub(super) fn event(&self, name: &str, kind: EventKind, line: &Fields) -> HookEvent {
        HookEvent {
            harness_version: line.text(&["version"]),
            session: self.session.clone(),
            prompt_id: self.turn.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: self.agent(line),
            at: line.point("timestamp"),
            permission_mode: line.text(&["permissionMode"]),
            headless: self.headless,
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }

    pub(super) fn agent(&self, line: &Fields) -> Option<AgentLabel> {
        let named = line.text(&["agentId", "parent_tool_use_id"]).or_else(|| self.file_agent.clone());
        let id = named.or_else(|| line.flag("isSidechain").then(|| "sidechain".to_owned()))?;
        Some(AgentLabel { id, kind: self.agent_kind.clone(), parent: None })
    }

    /// A prompt that the user typed.
    pub(super) fn prompt(&self, text: String, line: &Fields) -> HookEvent {
        let prompt = PromptText { text, by: Speaker::Person };
        HookEvent { prompt: Some(prompt), ..self.event("UserPromptSubmit", EventKind::Prompt, line) }
    }

    /// A prompt that the program wrote in the user's place.
    pub(super) fn program_prompt(&self, text: String, line: &Fields) -> HookEvent {
        let prompt = PromptText { text, by: Speaker::Program };
        HookEvent { prompt: Some(prompt), ..self.event("UserPromptSubmit", EventKind::Prompt, line) }
    }

    /// Something the user said other than by a prompt. It is the user's even when the call is a
    /// subagent's.
    pub(super) fn add_speech(&self, words: &str, speech: Speech, line: &Fields, out: &mut LineItems) {
        if !words.trim().is_empty() {
            let event = self.prompt(words.trim().to_owned(), line);
            out.event(HookEvent { speech: Some(speech), agent: None, ..event });
        }
    }

    pub(super) fn thinking(&self, text: &str, line: &Fields) -> Thinking {
        Thinking {
            text: text.to_owned(),
            at: line.point("timestamp"),
            session: self.session.clone(),
            turn: self.turn.clone(),
            agent: self.agent(line),
        }
    }
}
