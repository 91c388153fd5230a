//! A memory that agents have filled, and the agents' actions.

use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_home::Home;
use nudge_memory::capture::EventBody;
use nudge_memory::{Memory, upkeep};
use nudge_testkit::{EventBuilder, TestHome, event, memory};
use serde_json::{Map, Value};

/// One minute and one day, in milliseconds.
pub const MINUTE: i64 = 60_000;
pub const DAY: i64 = 24 * 60 * MINUTE;

/// A home with a memory in it.
pub struct Scene {
    pub home: TestHome,
    pub now: i64,
}

impl Scene {
    pub fn new() -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64;
        let scene = Self { home, now };
        // Past events of a scene are no sign of a wrong clock.
        upkeep::clock_is_right(&scene.memory(), Timestamp::from_millis(now)).expect("noted");
        scene
    }

    pub fn place(&self) -> Home {
        memory::place(&self.home)
    }

    /// The memory, opened while others may have it open.
    pub fn memory(&self) -> Memory {
        memory::open(&self.home, Timestamp::from_millis(self.now))
    }

    /// Stores events, all of them new.
    pub fn keep(&self, events: &[EventBuilder]) -> Vec<i64> {
        memory::keep(&self.home, Timestamp::from_millis(self.now), events)
    }

    /// A session that ended `days_ago` days ago: a prompt, two edits, a failing command, a commit.
    pub fn worked(&self, session: &str, project: &str, days_ago: i64) -> Vec<i64> {
        let at = self.now - days_ago * DAY - 60 * MINUTE;
        let commit = did(session, project, at + 5 * MINUTE, ObservationKind::GitCommit, "git commit -m mend");
        let commit = commit.action(|action| {
            action.metadata = object(r#"{"commit_hash":"1a2b3c4","commit_message":"mend the cart"}"#);
        });
        self.keep(&[
            said(session, project, at + MINUTE, "fix the failing tests of the cart parser"),
            touched(
                session,
                project,
                at + 2 * MINUTE,
                ObservationKind::FileRead,
                &format!("/w/{project}/cart.rs"),
            ),
            touched(
                session,
                project,
                at + 3 * MINUTE,
                ObservationKind::FileEdit,
                &format!("/w/{project}/cart.rs"),
            ),
            failed(
                did(session, project, at + 4 * MINUTE, ObservationKind::CommandError, "cargo test cart"),
                101,
            ),
            commit,
            ended(session, project, at + 6 * MINUTE),
        ])
    }

    /// All summaries: body and attributes, newest first.
    pub fn summaries(&self) -> Vec<(String, Value)> {
        let memory = self.memory();
        let entries =
            memory.store().read(|reader| Ok::<_, Fault>(reader.newest("summary", 100)?)).expect("read");
        entries.into_iter().map(|entry| (entry.body, Value::Object(entry.attributes))).collect()
    }

    /// The counts of `status`.
    pub fn stored(&self) -> Value {
        self.home.run(["status", "--json"]).json()["stored"].clone()
    }

    /// The result of one step of `maintain --remove-all-due`; asserts that it did not fail.
    pub fn maintained(&self, step: &str) -> Value {
        let answer = self.home.run(["maintain", "--remove-all-due", "--json"]).json();
        let steps = answer["steps"].as_array().expect("steps").clone();
        let found = steps.into_iter().find(|found| found["step"] == step).expect(step);
        assert_eq!(found.get("failed"), None, "{found}");
        found["did"].clone()
    }
}

pub fn object(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).expect("a JSON object")
}

pub fn happened(session: &str, project: &str, at: i64, what: EventBody) -> EventBuilder {
    EventBuilder::new(what).session(session).repository(&format!("/w/{project}")).cwd(None).at(at)
}

pub fn begins(session: &str, project: &str, at: i64) -> EventBuilder {
    happened(session, project, at, event::start("startup"))
}

pub fn said(session: &str, project: &str, at: i64, text: &str) -> EventBuilder {
    happened(session, project, at, event::prompt(text))
}

pub fn thought(session: &str, project: &str, at: i64, text: &str) -> EventBuilder {
    happened(session, project, at, event::thought(text))
}

pub fn ended(session: &str, project: &str, at: i64) -> EventBuilder {
    happened(session, project, at, event::end("exit"))
}

pub fn did(session: &str, project: &str, at: i64, kind: ObservationKind, body: &str) -> EventBuilder {
    happened(session, project, at, EventBody::Action(event::action(kind, body, Outcome::Success)))
}

pub fn touched(session: &str, project: &str, at: i64, kind: ObservationKind, file: &str) -> EventBuilder {
    happened(session, project, at, EventBody::Action(event::file(kind, file)))
}

pub fn failed(event: EventBuilder, exit: i32) -> EventBuilder {
    event.action(|action| action.outcome = Outcome::Failed { exit: Some(exit) })
}
