//! A memory in a directory, with something captured in it.

use std::time::Duration;

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{HostIdentity, Location, OpenOptions, Store};
use serde_json::{Map, Value};
use tempfile::TempDir;

pub(crate) const START: i64 = 1_794_723_027_123;

/// Long enough for whatever a test has to be taken in.
const AMPLE: Duration = Duration::from_secs(60);

pub(crate) struct Bench {
    pub(crate) memory: Memory,
    pub(crate) dir: TempDir,
    pub(crate) next: std::cell::Cell<i64>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = TempDir::new().expect("a temporary directory");
        Self { memory: open(&dir), dir, next: std::cell::Cell::new(1) }
    }

    /// Keeps something in a project and a session of the same name, and gives its id.
    pub(crate) fn keep(&self, project: &str, what: What) -> i64 {
        let number = self.next.get();
        self.next.set(number + 1);
        let moment = Moment {
            harness: "codex".to_owned(),
            harness_version: None,
            event: "PostToolUse".to_owned(),
            session: format!("session-{project}"),
            project: ProjectRef {
                key: format!("/{project}/.git"),
                name: project.into(),
                root: format!("/{project}"),
                ..ProjectRef::default()
            },
            cwd: Some(format!("/{project}")),
            at: START + number * 1_000,
            identity: Identity { hash: number, within_ms: None },
            turn: None,
            agent: None,
            headless: None,
            transcript: None,
            worktree: None,
            remote: None,
            via: Via::Hook,
            what,
        };
        match self.memory.receive(&moment).expect("kept").kept {
            Kept::Stored(id) => id.0,
            other => panic!("not stored: {other:?}"),
        }
    }

    /// Brings the index up.
    pub(crate) fn index(&self) {
        let progress = self.memory.keep_index(AMPLE, Timestamp::from_millis(START)).expect("written");
        assert!(progress.expect("nobody else writes it").is_complete);
    }

    /// Searches as an agent that stands in a project.
    pub(crate) fn try_search(&self, project: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = Caller::new(Surface::Mcp, Timestamp::from_millis(START + 3_600_000));
        caller.project = Some(format!("/{project}/.git"));
        self.memory.call(&caller, "search", params)
    }

    pub(crate) fn search(&self, project: &str, params: Value) -> Value {
        self.try_search(project, params).expect("answered")
    }

    /// The whole of an entry.
    pub(crate) fn whole(&self, id: i64) -> Value {
        let caller = Caller::new(Surface::Mcp, Timestamp::from_millis(START + 3_600_000));
        let answer = self.memory.call(&caller, "get_observations", serde_json::json!({"ids": [id]}));
        answer.expect("answered")[0].clone()
    }

    /// The ids of what is found in a project.
    pub(crate) fn ids(&self, project: &str, params: Value) -> Vec<i64> {
        let answer = self.search(project, params);
        let rows = answer["results"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["id"].as_i64().expect("an id")).collect()
    }
}

pub(crate) fn open(dir: &TempDir) -> Memory {
    let store = Store::open(&OpenOptions {
        location: Location::File(dir.path().join("nudge.db")),
        read_only: false,
        host: HostIdentity::default(),
        now: Timestamp::from_millis(START),
        busy: Duration::from_secs(5),
        backups: Some(dir.path().join("backups")),
    })
    .expect("opens");
    Memory::open(store, Settings::default())
}

pub(crate) fn command(line: &str) -> What {
    action(ObservationKind::Command, line, &[], Outcome::Success, Map::new())
}

pub(crate) fn failure(line: &str, response: &str) -> What {
    let said = Map::from_iter([("response".to_owned(), response.into())]);
    action(ObservationKind::CommandError, line, &[], Outcome::Failed { exit: Some(1) }, said)
}

pub(crate) fn edit(file: &str) -> What {
    action(ObservationKind::FileEdit, file, &[file], Outcome::Success, Map::new())
}

pub(crate) fn prompt(text: &str) -> What {
    What::Prompt { text: text.to_owned(), by: By::User }
}

pub(crate) fn of_kind(kind: ObservationKind, body: &str) -> What {
    action(kind, body, &[], Outcome::Unknown, Map::new())
}

fn action(
    kind: ObservationKind,
    body: &str,
    files: &[&str],
    outcome: Outcome,
    metadata: Map<String, Value>,
) -> What {
    What::Action(Action {
        kind,
        tool: Some("Bash".to_owned()),
        call: None,
        body: body.to_owned(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        outcome,
        metadata,
    })
}
