//! An in-memory store, a user who states things, and agents that listen.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{EntryId, Timestamp};
use nudge_memory::Surface;
use nudge_memory::capture::{CapturedEvent, EventBody};
use nudge_memory::statements::proposals::{Kind, Proposed};
use nudge_memory::statements::{STATEMENT_SIMILARITY, Saying, Similarity};
use nudge_testkit::{EventBuilder, MemoryBench, Speech, event};

pub(crate) use nudge_testkit::speech::number as id;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const START: i64 = 1_794_700_000_000;

/// A minute.
pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// Where the user works.
pub(crate) const SHOP: &str = "/w/shop";

/// An empty memory, called by the user in `/w/shop`.
pub(crate) fn fresh() -> MemoryBench {
    let mut bench = MemoryBench::in_memory(Timestamp::from_millis(START));
    stand(&mut bench, SHOP);
    bench
}

/// Moves the caller to a directory.
pub(crate) fn stand(bench: &mut MemoryBench, dir: &str) {
    bench.stand(Path::new(dir));
}

/// What users and agents do.
pub(crate) trait State {
    /// Asks as an agent in the same place.
    fn as_agent<T>(&mut self, ask: impl FnOnce(&MemoryBench) -> T) -> T;

    /// States something, and returns its number.
    fn remember(&self, text: &str) -> i64;

    /// What applies where the caller is: number, text and origin.
    fn holds(&self) -> Vec<(i64, String, String)>;

    /// The texts that apply.
    fn texts(&self) -> Vec<String>;

    /// What waits for the user's decision.
    fn waiting(&self) -> Vec<Value>;

    /// The user says something to an agent, in that session of `/w/shop`.
    fn say(&mut self, session: &str, text: &str) -> Proposed;

    /// The same with any kind, sayings and similarity.
    fn say_so(&self, kind: Kind, sayings: Vec<Saying>, text: &str, like: &Similarity) -> Proposed;
}

impl State for MemoryBench {
    fn as_agent<T>(&mut self, ask: impl FnOnce(&MemoryBench) -> T) -> T {
        let before = self.caller.surface;
        self.caller.surface = Surface::Mcp;
        self.caller.client = Some("codex".to_owned());
        let answer = ask(self);
        self.caller.surface = before;
        self.caller.client = None;
        answer
    }

    fn remember(&self, text: &str) -> i64 {
        let answer = self.ok("remember", json!({"text": text}));
        answer["statement"]["id"].as_i64().expect("a number")
    }

    fn holds(&self) -> Vec<(i64, String, String)> {
        let answer = self.ok("knows", json!({}));
        let row = |one: &Value| {
            let text = |field: &str| one[field].as_str().expect("a text").to_owned();
            (one["id"].as_i64().expect("a number"), text("text"), text("origin"))
        };
        answer["statements"].as_array().expect("a list").iter().map(row).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.holds().into_iter().map(|(_, text, _)| text).collect()
    }

    fn waiting(&self) -> Vec<Value> {
        let answer = self.ok("list_proposals", json!({}));
        answer["proposals"].as_array().expect("a list").clone()
    }

    fn say(&mut self, session: &str, text: &str) -> Proposed {
        self.later(MINUTE);
        let said = Saying::to_agent(session, self.caller.now, "prompt", Some(EntryId(7)));
        self.say_so(Kind::Statement, vec![said], text, &STATEMENT_SIMILARITY)
    }

    fn say_so(&self, kind: Kind, sayings: Vec<Saying>, text: &str, like: &Similarity) -> Proposed {
        let speech = Speech { dir: Path::new(SHOP), text, kind, sayings, like: *like };
        speech.keep(self.memory.store())
    }
}

/// An agent's session in the shop, with its transcript.
pub(crate) struct Talk<'b> {
    pub(crate) bench: &'b MemoryBench,
    pub(crate) dir: TempDir,
    pub(crate) session: String,
}

impl<'b> Talk<'b> {
    pub(crate) fn new(bench: &'b MemoryBench, session: &str) -> Self {
        Self { bench, dir: TempDir::new().expect("a directory"), session: session.to_owned() }
    }

    pub(crate) fn transcript(&self) -> PathBuf {
        self.dir.path().join(format!("{}.jsonl", self.session))
    }

    pub(crate) fn event(&self, what: EventBody, at: i64) -> EventBuilder {
        let transcript = self.transcript();
        EventBuilder::new(what)
            .session(&self.session)
            .directory(SHOP)
            .at(at)
            .transcript(transcript.to_str().expect("a path"))
    }

    pub(crate) fn receive(&self, event: &CapturedEvent) {
        self.bench.memory.receive(event).expect("kept").react().expect("no fault");
    }

    /// The agent's program writes what was typed into its transcript.
    pub(crate) fn typed(&self, text: &str, at: i64) {
        let line = json!({
            "type": "user", "sessionId": self.session, "cwd": SHOP, "version": "2.1.325", "isSidechain": false,
            "uuid": format!("u{at}"), "timestamp": Timestamp::from_millis(at).to_string(),
            "message": {"role": "user", "content": text},
        });
        let mut file =
            fs::File::options().create(true).append(true).open(self.transcript()).expect("a transcript");
        writeln!(file, "{line}").expect("written");
    }

    /// The turn ends, and the transcript is read.
    pub(crate) fn stops(&self, at: i64) {
        let done = EventBody::Concluded { text: "Done.".to_owned(), anchors: Vec::new() };
        self.receive(&self.event(done, at));
    }

    pub(crate) fn says(&self, text: &str, at: i64) {
        self.receive(&self.event(event::prompt(text), at));
        self.typed(text, at + 5);
        self.stops(at + 10);
    }
}
