//! A store in memory, and moments for it.

use std::time::Duration;

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{HostIdentity, Location, ObservationRow, OpenOptions, PromptRow, Store};
use serde_json::{Map, Value};

pub(crate) const START: i64 = 1_794_723_027_123;

pub(crate) struct Bench {
    pub(crate) memory: Memory,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now: Timestamp::from_millis(START),
            busy: Duration::from_secs(1),
            backups: None,
        })
        .expect("opens");
        Self { memory: Memory::open(store, Settings::default()) }
    }

    pub(crate) fn keep(&self, moment: &Moment) -> &'static str {
        self.kept(moment).word()
    }

    pub(crate) fn kept(&self, moment: &Moment) -> Kept {
        self.memory.receive(moment).expect("kept").kept
    }

    /// Keeps a moment, with all that follows.
    pub(crate) fn follow(&self, moment: &Moment) -> &'static str {
        let received = self.memory.receive(moment).expect("kept");
        received.react().expect("followed");
        received.kept.word()
    }

    pub(crate) fn call(&self, name: &str, params: Value) -> Value {
        let caller = Caller::new(Surface::Cli, Timestamp::from_millis(START));
        self.memory.call(&caller, name, params).expect("answered")
    }

    pub(crate) fn observations(&self, session: &str) -> Vec<ObservationRow> {
        self.read(session, |reader, id| Ok(reader.observations_of_session(id, 999)?))
    }

    pub(crate) fn prompts(&self, session: &str) -> Vec<PromptRow> {
        self.read(session, |reader, id| Ok(reader.prompts_of_session(id, 999)?))
    }

    fn read<T: Default>(
        &self,
        session: &str,
        f: impl FnOnce(&nudge_store::Reader<'_>, nudge_store::SessionId) -> Result<T, Fault>,
    ) -> T {
        let answer = self.memory.store().read(|reader| {
            reader.agent_session_by_name(session)?.map_or(Ok(T::default()), |row| f(reader, row.id))
        });
        answer.expect("read")
    }
}

/// A moment of session `s` with that identity, so many milliseconds after the start.
pub(crate) fn moment(identity: i64, after: i64, what: What) -> Moment {
    Moment {
        harness: "codex".to_owned(),
        harness_version: None,
        event: "PostToolUse".to_owned(),
        session: "s".to_owned(),
        project: ProjectRef {
            key: "/src/.git".into(),
            name: "src".into(),
            root: "/src".into(),
            ..ProjectRef::default()
        },
        cwd: Some("/src".to_owned()),
        at: START + after,
        identity: Identity { hash: identity, within_ms: None },
        turn: None,
        agent: None,
        headless: None,
        transcript: None,
        worktree: None,
        remote: None,
        via: Via::Hook,
        what,
    }
}

pub(crate) fn action(kind: ObservationKind, body: &str, outcome: Outcome) -> What {
    What::Action(Action {
        kind,
        tool: Some("Bash".to_owned()),
        call: None,
        body: body.to_owned(),
        files: Vec::new(),
        outcome,
        metadata: Map::new(),
    })
}

pub(crate) fn command(body: &str, outcome: Outcome) -> What {
    let failed = matches!(outcome, Outcome::Failed { .. });
    action(if failed { ObservationKind::CommandError } else { ObservationKind::Command }, body, outcome)
}

pub(crate) fn prompt(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::User }
}
