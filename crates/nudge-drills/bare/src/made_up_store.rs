//! A made-up store after some weeks of work: sessions, notes, pins, hints and statements.

use std::time::Duration;

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::{Action, CapturedEvent, EventBody, Kept};
use nudge_memory::{Caller, Surface, registry};
use nudge_testkit::event::{command, end, file, prompt, start};
use nudge_testkit::{EventBuilder, MemoryBench};
use serde_json::{Value, json};

use crate::random::Random;
use crate::texts::{path, text};

/// The repository under test, and another one.
pub const HERE: &str = "/w/shop";
const ELSEWHERE: &str = "/w/tools";

/// When the first session begins, in milliseconds since the epoch.
const BEGINS: i64 = 1_790_000_000_000;

const MINUTE: u64 = 60_000;

/// The maximum number of sessions, of statements of each kind, and of steps in a session.
const SESSIONS: u64 = 30;
const STATED: u64 = 12;
const STEPS: u64 = 14;

/// A made-up store; the same number makes the same one.
pub struct MadeUpStore {
    /// The memory and the user who queries it. Its clock is at the last event.
    pub bench: MemoryBench,
    /// The generator for everything else that is random.
    pub random: Random,
    observations: Vec<i64>,
}

impl MadeUpStore {
    /// The store with this number.
    pub fn new(number: u64) -> anyhow::Result<Self> {
        let bench = MemoryBench::in_memory(Timestamp::from_millis(BEGINS));
        let mut store = Self { bench, random: Random::of(number), observations: Vec::new() };
        for session in 0..1 + store.random.below(SESSIONS) {
            store.session(&format!("s-{session}"))?;
        }
        store.state();
        Ok(store)
    }

    /// An event of a session, some time after the last one.
    pub fn event(&mut self, session: &str, root: &str, what: EventBody) -> CapturedEvent {
        self.bench.later(Duration::from_millis(1 + self.random.below(3 * MINUTE)));
        let event = EventBuilder::new(what).session(session).repository(root).headless(false);
        event.at(self.bench.caller.now.as_millis()).turn(&format!("{session}-1")).build()
    }

    fn session(&mut self, name: &str) -> anyhow::Result<()> {
        let root = if self.random.below(5) == 0 { ELSEWHERE } else { HERE };
        self.bench.later(Duration::from_millis(self.random.below(60 * 24) * MINUTE));
        self.receive(name, root, start("startup"))?;
        for _ in 0..self.random.below(STEPS) {
            let what = self.step(root);
            self.receive(name, root, what)?;
        }
        if self.random.below(4) > 0 {
            let concluded = EventBody::Concluded { text: text(&mut self.random, 900), anchors: Vec::new() };
            self.receive(name, root, concluded)?;
        }
        if self.random.below(4) > 0 {
            self.receive(name, root, end("prompt_input_exit"))?;
        }
        Ok(())
    }

    fn receive(&mut self, session: &str, root: &str, what: EventBody) -> anyhow::Result<()> {
        let is_action = matches!(what, EventBody::Action(_));
        let mut event = self.event(session, root, what);
        event.branch = (self.random.below(3) == 0).then(|| text(&mut self.random, 60));
        let received = self.bench.memory.receive(&event).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        if let (Kept::Stored(id), true) = (&received.kept, is_action) {
            self.observations.push(id.0);
        }
        received.react().map_err(|(name, fault)| anyhow::anyhow!("{name}: {fault:?}"))
    }

    fn step(&mut self, root: &str) -> EventBody {
        let random = &mut self.random;
        match random.below(10) {
            0..3 => prompt(&text(random, 1_200)),
            3 | 4 => EventBody::Action(file(ObservationKind::FileEdit, &path(random, root))),
            5 => EventBody::Action(file(ObservationKind::FileRead, &path(random, root))),
            6 => EventBody::Action(command(&line(random), Outcome::Success)),
            7 => EventBody::Action(failed(random)),
            8 => EventBody::Action(Action {
                kind: ObservationKind::GitCommit,
                ..command(&text(random, 120), Outcome::Success)
            }),
            _ => EventBody::Action(todos(random)),
        }
    }

    /// Notes, pins, hints and statements of the user and of an agent. Rejected texts, such as one
    /// that looks like a credential, are not stored.
    fn state(&mut self) {
        let person = Caller { project: Some(format!("{HERE}/.git")), ..self.bench.caller.clone() };
        let agent = Caller { surface: Surface::Mcp, ..person.clone() };
        for (caller, name) in [(&person, "the person"), (&agent, "an agent")] {
            for _ in 0..self.random.below(STATED) {
                let words = text(&mut self.random, 400);
                self.call(caller, "create_marker", json!({"text": words, "project": HERE}));
            }
            for number in 0..self.random.below(STATED) {
                let value = text(&mut self.random, 300);
                let key = format!("{}-{number}", name.replace(' ', "-"));
                let hint =
                    json!({"component": "made-up", "key": key, "value": value, "meta": {"ttl": "forever"}});
                self.call(caller, "set_hint", hint);
            }
            for _ in 0..self.random.below(STATED) {
                let words = text(&mut self.random, 500);
                self.call(caller, "remember", json!({"text": words}));
            }
        }
        if !self.observations.is_empty() {
            let pins: Vec<i64> =
                (0..self.random.below(STATED)).map(|_| *self.random.any(&self.observations)).collect();
            self.call(&person, "pin", json!({"ids": pins}));
        }
    }

    fn call(&self, caller: &Caller, name: &str, params: Value) {
        if registry::has(name) {
            let _refused = self.bench.memory.call(caller, name, params);
        }
    }
}

fn line(random: &mut Random) -> String {
    const LINES: [&str; 6] =
        ["cargo test", "make test", "npm run lint -- --fix", "git status", "docker compose up -d", "ls -la"];
    if random.below(3) == 0 { text(random, 200) } else { (*random.any(&LINES)).to_owned() }
}

fn failed(random: &mut Random) -> Action {
    let mut failed = command(&line(random), Outcome::Failed { exit: Some(1) });
    failed.metadata.insert("response".to_owned(), json!(text(random, 600)));
    failed
}

fn todos(random: &mut Random) -> Action {
    let todos: Vec<String> = (0..1 + random.below(6)).map(|_| text(random, 120)).collect();
    let mut noted = Action { kind: ObservationKind::ToolOther, ..command("TodoWrite", Outcome::Success) };
    noted.metadata.insert("todos".to_owned(), json!(todos));
    noted
}
