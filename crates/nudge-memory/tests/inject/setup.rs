//! A store in memory, and agents that work in it.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{HostIdentity, InjectionLine, InjectionRow, Location, OpenOptions, Store};
use serde_json::{Map, Value, json};

pub(crate) const NOW: i64 = 1_794_723_027_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

pub(crate) struct Bench {
    pub(crate) memory: Memory,
    next: AtomicI64,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now: Timestamp::from_millis(NOW),
            busy: Duration::from_secs(1),
            backups: None,
        })
        .expect("opens");
        Self::on(store)
    }

    pub(crate) fn on(store: Store) -> Self {
        Self { memory: Memory::open(store, Settings::default()), next: AtomicI64::new(1) }
    }

    /// Keeps a moment under an identity of its own; gives the entry.
    pub(crate) fn keep(&self, mut moment: Moment) -> i64 {
        moment.identity = Identity { hash: self.next.fetch_add(1, Ordering::Relaxed), within_ms: None };
        match self.memory.receive(&moment).expect("kept").kept {
            Kept::Stored(id) | Kept::Settled(id) => id.0,
            Kept::Duplicate | Kept::Nothing => 0,
        }
    }

    /// Ends a session, with all that follows.
    pub(crate) fn end(&self, mut moment: Moment) {
        moment.identity = Identity { hash: self.next.fetch_add(1, Ordering::Relaxed), within_ms: None };
        self.memory.receive(&moment).expect("kept").react().expect("settled");
    }

    /// Begins a session, or fills its context anew, and says what it is told.
    pub(crate) fn begin(&self, moment: Moment) -> Option<Injected> {
        self.begin_with(moment, InjectionLimits { start_tokens: 500, recovery_tokens: 1_500 })
    }

    pub(crate) fn begin_with(&self, moment: Moment, wish: InjectionLimits) -> Option<Injected> {
        let now = Timestamp::from_millis(moment.at);
        self.keep(moment.clone());
        self.memory.inject(&moment, wish, now).expect("no fault")
    }

    /// The text that a session is told; empty where it is told nothing.
    pub(crate) fn told(&self, moment: Moment) -> String {
        self.begin(moment).map(|told| told.context).unwrap_or_default()
    }

    /// Whether a session that begins is told an entry.
    pub(crate) fn tells(&self, moment: Moment, entry: i64) -> bool {
        let session = moment.session.clone();
        if self.begin(moment).is_none() {
            return false;
        }
        let lines = self.ledger(&session).swap_remove(0).1;
        lines.iter().any(|line| line.is_told() && line.entry.0 == entry)
    }

    pub(crate) fn call(&self, name: &str, params: Value) -> Value {
        let caller = Caller::new(Surface::Cli, Timestamp::from_millis(NOW));
        self.memory.call(&caller, name, params).expect("answered")
    }

    /// What the ledger holds of a session, newest first.
    pub(crate) fn ledger(&self, session: &str) -> Vec<(InjectionRow, Vec<InjectionLine>)> {
        let rows = self.memory.store().read(|reader| {
            let session = reader.agent_session_by_name(session)?.expect("a session");
            let rows = reader.injections_of_session(session.id, 99)?;
            let with = rows.into_iter().map(|row| Ok((row.clone(), reader.injection_lines(row.id)?)));
            with.collect::<Result<Vec<_>, nudge_store::StoreError>>()
        });
        rows.expect("read")
    }

    /// A session that did something worth telling: asked, edited a file, ran a command.
    pub(crate) fn work(&self, session: &str, project: &str, at: i64, about: &str) -> [i64; 3] {
        let file = format!("/w/{project}/src/{about}.rs");
        [
            self.keep(asked(session, project, at, &format!("mend {about}"))),
            self.keep(touched(session, project, at + 1_000, ObservationKind::FileEdit, &file)),
            self.keep(ran(session, project, at + 2_000, &format!("make {about}"), Outcome::Success)),
        ]
    }
}

pub(crate) fn moment(session: &str, project: &str, at: i64, what: What) -> Moment {
    Moment {
        harness: "claude".into(),
        harness_version: None,
        event: "PostToolUse".into(),
        session: session.into(),
        project: ProjectRef {
            key: format!("/w/{project}/.git"),
            name: project.into(),
            root: format!("/w/{project}"),
            ..ProjectRef::default()
        },
        cwd: Some(format!("/w/{project}")),
        at,
        identity: Identity { hash: 0, within_ms: None },
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

pub(crate) fn starts(session: &str, project: &str, at: i64, source: &str) -> Moment {
    moment(session, project, at, What::Start { source: source.into(), model: None })
}

pub(crate) fn ends(session: &str, project: &str, at: i64, reason: &str) -> Moment {
    moment(session, project, at, What::End { reason: Some(reason.into()) })
}

pub(crate) fn asked(session: &str, project: &str, at: i64, text: &str) -> Moment {
    moment(session, project, at, What::Prompt { text: text.into(), by: By::User })
}

pub(crate) fn did(session: &str, project: &str, at: i64, action: Action) -> Moment {
    moment(session, project, at, What::Action(action))
}

pub(crate) fn action(kind: ObservationKind, body: &str, outcome: Outcome) -> Action {
    Action {
        kind,
        tool: Some("Tool".into()),
        call: None,
        body: body.into(),
        files: Vec::new(),
        outcome,
        metadata: Map::new(),
    }
}

pub(crate) fn ran(session: &str, project: &str, at: i64, command: &str, outcome: Outcome) -> Moment {
    let failed = matches!(outcome, Outcome::Failed { .. });
    let kind = if failed { ObservationKind::CommandError } else { ObservationKind::Command };
    did(session, project, at, action(kind, command, outcome))
}

pub(crate) fn touched(session: &str, project: &str, at: i64, kind: ObservationKind, file: &str) -> Moment {
    let files = vec![file.to_owned()];
    did(session, project, at, Action { files, ..action(kind, file, Outcome::Success) })
}

/// A change of several files at once.
pub(crate) fn patched(session: &str, project: &str, at: i64, files: &[&str]) -> Moment {
    let files: Vec<String> = files.iter().map(|file| format!("/w/{project}/{file}")).collect();
    let patch = action(ObservationKind::FileEdit, &files[0], Outcome::Success);
    did(session, project, at, Action { files, ..patch })
}

/// The command with what it said when it failed.
pub(crate) fn failed(session: &str, project: &str, at: i64, command: &str, said: &str) -> Moment {
    let mut moment = ran(session, project, at, command, Outcome::Failed { exit: Some(1) });
    if let What::Action(action) = &mut moment.what {
        action.metadata.insert("response".into(), json!(said));
    }
    moment
}

/// The lines of a block without the frame's random id.
pub(crate) fn plain(text: &str) -> String {
    let Some(id) = text.split('"').nth(1) else { return text.to_owned() };
    text.replace(id, "ID")
}
