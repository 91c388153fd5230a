//! A memory in a directory, with captured work in it.

use std::path::Path;
use std::time::Duration;

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_memory::Memory;
use nudge_memory::capture::EventBody;
use nudge_testkit::{EventBuilder, MemoryBench, bench, event};
use serde_json::{Value, json};

pub(crate) use nudge_testkit::event::prompt;

pub(crate) const START: i64 = 1_794_723_027_123;

/// Long enough to index everything in a test.
const AMPLE: Duration = Duration::from_secs(60);

/// An empty memory, called an hour after the start.
pub(crate) fn fresh() -> MemoryBench {
    let mut bench = MemoryBench::on_disk(Timestamp::from_millis(START));
    bench.later(Duration::from_secs(3_600));
    bench
}

/// Captured work, its index, and agents that search it.
pub(crate) trait Search {
    /// Stores an event in a project and a session of the same name, and returns its id.
    fn keep(&self, project: &str, what: EventBody) -> i64;

    /// Updates the index.
    fn index(&self);

    /// Searches as an agent in a project.
    fn try_search(&self, project: &str, params: Value) -> Result<Value, Fault>;

    fn search(&self, project: &str, params: Value) -> Value;

    /// The whole entry.
    fn whole(&self, id: i64) -> Value;

    /// The ids of the results in a project.
    fn ids(&self, project: &str, params: Value) -> Vec<i64>;
}

impl Search for MemoryBench {
    fn keep(&self, project: &str, what: EventBody) -> i64 {
        let number = self.number();
        let event = EventBuilder::new(what).harness("codex").session(&format!("session-{project}"));
        self.store(&event.repository(&format!("/{project}")).at(START + number * 1_000).number(number))
    }

    fn index(&self) {
        let progress = self.memory.update_index(AMPLE, Timestamp::from_millis(START)).expect("written");
        assert!(progress.expect("nobody else writes it").is_complete);
    }

    fn try_search(&self, project: &str, params: Value) -> Result<Value, Fault> {
        nudge_testkit::call(&self.memory, &self.agent_in(&format!("/{project}/.git")), "search", params)
    }

    fn search(&self, project: &str, params: Value) -> Value {
        self.try_search(project, params).expect("answered")
    }

    fn whole(&self, id: i64) -> Value {
        let answer =
            nudge_testkit::call(&self.memory, &self.agent(), "get_observations", json!({"ids": [id]}));
        answer.expect("answered")[0].clone()
    }

    fn ids(&self, project: &str, params: Value) -> Vec<i64> {
        let answer = self.search(project, params);
        let rows = answer["results"].as_array().expect("rows").clone();
        rows.iter().map(|row| row["id"].as_i64().expect("an id")).collect()
    }
}

pub(crate) fn open(dir: &Path) -> Memory {
    bench::open(&dir.join("nudge.db"), Timestamp::from_millis(START))
}

pub(crate) fn command(line: &str) -> EventBody {
    EventBody::Action(event::command(line, Outcome::Success))
}

pub(crate) fn failure(line: &str, response: &str) -> EventBody {
    let mut action = event::command(line, Outcome::Failed { exit: Some(1) });
    action.metadata.insert("response".to_owned(), response.into());
    EventBody::Action(action)
}

pub(crate) fn edit(file: &str) -> EventBody {
    EventBody::Action(event::file(ObservationKind::FileEdit, file))
}

pub(crate) fn of_kind(kind: ObservationKind, body: &str) -> EventBody {
    EventBody::Action(event::action(kind, body, Outcome::Unknown))
}
