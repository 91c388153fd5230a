//! A store as some weeks of work leave it, made up: sessions, notes, pins, hints and statements.

use std::time::Duration;

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::{Action, Kept, Moment, What};
use nudge_memory::{Caller, Surface, registry};
use nudge_testkit::event::{command, end, file, prompt, start};
use nudge_testkit::{EventBuilder, MemoryBench};
use serde_json::{Value, json};

use crate::dice::Dice;
use crate::texts::{path, text};

/// The repository whose sessions are looked at, and another one.
pub const HERE: &str = "/w/shop";
const ELSEWHERE: &str = "/w/tools";

/// When the first session begins, in milliseconds since the epoch.
const BEGINS: i64 = 1_790_000_000_000;

const MINUTE: u64 = 60_000;

/// The most sessions, statements of each sort, and steps of a session.
const SESSIONS: u64 = 30;
const STATED: u64 = 12;
const STEPS: u64 = 14;

/// A made-up store; the same number makes the same one.
pub struct MadeUpStore {
    /// The memory, and the person who asks it. Its time is that of the last thing that happened.
    pub bench: MemoryBench,
    /// What else is left to chance.
    pub dice: Dice,
    observations: Vec<i64>,
}

impl MadeUpStore {
    /// The store with that number.
    pub fn new(number: u64) -> anyhow::Result<Self> {
        let bench = MemoryBench::in_memory(Timestamp::from_millis(BEGINS));
        let mut store = Self { bench, dice: Dice::of(number), observations: Vec::new() };
        for session in 0..1 + store.dice.below(SESSIONS) {
            store.session(&format!("s-{session}"))?;
        }
        store.state();
        Ok(store)
    }

    /// An event of a session, some time after the last one.
    pub fn event(&mut self, session: &str, root: &str, what: What) -> Moment {
        self.bench.later(Duration::from_millis(1 + self.dice.below(3 * MINUTE)));
        let event = EventBuilder::new(what).session(session).repository(root).headless(false);
        event.at(self.bench.caller.now.as_millis()).turn(&format!("{session}-1")).build()
    }

    fn session(&mut self, name: &str) -> anyhow::Result<()> {
        let root = if self.dice.below(5) == 0 { ELSEWHERE } else { HERE };
        self.bench.later(Duration::from_millis(self.dice.below(60 * 24) * MINUTE));
        self.receive(name, root, start("startup"))?;
        for _ in 0..self.dice.below(STEPS) {
            let what = self.step(root);
            self.receive(name, root, what)?;
        }
        if self.dice.below(4) > 0 {
            let concluded = What::Concluded { text: text(&mut self.dice, 900), anchors: Vec::new() };
            self.receive(name, root, concluded)?;
        }
        if self.dice.below(4) > 0 {
            self.receive(name, root, end("prompt_input_exit"))?;
        }
        Ok(())
    }

    fn receive(&mut self, session: &str, root: &str, what: What) -> anyhow::Result<()> {
        let is_action = matches!(what, What::Action(_));
        let mut event = self.event(session, root, what);
        event.branch = (self.dice.below(3) == 0).then(|| text(&mut self.dice, 60));
        let received = self.bench.memory.receive(&event).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        if let (Kept::Stored(id), true) = (&received.kept, is_action) {
            self.observations.push(id.0);
        }
        received.react().map_err(|(name, fault)| anyhow::anyhow!("{name}: {fault:?}"))
    }

    fn step(&mut self, root: &str) -> What {
        let dice = &mut self.dice;
        match dice.below(10) {
            0..3 => prompt(&text(dice, 1_200)),
            3 | 4 => What::Action(file(ObservationKind::FileEdit, &path(dice, root))),
            5 => What::Action(file(ObservationKind::FileRead, &path(dice, root))),
            6 => What::Action(command(&line(dice), Outcome::Success)),
            7 => What::Action(failed(dice)),
            8 => What::Action(Action {
                kind: ObservationKind::GitCommit,
                ..command(&text(dice, 120), Outcome::Success)
            }),
            _ => What::Action(todos(dice)),
        }
    }

    /// Notes, pins, hints and statements, of the person and of an agent. What is refused, such as a text that looks like a
    /// credential, is not there.
    fn state(&mut self) {
        let person = Caller { project: Some(format!("{HERE}/.git")), ..self.bench.caller.clone() };
        let agent = Caller { surface: Surface::Mcp, ..person.clone() };
        for (caller, name) in [(&person, "the person"), (&agent, "an agent")] {
            for _ in 0..self.dice.below(STATED) {
                let words = text(&mut self.dice, 400);
                self.call(caller, "create_marker", json!({"text": words, "project": HERE}));
            }
            for number in 0..self.dice.below(STATED) {
                let value = text(&mut self.dice, 300);
                let key = format!("{}-{number}", name.replace(' ', "-"));
                let hint =
                    json!({"component": "made-up", "key": key, "value": value, "meta": {"ttl": "forever"}});
                self.call(caller, "set_hint", hint);
            }
            for _ in 0..self.dice.below(STATED) {
                let words = text(&mut self.dice, 500);
                self.call(caller, "remember", json!({"text": words}));
            }
        }
        if !self.observations.is_empty() {
            let pins: Vec<i64> =
                (0..self.dice.below(STATED)).map(|_| *self.dice.any(&self.observations)).collect();
            self.call(&person, "pin", json!({"ids": pins}));
        }
    }

    fn call(&self, caller: &Caller, name: &str, params: Value) {
        if registry::has(name) {
            let _refused = self.bench.memory.call(caller, name, params);
        }
    }
}

fn line(dice: &mut Dice) -> String {
    const LINES: [&str; 6] =
        ["cargo test", "make test", "npm run lint -- --fix", "git status", "docker compose up -d", "ls -la"];
    if dice.below(3) == 0 { text(dice, 200) } else { (*dice.any(&LINES)).to_owned() }
}

fn failed(dice: &mut Dice) -> Action {
    let mut failed = command(&line(dice), Outcome::Failed { exit: Some(1) });
    failed.metadata.insert("response".to_owned(), json!(text(dice, 600)));
    failed
}

fn todos(dice: &mut Dice) -> Action {
    let todos: Vec<String> = (0..1 + dice.below(6)).map(|_| text(dice, 120)).collect();
    let mut noted = Action { kind: ObservationKind::ToolOther, ..command("TodoWrite", Outcome::Success) };
    noted.metadata.insert("todos".to_owned(), json!(todos));
    noted
}
