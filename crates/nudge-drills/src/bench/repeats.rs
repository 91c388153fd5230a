//! Planted failures: the line after a failure appears for failures that were seen before, and for
//! no others.
//!
//! 200 made-up sessions run through the code path of a hook's event (`replay-sessions`). 60 errors
//! occur twice, the second time with other paths, line numbers, addresses and times; after the
//! first time a fix follows. 600 other failures occur once. The line must appear for nine in ten of
//! the repeats, with the fix, and for none of the others.
//!
//! `cargo xtask bench repeats`

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use serde_json::{Value, json};

use super::sessions::payload::{Call, Workspace, output};
use crate::stage::Programs;

const SESSIONS: usize = 200;
const REPEATS: usize = 60;
const OTHER_PROMPTS: usize = 600;

/// The share of repeats that must be answered.
const MIN_ANSWERED: f64 = 0.9;

/// The start of the first session, and the time between sessions, in milliseconds.
const FIRST_BEGINS_AT: i64 = 1_790_000_000_000;
const SESSION_INTERVAL_MS: i64 = 3 * 60 * 60 * 1000;

/// Words for made-up names.
const NOUNS: [&str; 20] = [
    "cart", "router", "ledger", "parser", "cache", "queue", "worker", "schema", "token", "session",
    "invoice", "ticket", "mailer", "index", "planner", "vault", "metric", "signal", "broker", "canvas",
];
const VERBS: [&str; 12] = [
    "load", "merge", "flush", "resolve", "decode", "commit", "render", "fetch", "verify", "rotate", "expand",
    "attach",
];

/// An error that prints a place and a time.
struct Fault {
    number: usize,
}

impl Fault {
    fn noun(&self) -> &'static str {
        NOUNS[self.number % NOUNS.len()]
    }

    fn verb(&self) -> &'static str {
        VERBS[(self.number / NOUNS.len() + self.number) % VERBS.len()]
    }

    /// A name that no other error has.
    fn name(&self) -> String {
        format!("{}_{}_{}", self.verb(), self.noun(), letters(self.number))
    }

    fn command(&self) -> String {
        match self.number % 5 {
            0 => "cargo build --workspace".to_owned(),
            1 => "python3 -m app.tasks".to_owned(),
            2 => "npm run deploy".to_owned(),
            3 => "docker compose up api".to_owned(),
            _ => format!("./scripts/{}.sh", self.verb()),
        }
    }

    /// The output; `turn` changes everything that changes from run to run.
    fn output(&self, turn: usize) -> String {
        let (name, seed) = (self.name(), self.number * 7 + turn * 131);
        let place =
            format!("/home/dev{turn}/w{seed}/src/{}.rs:{}:{}", self.noun(), 10 + seed % 900, 1 + seed % 70);
        let when = format!("2026-11-{:02}T{:02}:{:02}:17Z", 1 + seed % 28, seed % 24, seed % 60);
        let line = match self.number % 6 {
            0 => format!("{place}: error: cannot find function {name} in this scope"),
            1 => format!(
                "RuntimeError: {name} failed to connect to 10.0.{}.{}:{}",
                seed % 255,
                turn,
                4000 + seed
            ),
            2 => format!("{when} fatal: {name} is not registered (worker {seed})"),
            3 => format!("Error: could not acquire lock {name} after {}ms at 0x{seed:08x}", 100 + seed),
            4 => format!("panic: {name}: invalid state, pid {seed}, file {place}"),
            _ => format!("error: undefined reference to {name} in /tmp/build-{seed}/obj.o"),
        };
        format!("Exit code 1\nstarting run {seed}\n{line}\ntask finished after {}.{}s", seed % 40, seed % 10)
    }

    fn fix_command(&self) -> String {
        format!("./tools/prepare-{} --{}", letters(self.number), self.noun())
    }
}

/// A number in letters, because digits are normalised away.
fn letters(number: usize) -> String {
    let letter = |place: usize| char::from(b'a' + u8::try_from(place % 26).unwrap_or(0));
    [number / 676, number / 26, number].into_iter().map(letter).collect()
}

/// A script that is being written.
struct Script {
    text: String,
    at: i64,
    seq: u64,
    cwd: String,
}

impl Script {
    fn step(&mut self, session: &str, hook: &Value) {
        self.at += 1_000;
        let line = json!({"at": self.at, "session": session, "seq": self.seq, "lines": [], "hook": hook});
        let _ = writeln!(self.text, "{line}");
    }

    fn command(&mut self, session: &str, command: &str, failed: Option<&str>) -> u64 {
        self.seq += 1;
        let cwd = self.cwd.clone();
        let workspace = Workspace { session, cwd: &cwd };
        let call = Call {
            id: format!("toolu_{:06}", self.seq),
            tool: "Bash".to_owned(),
            input: json!({"command": command}),
        };
        let hook = match failed {
            Some(error) => workspace.failed("turn", &call, error),
            None => workspace.done("turn", &call, output("done")),
        };
        self.step(session, &hook);
        self.seq
    }
}

/// The expected answer to a failure.
struct Expected {
    seq: u64,
    /// The command that must be named; `None` where nothing may be injected.
    expected_fix: Option<String>,
}

/// Plays all sessions and counts the answers.
pub(super) fn run() -> anyhow::Result<bool> {
    let programs = Programs::baselines()?;
    let dir = tempfile::tempdir()?;
    let root = dir.path().join("app");
    std::fs::create_dir_all(root.join(".git"))?;
    let (script, expected) = script(&root.to_string_lossy());
    let file = dir.path().join("script.jsonl");
    std::fs::write(&file, script)?;
    let said = play(&programs.bare(), &file, &dir.path().join("store"))?;
    let (mut repeats, mut answered, mut right, mut others, mut wrong) = (0, 0, 0, 0, 0);
    for one in &expected {
        let text = said.iter().find(|(seq, _)| *seq == one.seq).map(|(_, text)| text);
        match &one.expected_fix {
            Some(fix) => {
                repeats += 1;
                answered += usize::from(text.is_some());
                if !text.is_some_and(|text| text.contains(fix.as_str())) {
                    println!("- {fix} is not named: {}", text.map_or("nothing was injected", String::as_str));
                }
                right += usize::from(text.is_some_and(|text| text.contains(fix.as_str())));
            }
            None => {
                others += 1;
                if let Some(text) = text {
                    wrong += 1;
                    println!("- injected without need: {text}");
                }
            }
        }
    }
    println!(
        "{SESSIONS} sessions; repeats: {repeats}, answered {answered}, with what helped {right}; other failures: {others}, answered {wrong}"
    );
    Ok(wrong == 0 && right as f64 >= repeats as f64 * MIN_ANSWERED)
}

fn script(cwd: &str) -> (String, Vec<Expected>) {
    let mut script = Script { text: String::new(), at: FIRST_BEGINS_AT, seq: 0, cwd: cwd.to_owned() };
    let mut expected = Vec::new();
    for session in 0..SESSIONS {
        script.at = FIRST_BEGINS_AT + session as i64 * SESSION_INTERVAL_MS;
        let name = format!("s-{session:03}");
        let cwd = script.cwd.clone();
        let workspace = Workspace { session: &name, cwd: &cwd };
        script.step(&name, &workspace.start("startup"));
        script.step(&name, &workspace.prompt("turn", "go on with the work of yesterday, please"));
        for number in (0..REPEATS).filter(|number| number % 100 == session % 100) {
            let fault = Fault { number };
            let turn = session / 100;
            let seq = script.command(&name, &fault.command(), Some(&fault.output(turn)));
            expected.push(Expected { seq, expected_fix: (turn > 0).then(|| fault.fix_command()) });
            script.command(&name, &fault.fix_command(), None);
            script.command(&name, &fault.command(), None);
        }
        for number in (0..OTHER_PROMPTS).filter(|number| number % SESSIONS == session) {
            let fault = Fault { number: REPEATS + number };
            let seq = script.command(&name, &fault.command(), Some(&fault.output(0)));
            expected.push(Expected { seq, expected_fix: None });
        }
        script.step(&name, &workspace.end("turn"));
    }
    (script.text, expected)
}

/// The texts given after commands, by the number of the event.
fn play(replay: &Path, script: &Path, store: &Path) -> anyhow::Result<Vec<(u64, String)>> {
    let played =
        Command::new(replay).arg("replay-sessions").arg(script).arg(store).stderr(Stdio::inherit()).output();
    let played = played.context("sessions cannot be replayed")?;
    anyhow::ensure!(played.status.success(), "the replay ended with {}", played.status);
    let mut said = Vec::new();
    for line in String::from_utf8(played.stdout)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let is_after = line["event"].as_str().is_some_and(|event| event.starts_with("PostToolUse"));
        if let (true, Some(seq), Some(text)) =
            (is_after, line["seq"].as_u64(), line["given"]["text"].as_str())
        {
            said.push((seq, text.to_owned()));
        }
    }
    Ok(said)
}
