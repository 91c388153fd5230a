//! Events for tests: one builder with defaults, so that a new field is written in one place.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI64, Ordering};

use nudge_core::Speaker;
use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{
    Action, AgentRef, CapturedEvent, CapturedVia, EventBody, Identity, Phase, ProjectRef,
};
use serde_json::Map;

/// Builds an event in an agent's session. Unset values have plain defaults, and every event differs
/// from all previous ones unless [`EventBuilder::number`] says otherwise.
#[derive(Clone, Debug)]
pub struct EventBuilder {
    event: CapturedEvent,
}

impl EventBuilder {
    /// An event in session `s` of Claude Code, in the repository `/w/p`.
    pub fn new(what: EventBody) -> Self {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let event = CapturedEvent {
            harness: "claude".to_owned(),
            harness_version: None,
            event: "PostToolUse".to_owned(),
            session: "s".to_owned(),
            project: ProjectRef::default(),
            cwd: None,
            at: 0,
            identity: Identity { hash: NUMBER.fetch_add(1, Ordering::Relaxed), within_ms: None },
            turn: None,
            agent: None,
            headless: None,
            transcript: None,
            worktree: None,
            remote: None,
            branch: None,
            phase: Phase::Other,
            via: CapturedVia::Hook,
            what,
        };
        Self { event }.repository("/w/p")
    }

    /// The event.
    pub fn build(self) -> CapturedEvent {
        self.event
    }

    /// Sets the agent, such as `codex`.
    #[must_use]
    pub fn harness(mut self, name: &str) -> Self {
        self.event.harness = name.to_owned();
        self
    }

    /// Sets the agent's version.
    #[must_use]
    pub fn harness_version(mut self, version: &str) -> Self {
        self.event.harness_version = Some(version.to_owned());
        self
    }

    /// Sets the agent's own name for the event.
    #[must_use]
    pub fn named(mut self, event: &str) -> Self {
        self.event.event = event.to_owned();
        self
    }

    /// Sets the session.
    #[must_use]
    pub fn session(mut self, session: &str) -> Self {
        self.event.session = session.to_owned();
        self
    }

    /// Sets the repository, by its root; the agent works at the root.
    #[must_use]
    pub fn repository(self, root: &str) -> Self {
        self.project(&format!("{root}/.git"), root)
    }

    /// Sets the directory, which is not a repository.
    #[must_use]
    pub fn directory(self, root: &str) -> Self {
        self.project(root, root)
    }

    fn project(mut self, key: &str, root: &str) -> Self {
        let name = root.rsplit('/').next().unwrap_or(root);
        self.event.project = ProjectRef {
            key: key.to_owned(),
            name: name.to_owned(),
            root: root.to_owned(),
            ..ProjectRef::default()
        };
        self.event.cwd = Some(root.to_owned());
        self
    }

    /// Sets the project, wherever the agent works.
    #[must_use]
    pub fn project_ref(mut self, project: ProjectRef) -> Self {
        self.event.project = project;
        self
    }

    /// Sets the working directory; `None` where the agent does not say.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<&str>) -> Self {
        self.event.cwd = cwd.map(str::to_owned);
        self
    }

    /// Sets the time, in milliseconds since the epoch.
    #[must_use]
    pub const fn at(mut self, at: i64) -> Self {
        self.event.at = at;
        self
    }

    /// Makes it the same event as all others with this number.
    #[must_use]
    pub const fn number(self, hash: i64) -> Self {
        self.identity(Identity { hash, within_ms: None })
    }

    /// Makes it the same event as all others with this identity.
    #[must_use]
    pub const fn identity(mut self, identity: Identity) -> Self {
        self.event.identity = identity;
        self
    }

    /// Sets the turn.
    #[must_use]
    pub fn turn(mut self, turn: &str) -> Self {
        self.event.turn = Some(turn.to_owned());
        self
    }

    /// Sets the subagent.
    #[must_use]
    pub fn agent(mut self, agent: AgentRef) -> Self {
        self.event.agent = Some(agent);
        self
    }

    /// Sets whether the session runs unattended.
    #[must_use]
    pub const fn headless(mut self, headless: bool) -> Self {
        self.event.headless = Some(headless);
        self
    }

    /// Sets the transcript file.
    #[must_use]
    pub fn transcript(mut self, file: &str) -> Self {
        self.event.transcript = Some(file.to_owned());
        self
    }

    /// Sets the worktree of the project.
    #[must_use]
    pub fn worktree(mut self, root: &str) -> Self {
        self.event.worktree = Some(root.to_owned());
        self
    }

    /// Sets the remote URL of the project.
    #[must_use]
    pub fn remote(mut self, remote: &str) -> Self {
        self.event.remote = Some(remote.to_owned());
        self
    }

    /// Sets how the event was captured.
    #[must_use]
    pub const fn via(mut self, via: CapturedVia) -> Self {
        self.event.via = via;
        self
    }

    /// Changes the action. The event must be one.
    #[must_use]
    pub fn action(mut self, change: impl FnOnce(&mut Action)) -> Self {
        let EventBody::Action(action) = &mut self.event.what else {
            panic!("not an action: {:?}", self.event)
        };
        change(action);
        self
    }
}

impl Deref for EventBuilder {
    type Target = CapturedEvent;

    fn deref(&self) -> &CapturedEvent {
        &self.event
    }
}

impl DerefMut for EventBuilder {
    fn deref_mut(&mut self) -> &mut CapturedEvent {
        &mut self.event
    }
}

/// A session begins.
pub fn start(source: &str) -> EventBody {
    EventBody::Start { source: source.to_owned(), model: None }
}

/// A session ends.
pub fn end(reason: &str) -> EventBody {
    EventBody::End { reason: Some(reason.to_owned()) }
}

/// The user says something.
pub fn prompt(text: &str) -> EventBody {
    EventBody::Prompt { text: text.to_owned(), by: Speaker::Person }
}

/// The agent says something.
pub fn thought(text: &str) -> EventBody {
    EventBody::Prompt { text: text.to_owned(), by: Speaker::Agent }
}

/// An action with the shell tool, on no file and without further details.
pub fn action(kind: ObservationKind, body: &str, outcome: Outcome) -> Action {
    Action {
        kind,
        tool: Some("Bash".to_owned()),
        call: None,
        body: body.to_owned(),
        files: Vec::new(),
        outcome,
        metadata: Map::new(),
    }
}

/// The agent runs a command, with this outcome.
pub fn command(line: &str, outcome: Outcome) -> Action {
    let failed = matches!(outcome, Outcome::Failed { .. });
    action(if failed { ObservationKind::CommandError } else { ObservationKind::Command }, line, outcome)
}

/// The agent reads or changes a file.
pub fn file(kind: ObservationKind, path: &str) -> Action {
    Action { files: vec![path.to_owned()], ..action(kind, path, Outcome::Success) }
}
