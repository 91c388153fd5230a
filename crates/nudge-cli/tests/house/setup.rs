//! A memory that agents have filled, and what they did.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Memory, upkeep};
use nudge_testkit::TestHome;
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
        // What a scene lays in the past is no sign of a wrong clock.
        upkeep::clock_is_right(&scene.memory(), Timestamp::from_millis(now)).expect("noted");
        scene
    }

    pub fn place(&self) -> Home {
        Home::locate(Some(&self.home.memory()), &|_| None).expect("an absolute home")
    }

    /// The memory, opened beside whatever else has it open.
    pub fn memory(&self) -> Memory {
        upkeep::open(&self.place(), &Settings::default(), Timestamp::from_millis(self.now)).expect("a memory")
    }

    /// Keeps what happened, all of it new.
    pub fn keep(&self, moments: &[Moment]) -> Vec<i64> {
        let kept = self.memory().receive_all(moments).expect("kept");
        let id = |kept| match kept {
            Kept::Stored(id) => id.0,
            other => panic!("not stored: {other:?}"),
        };
        kept.into_iter().map(id).collect()
    }

    /// A session that ended, some days ago: a prompt, two edits, a failing command, a commit.
    pub fn worked(&self, session: &str, project: &str, days_ago: i64) -> Vec<i64> {
        let at = self.now - days_ago * DAY - 60 * MINUTE;
        let mut commit =
            did(session, project, at + 5 * MINUTE, ObservationKind::GitCommit, "git commit -m mend");
        let What::Action(action) = &mut commit.what else { panic!("an action") };
        action.metadata = object(r#"{"commit_hash":"1a2b3c4","commit_message":"mend the cart"}"#);
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

    /// The summaries there are: body and attributes, newest first.
    pub fn summaries(&self) -> Vec<(String, Value)> {
        let memory = self.memory();
        let entries =
            memory.store().read(|reader| Ok::<_, Fault>(reader.newest("summary", 100)?)).expect("read");
        entries.into_iter().map(|entry| (entry.body, Value::Object(entry.attributes))).collect()
    }

    /// What `status` counts.
    pub fn stored(&self) -> Value {
        self.home.run(["status", "--json"]).json()["stored"].clone()
    }

    /// What one step of `maintain` did, watched by the person.
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

pub fn moment(session: &str, project: &str, at: i64, what: What) -> Moment {
    static NUMBER: AtomicI64 = AtomicI64::new(1);
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
        cwd: None,
        at,
        identity: Identity { hash: NUMBER.fetch_add(1, Ordering::Relaxed), within_ms: None },
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

pub fn said(session: &str, project: &str, at: i64, text: &str) -> Moment {
    moment(session, project, at, What::Prompt { text: text.into(), by: By::User })
}

pub fn thought(session: &str, project: &str, at: i64, text: &str) -> Moment {
    moment(session, project, at, What::Prompt { text: text.into(), by: By::Agent })
}

pub fn ended(session: &str, project: &str, at: i64) -> Moment {
    moment(session, project, at, What::End { reason: Some("exit".into()) })
}

pub fn did(session: &str, project: &str, at: i64, kind: ObservationKind, body: &str) -> Moment {
    let action = Action {
        kind,
        tool: Some("Bash".into()),
        call: None,
        body: body.into(),
        files: Vec::new(),
        outcome: Outcome::Success,
        metadata: Map::new(),
    };
    moment(session, project, at, What::Action(action))
}

pub fn touched(session: &str, project: &str, at: i64, kind: ObservationKind, file: &str) -> Moment {
    let mut moment = did(session, project, at, kind, file);
    if let What::Action(action) = &mut moment.what {
        action.files = vec![file.into()];
    }
    moment
}

pub fn failed(mut moment: Moment, exit: i32) -> Moment {
    if let What::Action(action) = &mut moment.what {
        action.outcome = Outcome::Failed { exit: Some(exit) };
    }
    moment
}
