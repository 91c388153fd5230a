//! A memory, something captured in it, and callers that ask for it.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use nudge_core::{Context, Fault, ObservationKind, Outcome, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Ambient, Caller, Memory, Surface};
use nudge_store::{HostIdentity, Location, OpenOptions, Store};
use serde_json::{Map, Value};
use tempfile::TempDir;

/// A round second, so that times read easily.
pub(crate) const START: i64 = 1_794_723_000;

pub(crate) struct Bench {
    pub(crate) memory: Memory,
    pub(crate) dir: TempDir,
    next: Cell<i64>,
    /// Seconds after the start at which callers ask.
    pub(crate) asked_at: Cell<i64>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        let memory = open(&dir.path().join("nudge.db"));
        Self { memory, dir, next: Cell::new(1), asked_at: Cell::new(3_600) }
    }

    /// Keeps something of a session `session/project`, so many seconds after the start, and gives its id.
    pub(crate) fn keep(&self, place: &str, after: i64, what: What) -> i64 {
        self.keep_all([(place, after, what)])[0]
    }

    /// Keeps many things at once, and gives their ids.
    pub(crate) fn keep_all<P: AsRef<str>>(&self, rows: impl IntoIterator<Item = (P, i64, What)>) -> Vec<i64> {
        let moments = rows.into_iter().map(|(place, after, what)| self.moment(place.as_ref(), after, what));
        let kept = self.memory.receive_all(&moments.collect::<Vec<_>>()).expect("kept");
        kept.into_iter().map(stored).collect()
    }

    /// Keeps a moment, and gives its id.
    pub(crate) fn keep_moment(&self, moment: &Moment) -> i64 {
        stored(self.memory.receive(moment).expect("kept").kept)
    }

    /// A moment of a session `session/project`, so many seconds after the start.
    pub(crate) fn moment(&self, place: &str, after: i64, what: What) -> Moment {
        let (session, project) = place.split_once('/').expect("session/project");
        let number = self.next.get();
        self.next.set(number + 1);
        Moment {
            harness: "codex".to_owned(),
            harness_version: None,
            event: "PostToolUse".to_owned(),
            session: session.to_owned(),
            project: ProjectRef {
                key: format!("/{project}/.git"),
                name: project.to_owned(),
                root: format!("/{project}"),
                ..ProjectRef::default()
            },
            cwd: Some(format!("/{project}")),
            at: (START + after) * 1_000 + 500,
            identity: Identity { hash: number, within_ms: None },
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

    /// Asks as an agent that stands in a project.
    pub(crate) fn ask(&self, project: &str, operation: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = Caller::new(Surface::Mcp, self.now());
        caller.project = Some(format!("/{project}/.git"));
        self.memory.call(&caller, operation, params)
    }

    /// Asks as an agent that stands in a directory.
    pub(crate) fn ask_in(&self, dir: &Path, operation: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = Caller::new(Surface::Mcp, self.now());
        let cwd = Some(dir.to_string_lossy().into_owned());
        caller.ambient = Ambient::Here(Context { cwd, ..Context::unknown() });
        self.memory.call(&caller, operation, params)
    }

    /// The answer to an agent in project `api`.
    pub(crate) fn answer(&self, operation: &str, params: Value) -> Value {
        self.ask("api", operation, params).expect("answered")
    }

    /// Does as the person says.
    pub(crate) fn person(&self, operation: &str, params: Value) -> Value {
        self.memory.call(&Caller::new(Surface::Cli, self.now()), operation, params).expect("done")
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis((START + self.asked_at.get()) * 1_000 + 500)
    }
}

fn stored(kept: Kept) -> i64 {
    match kept {
        Kept::Stored(id) => id.0,
        other => panic!("not stored: {other:?}"),
    }
}

pub(crate) fn open(database: &Path) -> Memory {
    Memory::open(Store::open(&options(database)).expect("opens"), Settings::default())
}

pub(crate) fn options(database: &Path) -> OpenOptions {
    OpenOptions {
        location: Location::File(database.to_owned()),
        read_only: false,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(START * 1_000),
        busy: Duration::from_secs(5),
        backups: None,
    }
}

/// The ids of rows, under the name that they have there.
pub(crate) fn ids(rows: &Value, name: &str) -> Vec<i64> {
    rows.as_array().expect("a list").iter().map(|row| row[name].as_i64().expect("an id")).collect()
}

pub(crate) fn command(line: &str) -> What {
    action(ObservationKind::Command, line, &[], Outcome::Success)
}

pub(crate) fn failure(line: &str, exit: i32) -> What {
    action(ObservationKind::CommandError, line, &[], Outcome::Failed { exit: Some(exit) })
}

pub(crate) fn edit(file: &str) -> What {
    action(ObservationKind::FileEdit, &format!("Edit {file}"), &[file], Outcome::Success)
}

pub(crate) fn read(file: &str) -> What {
    action(ObservationKind::FileRead, &format!("Read {file}"), &[file], Outcome::Success)
}

pub(crate) fn start() -> What {
    What::Start { source: "startup".to_owned(), model: None }
}

pub(crate) fn prompt(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::User }
}

pub(crate) fn thought(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::Agent }
}

pub(crate) fn action(kind: ObservationKind, body: &str, files: &[&str], outcome: Outcome) -> What {
    What::Action(Action {
        kind,
        tool: Some("Bash".to_owned()),
        call: None,
        body: body.to_owned(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        outcome,
        metadata: Map::from_iter([("description".to_owned(), "what it is for".into())]),
    })
}
