//! A user's machine on which agents worked in two projects.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::EventBody;
use nudge_testkit::{Call, EventBuilder, McpStdio, TestHome, event, memory};

pub use nudge_testkit::event::prompt as said;

/// A minute, in milliseconds.
pub const MINUTE: i64 = 60_000;

/// A home with two projects: `shop`, the current one, and `till`.
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

    /// The directory of a project.
    pub fn dir(&self, project: &str) -> PathBuf {
        self.home.dir(project).canonicalize().expect("just made")
    }

    /// The path of a file in a project.
    pub fn file(&self, project: &str, name: &str) -> String {
        self.dir(project).join(name).to_string_lossy().into_owned()
    }

    /// Stores an event from `minutes_ago` minutes ago; returns its id.
    pub fn keep(&self, session: &str, project: &str, minutes_ago: i64, what: EventBody) -> i64 {
        self.keep_all(vec![self.event(session, project, minutes_ago, what)])[0]
    }

    /// Stores all events; returns their ids.
    pub fn keep_all(&self, events: Vec<EventBuilder>) -> Vec<i64> {
        memory::keep(&self.home, Timestamp::from_millis(self.now), &events)
    }

    /// An event from `minutes_ago` minutes ago.
    pub fn event(&self, session: &str, project: &str, minutes_ago: i64, what: EventBody) -> EventBuilder {
        let dir = self.dir(project);
        let event = EventBuilder::new(what).session(session).directory(&dir.to_string_lossy()).cwd(None);
        // Half a minute earlier, so that no page depends on how long the test takes.
        event.at(self.now - minutes_ago * MINUTE - MINUTE / 2)
    }

    /// A session in `shop`: a start, a prompt, an edit, a failure, a command; and one in `till`.
    pub fn worked(&self) -> Vec<i64> {
        let cart = self.file("shop", "src/cart.rs");
        let till = self.file("till", "src/till.rs");
        vec![
            self.keep("s-shop-1", "shop", 190, event::start("startup")),
            self.keep("s-shop-1", "shop", 180, said("Fix the failing tests of the cart parser")),
            self.keep("s-shop-1", "shop", 175, touched(ObservationKind::FileEdit, &cart)),
            self.keep("s-shop-1", "shop", 170, failed("cargo test cart -- --nocapture", 101)),
            self.keep("s-shop-1", "shop", 165, ran("cargo test cart")),
            self.keep("s-till-1", "till", 20, touched(ObservationKind::FileEdit, &till)),
            self.keep("s-till-1", "till", 10, ran("cargo test till --all")),
        ]
    }

    /// A call of the binary in `shop`.
    pub fn nudge(&self, args: &[&str]) -> Call {
        self.home.nudge(args).cwd(self.dir("shop"))
    }

    /// An agent with all tools, working in `shop`.
    pub fn agent(&self) -> McpStdio {
        let mut command = self.home.command();
        command.args(["mcp", "--profile", "full"]).current_dir(self.dir("shop"));
        McpStdio::start(command)
    }
}

pub fn ran(command: &str) -> EventBody {
    EventBody::Action(event::command(command, Outcome::Success))
}

pub fn failed(command: &str, exit: i32) -> EventBody {
    EventBody::Action(event::command(command, Outcome::Failed { exit: Some(exit) }))
}

pub fn touched(kind: ObservationKind, file: &str) -> EventBody {
    EventBody::Action(event::file(kind, file))
}
