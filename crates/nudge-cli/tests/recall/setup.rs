//! A person's machine on which agents worked in two projects.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Memory, upkeep};
use nudge_testkit::{Call, McpStdio, TestHome};
use serde_json::Map;

/// A minute, in milliseconds.
pub const MINUTE: i64 = 60_000;

/// A home with two projects: `shop`, where the person stands, and `till`.
pub struct Scene {
    pub home: TestHome,
    pub now: i64,
}

impl Scene {
    pub fn new() -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as i64;
        home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
        Self { home, now }
    }

    /// The memory, opened beside whatever else has it open.
    fn memory(&self) -> Memory {
        let place = Home::locate(Some(&self.home.memory()), &|_| None).expect("an absolute home");
        upkeep::open(&place, &Settings::default(), Timestamp::from_millis(self.now)).expect("a memory")
    }

    /// The directory of a project.
    pub fn dir(&self, project: &str) -> PathBuf {
        self.home.dir(project).canonicalize().expect("just made")
    }

    /// The path of a file in a project.
    pub fn file(&self, project: &str, name: &str) -> String {
        self.dir(project).join(name).to_string_lossy().into_owned()
    }

    /// Keeps something that happened so many minutes ago, and gives its id.
    pub fn keep(&self, session: &str, project: &str, minutes_ago: i64, what: What) -> i64 {
        self.keep_all([self.moment(session, project, minutes_ago, what)].to_vec())[0]
    }

    /// Keeps all of it, and gives the ids.
    pub fn keep_all(&self, moments: Vec<Moment>) -> Vec<i64> {
        let id = |kept| match kept {
            Kept::Stored(id) => id.0,
            other => panic!("not stored: {other:?}"),
        };
        self.memory().receive_all(&moments).expect("kept").into_iter().map(id).collect()
    }

    /// Something that happened so many minutes ago.
    pub fn moment(&self, session: &str, project: &str, minutes_ago: i64, what: What) -> Moment {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let dir = self.dir(project).to_string_lossy().into_owned();
        Moment {
            harness: "claude".into(),
            harness_version: None,
            event: "PostToolUse".into(),
            session: session.into(),
            project: ProjectRef {
                key: dir.clone(),
                name: project.into(),
                root: dir,
                ..ProjectRef::default()
            },
            cwd: None,
            // Half a minute off, so that no page depends on how long the test takes.
            at: self.now - minutes_ago * MINUTE - MINUTE / 2,
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

    /// A session in `shop`: a start, a prompt, an edit, a failure, a command; and one in `till`.
    pub fn worked(&self) -> Vec<i64> {
        let cart = self.file("shop", "src/cart.rs");
        let till = self.file("till", "src/till.rs");
        vec![
            self.keep("s-shop-1", "shop", 190, What::Start { source: "startup".into(), model: None }),
            self.keep("s-shop-1", "shop", 180, said("Fix the failing tests of the cart parser")),
            self.keep("s-shop-1", "shop", 175, touched(ObservationKind::FileEdit, &cart)),
            self.keep("s-shop-1", "shop", 170, failed("cargo test cart -- --nocapture", 101)),
            self.keep("s-shop-1", "shop", 165, ran("cargo test cart")),
            self.keep("s-till-1", "till", 20, touched(ObservationKind::FileEdit, &till)),
            self.keep("s-till-1", "till", 10, ran("cargo test till --all")),
        ]
    }

    /// A call of the binary in the directory of `shop`.
    pub fn nudge(&self, args: &[&str]) -> Call {
        self.home.nudge(args).cwd(self.dir("shop"))
    }

    /// An agent with all tools, at work in `shop`.
    pub fn agent(&self) -> McpStdio {
        let mut command = self.home.command();
        command.args(["mcp", "--profile", "full"]).current_dir(self.dir("shop"));
        McpStdio::start(command)
    }
}

pub fn said(text: &str) -> What {
    What::Prompt { text: text.into(), by: By::User }
}

pub fn ran(command: &str) -> What {
    did(ObservationKind::Command, command, &[], Outcome::Success)
}

pub fn failed(command: &str, exit: i32) -> What {
    did(ObservationKind::CommandError, command, &[], Outcome::Failed { exit: Some(exit) })
}

pub fn touched(kind: ObservationKind, file: &str) -> What {
    did(kind, file, &[file], Outcome::Success)
}

fn did(kind: ObservationKind, body: &str, files: &[&str], outcome: Outcome) -> What {
    What::Action(Action {
        kind,
        tool: Some("Bash".into()),
        call: None,
        body: body.into(),
        files: files.iter().map(|file| (*file).to_owned()).collect(),
        outcome,
        metadata: Map::new(),
    })
}
