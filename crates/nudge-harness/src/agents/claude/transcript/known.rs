//! What earlier lines said and later ones leave out, and the events that are made with it.

use nudge_core::event::{AgentLabel, EventKind, HookEvent, PromptText, Speaker, Speech, StartSource};

use crate::agents::claude::spec::SPEC;
use crate::payload::Fields;
use crate::transcript::line::word;
use crate::transcript::{Thinking, Told};

/// One transcript, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Known {
    path: String,
    /// The subagent whose transcript this is, by the file's name.
    file_agent: Option<String>,
    /// What sort of subagent it is, once a line has said so.
    agent_kind: Option<String>,
    /// The sessions whose start was told: the lines of a resumed session may come under two.
    started: Vec<String>,
    /// The prompt under way.
    pub(super) turn: Option<String>,
    session: Option<String>,
    cwd: Option<String>,
    /// That nobody watches.
    headless: Option<bool>,
}

impl Known {
    pub(super) fn of_path(path: &str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let agent = name.strip_prefix("agent-").and_then(|name| name.strip_suffix(".jsonl"));
        Self { path: path.to_owned(), file_agent: agent.map(Into::into), ..Self::default() }
    }

    /// What later lines leave out.
    pub(super) fn learn(&mut self, line: &mut Fields) {
        if let Some(turn) = line.text(&["promptId"]) {
            self.turn = Some(turn);
        }
        if let Some(session) = line.text(&["sessionId", "session_id"]) {
            self.session = Some(session);
        }
        if let Some(cwd) = line.text(&["cwd"]) {
            self.cwd = Some(cwd);
        }
        // What is printed as a stream spells the session in its own way; a transcript names who started the program.
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

    /// A session starts with its first line. A subagent's transcript starts none.
    pub(super) fn start(&mut self, line: &Fields, told: &mut Told) {
        let Some(session) = self.session.clone() else { return };
        if self.agent(line).is_some() || self.started.contains(&session) {
            return;
        }
        self.started.push(session);
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        told.event(HookEvent { prompt_id: None, ..self.event("SessionStart", kind, line) });
    }

    pub(super) fn event(&self, name: &str, kind: EventKind, line: &Fields) -> HookEvent {
        HookEvent {
            harness_version: line.text(&["version"]),
            session: self.session.clone(),
            prompt_id: self.turn.clone(),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: self.agent(line),
            at: line.moment("timestamp"),
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

    /// What the person typed.
    pub(super) fn prompt(&self, text: String, line: &Fields) -> HookEvent {
        let prompt = PromptText { text, by: Speaker::Person };
        HookEvent { prompt: Some(prompt), ..self.event("UserPromptSubmit", EventKind::Prompt, line) }
    }

    /// What the program told the agent in the person's place.
    pub(super) fn told(&self, text: String, line: &Fields) -> HookEvent {
        let prompt = PromptText { text, by: Speaker::Program };
        HookEvent { prompt: Some(prompt), ..self.event("UserPromptSubmit", EventKind::Prompt, line) }
    }

    /// What the person said in another way. It is the person's also where the call is a subagent's.
    pub(super) fn said(&self, words: &str, speech: Speech, line: &Fields, told: &mut Told) {
        if !words.trim().is_empty() {
            let event = self.prompt(words.trim().to_owned(), line);
            told.event(HookEvent { speech: Some(speech), agent: None, ..event });
        }
    }

    pub(super) fn thinking(&self, text: &str, line: &Fields) -> Thinking {
        Thinking {
            text: text.to_owned(),
            at: line.moment("timestamp"),
            session: self.session.clone(),
            turn: self.turn.clone(),
            agent: self.agent(line),
        }
    }
}
