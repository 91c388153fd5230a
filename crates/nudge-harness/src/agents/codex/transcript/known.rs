//! Remembers values that later lines leave out, and builds events with them.

use std::collections::HashSet;

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, EventKind, HookEvent, StartSource};
use serde_json::Value;

use crate::agents::codex::spec::SPEC;
use crate::transcript::item::word;
use crate::transcript::{LineItems, Skip, Thinking};

/// The source of an unattended session: `codex exec`.
const EXEC_SOURCE: &str = "exec";

/// The values seen so far in one rollout.
#[derive(Debug, Default)]
pub(super) struct RolloutState {
    path: String,
    session: Option<String>,
    pub(super) agent: Option<AgentLabel>,
    version: Option<String>,
    cwd: Option<String>,
    model: Option<String>,
    turn: Option<String>,
    /// `Some(true)` when the session runs unattended.
    headless: Option<bool>,
    /// When the current line was written.
    pub(super) at: Option<Timestamp>,
    /// The thoughts of this turn; rollouts contain each of them twice.
    thought: HashSet<String>,
}

impl RolloutState {
    pub(super) fn of_path(path: &str) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// Remembers the values that later lines leave out.
    pub(super) fn remember_fields(&mut self, kind: &str, payload: &Value) {
        if kind == "session_meta" {
            return;
        }
        let settings = payload.get("thread_settings").unwrap_or(payload);
        let is_context = kind == "turn_context" || payload.get("thread_settings").is_some();
        if let Some(cwd) = word(settings, "cwd").filter(|_| is_context) {
            self.cwd = Some(cwd.to_owned());
        }
        if let Some(model) = word(settings, "model").filter(|_| is_context) {
            self.model = Some(model.to_owned());
        }
        let passed = payload.get("internal_chat_message_metadata_passthrough").unwrap_or(payload);
        if let Some(turn) = word(passed, "turn_id").or_else(|| word(payload, "turn_id"))
            && self.turn.as_deref() != Some(turn)
        {
            self.turn = Some(turn.to_owned());
            self.thought.clear();
        }
    }

    /// The first line names the session. A forked session also contains the first line of the
    /// session it was copied from; that line starts nothing.
    pub(super) fn begin(&mut self, meta: &Value, out: &mut LineItems) {
        let Some(id) = word(meta, "id").or_else(|| word(meta, "session_id")) else {
            return out.skip(Skip::Unknown);
        };
        if self.session.is_some() {
            return out.skip(Skip::Repeated);
        }
        self.version = word(meta, "cli_version").map(Into::into);
        self.cwd = word(meta, "cwd").map(Into::into);
        self.headless = (word(meta, "source") == Some(EXEC_SOURCE)).then_some(true);
        self.at = word(meta, "timestamp").and_then(Timestamp::parse).or(self.at);
        let spawn = meta.pointer("/source/subagent/thread_spawn");
        let parent = spawn.and_then(|spawn| word(spawn, "parent_thread_id"));
        let session = parent.or_else(|| word(meta, "session_id")).unwrap_or(id);
        self.session = Some(session.to_owned());
        if session != id {
            let kind = spawn.and_then(|spawn| word(spawn, "agent_role")).or_else(|| word(meta, "agent_role"));
            let parent = Some(session.to_owned());
            self.agent = Some(AgentLabel { id: id.to_owned(), kind: kind.map(Into::into), parent });
            return out.skip(Skip::Bookkeeping);
        }
        let kind = EventKind::SessionStart { source: StartSource::Startup };
        out.event(self.event("SessionStart", kind));
    }

    pub(super) fn event(&self, name: &str, kind: EventKind) -> HookEvent {
        let is_start = matches!(kind, EventKind::SessionStart { .. });
        HookEvent {
            harness_version: self.version.clone(),
            session: self.session.clone(),
            prompt_id: self.turn.clone().filter(|_| !is_start),
            cwd: self.cwd.clone(),
            transcript: Some(self.path.clone()),
            agent: self.agent.clone(),
            at: self.at,
            model: self.model.clone(),
            headless: self.headless,
            ..HookEvent::new(SPEC.name, name, kind)
        }
    }

    /// A thought, the first time it occurs in a turn.
    pub(super) fn thinking(&mut self, text: &str) -> Option<Thinking> {
        self.thought.insert(text.to_owned()).then(|| Thinking {
            text: text.to_owned(),
            at: self.at,
            session: self.session.clone(),
            turn: self.turn.clone(),
            agent: self.agent.clone(),
        })
    }
}
