//! A memory, captured work in it, and callers that ask for it.

use std::path::Path;

use nudge_core::{Context, Fault, ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::{Action, EventBody};
use nudge_memory::{Ambient, Memory};
use nudge_store::{Location, OpenOptions};
use nudge_testkit::{EventBuilder, MemoryBench, bench, event};
use serde_json::Value;

pub(crate) use nudge_testkit::event::{prompt, thought};

/// A round second, so that times are easy to read.
pub(crate) const START: i64 = 1_794_723_000;

/// An empty memory, called an hour after the start.
pub(crate) fn fresh() -> MemoryBench {
    let mut bench = MemoryBench::on_disk(Timestamp::from_millis(START * 1_000));
    bench.ask_at(3_600);
    bench
}

/// Captured work, and agents that ask for it.
pub(crate) trait Recall {
    /// Sets the callers' time, in seconds after the start.
    fn ask_at(&mut self, after: i64);

    /// Stores an event of a session `session/project`, that many seconds after the start, and
    /// returns its id.
    fn keep(&self, place: &str, after: i64, what: EventBody) -> i64;

    /// Stores many events at once, and returns their ids.
    fn keep_all<P: AsRef<str>>(&self, rows: impl IntoIterator<Item = (P, i64, EventBody)>) -> Vec<i64>;

    /// Asks as an agent in a project.
    fn ask(&self, project: &str, operation: &str, params: Value) -> Result<Value, Fault>;

    /// Asks as an agent in a directory.
    fn ask_in(&self, dir: &Path, operation: &str, params: Value) -> Result<Value, Fault>;

    /// The answer to an agent in project `api`.
    fn answer(&self, operation: &str, params: Value) -> Value;
}

impl Recall for MemoryBench {
    fn ask_at(&mut self, after: i64) {
        self.caller.now = Timestamp::from_millis((START + after) * 1_000 + 500);
    }

    fn keep(&self, place: &str, after: i64, what: EventBody) -> i64 {
        self.store(&happened(place, after, what))
    }

    fn keep_all<P: AsRef<str>>(&self, rows: impl IntoIterator<Item = (P, i64, EventBody)>) -> Vec<i64> {
        let events =
            rows.into_iter().map(|(place, after, what)| happened(place.as_ref(), after, what).build());
        self.store_all(&events.collect::<Vec<_>>())
    }

    fn ask(&self, project: &str, operation: &str, params: Value) -> Result<Value, Fault> {
        nudge_testkit::call(&self.memory, &self.agent_in(&format!("/{project}/.git")), operation, params)
    }

    fn ask_in(&self, dir: &Path, operation: &str, params: Value) -> Result<Value, Fault> {
        let mut caller = self.agent();
        let cwd = Some(dir.to_string_lossy().into_owned());
        caller.ambient = Ambient::Here(Context { cwd, ..Context::unknown() });
        nudge_testkit::call(&self.memory, &caller, operation, params)
    }

    fn answer(&self, operation: &str, params: Value) -> Value {
        self.ask("api", operation, params).expect("answered")
    }
}

/// An event of a session `session/project`, that many seconds after the start.
pub(crate) fn happened(place: &str, after: i64, what: EventBody) -> EventBuilder {
    let (session, project) = place.split_once('/').expect("session/project");
    let event = EventBuilder::new(what).harness("codex").session(session);
    event.repository(&format!("/{project}")).at((START + after) * 1_000 + 500)
}

pub(crate) fn open(database: &Path) -> Memory {
    bench::open(database, Timestamp::from_millis(START * 1_000))
}

pub(crate) fn options(database: &Path) -> OpenOptions {
    bench::options(Location::File(database.to_owned()), Timestamp::from_millis(START * 1_000))
}

/// The ids of rows, under that field name.
pub(crate) fn ids(rows: &Value, name: &str) -> Vec<i64> {
    rows.as_array().expect("a list").iter().map(|row| row[name].as_i64().expect("an id")).collect()
}

pub(crate) fn command(line: &str) -> EventBody {
    action(ObservationKind::Command, line, &[], Outcome::Success)
}

pub(crate) fn failure(line: &str, exit: i32) -> EventBody {
    action(ObservationKind::CommandError, line, &[], Outcome::Failed { exit: Some(exit) })
}

pub(crate) fn edit(file: &str) -> EventBody {
    action(ObservationKind::FileEdit, &format!("Edit {file}"), &[file], Outcome::Success)
}

pub(crate) fn read(file: &str) -> EventBody {
    action(ObservationKind::FileRead, &format!("Read {file}"), &[file], Outcome::Success)
}

pub(crate) fn start() -> EventBody {
    event::start("startup")
}

pub(crate) fn action(kind: ObservationKind, body: &str, files: &[&str], outcome: Outcome) -> EventBody {
    let mut action: Action = event::action(kind, body, outcome);
    action.files = files.iter().map(|file| (*file).to_owned()).collect();
    action.metadata.insert("description".to_owned(), "what it is for".into());
    EventBody::Action(action)
}
