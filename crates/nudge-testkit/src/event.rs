//! Events for tests: one builder with defaults, so that a new field is written in one place.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI64, Ordering};

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{Action, AgentRef, By, Identity, Moment, Phase, ProjectRef, Via, What};
use serde_json::Map;

/// An event that happened in an agent's session. What a test does not say is a plain default, and
/// every event is another one than all before it unless [`EventBuilder::number`] says otherwise.
#[derive(Clone, Debug)]
pub struct EventBuilder {
    event: Moment,
}

impl EventBuilder {
    /// Something that happened in session `s` of Claude Code, in the repository `/w/p`.
    pub fn new(what: What) -> Self {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let event = Moment {
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
            via: Via::Hook,
            what,
        };
        Self { event }.repository("/w/p")
    }

    /// The event itself.
    pub fn build(self) -> Moment {
        self.event
    }

    /// By this agent, such as `codex`.
    #[must_use]
    pub fn harness(mut self, name: &str) -> Self {
        self.event.harness = name.to_owned();
        self
    }

    /// By this version of the agent.
    #[must_use]
    pub fn harness_version(mut self, version: &str) -> Self {
        self.event.harness_version = Some(version.to_owned());
        self
    }

    /// Under this name of the agent's own.
    #[must_use]
    pub fn named(mut self, event: &str) -> Self {
        self.event.event = event.to_owned();
        self
    }

    /// In this session.
    #[must_use]
    pub fn session(mut self, session: &str) -> Self {
        self.event.session = session.to_owned();
        self
    }

    /// In the repository with this root, at its root.
    #[must_use]
    pub fn repository(self, root: &str) -> Self {
        self.project(&format!("{root}/.git"), root)
    }

    /// In this directory, which is no repository.
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

    /// In this project, wherever the agent stands.
    #[must_use]
    pub fn project_ref(mut self, project: ProjectRef) -> Self {
        self.event.project = project;
        self
    }

    /// In this working directory; `None` where the agent does not say.
    #[must_use]
    pub fn cwd(mut self, cwd: Option<&str>) -> Self {
        self.event.cwd = cwd.map(str::to_owned);
        self
    }

    /// At this time, in milliseconds since the epoch.
    #[must_use]
    pub const fn at(mut self, at: i64) -> Self {
        self.event.at = at;
        self
    }

    /// The same event as all with this number.
    #[must_use]
    pub const fn number(self, hash: i64) -> Self {
        self.identity(Identity { hash, within_ms: None })
    }

    /// The same event as all with this identity.
    #[must_use]
    pub const fn identity(mut self, identity: Identity) -> Self {
        self.event.identity = identity;
        self
    }

    /// In this turn.
    #[must_use]
    pub fn turn(mut self, turn: &str) -> Self {
        self.event.turn = Some(turn.to_owned());
        self
    }

    /// In this subagent.
    #[must_use]
    pub fn agent(mut self, agent: AgentRef) -> Self {
        self.event.agent = Some(agent);
        self
    }

    /// Whether nobody watches.
    #[must_use]
    pub const fn headless(mut self, headless: bool) -> Self {
        self.event.headless = Some(headless);
        self
    }

    /// With the conversation kept in this file.
    #[must_use]
    pub fn transcript(mut self, file: &str) -> Self {
        self.event.transcript = Some(file.to_owned());
        self
    }

    /// In this worktree of the project.
    #[must_use]
    pub fn worktree(mut self, root: &str) -> Self {
        self.event.worktree = Some(root.to_owned());
        self
    }

    /// In a project that is shared under this address.
    #[must_use]
    pub fn remote(mut self, remote: &str) -> Self {
        self.event.remote = Some(remote.to_owned());
        self
    }

    /// Come by this way.
    #[must_use]
    pub const fn via(mut self, via: Via) -> Self {
        self.event.via = via;
        self
    }

    /// Changes the action, which it must be.
    #[must_use]
    pub fn action(mut self, change: impl FnOnce(&mut Action)) -> Self {
        let What::Action(action) = &mut self.event.what else { panic!("not an action: {:?}", self.event) };
        change(action);
        self
    }
}

impl Deref for EventBuilder {
    type Target = Moment;

    fn deref(&self) -> &Moment {
        &self.event
    }
}

impl DerefMut for EventBuilder {
    fn deref_mut(&mut self) -> &mut Moment {
        &mut self.event
    }
}

/// A session begins.
pub fn start(source: &str) -> What {
    What::Start { source: source.to_owned(), model: None }
}

/// A session ends.
pub fn end(reason: &str) -> What {
    What::End { reason: Some(reason.to_owned()) }
}

/// The person says something.
pub fn prompt(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::User }
}

/// The agent says something.
pub fn thought(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::Agent }
}

/// The agent does something with its shell, to no file and with nothing beside.
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

/// The agent runs a command, well or not.
pub fn command(line: &str, outcome: Outcome) -> Action {
    let failed = matches!(outcome, Outcome::Failed { .. });
    action(if failed { ObservationKind::CommandError } else { ObservationKind::Command }, line, outcome)
}

/// The agent reads or changes a file.
pub fn file(kind: ObservationKind, path: &str) -> Action {
    Action { files: vec![path.to_owned()], ..action(kind, path, Outcome::Success) }
}
