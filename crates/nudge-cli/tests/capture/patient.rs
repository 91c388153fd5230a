//! A memory with a fault: sends it every event of Claude Code and reads what `nudge doctor` finds.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nudge_harness::{Harness, deadline};
use nudge_testkit::tidy::tidy;
use nudge_testkit::{Outcome, TEST_DEADLINE, TestHome};
use serde_json::{Value, json};

use crate::capture::deadline::in_time;
use crate::capture::kit::SESSION;

/// The home directory that replaced the real one when the payloads were captured.
const CAPTURED_HOME: &str = "/home/dev";

/// A home, and how to call the program in it.
pub(crate) struct FaultyHome<'a> {
    command: Box<dyn Fn() -> Command + 'a>,
    home: PathBuf,
}

/// What `nudge doctor` reports for one check.
pub(crate) struct Finding {
    pub(crate) verdict: String,
    pub(crate) way_out: String,
    message: String,
}

impl<'a> FaultyHome<'a> {
    /// A home with its memory in the default place.
    pub(crate) fn at(home: &'a TestHome) -> Self {
        Self::new(home.path(), || home.command())
    }

    /// A home in which this function builds the calls of the program.
    pub(crate) fn new(home: &Path, command: impl Fn() -> Command + 'a) -> Self {
        Self { command: Box::new(command), home: home.to_owned() }
    }

    /// The same, after a session that leaves something to inject into the next one in its project.
    #[track_caller]
    pub(crate) fn with_something_to_inject(self) -> Self {
        std::fs::create_dir_all(self.project()).expect("a directory below a fresh home can be made");
        let event = |name: &str| json!({"session_id": "first", "cwd": self.project(), "hook_event_name": name, "prompt_id": "p-1"});
        let mut prompt = event("UserPromptSubmit");
        prompt["prompt"] = "make the parser keep the last token".into();
        let mut edit = event("PostToolUse");
        edit["tool_name"] = "Edit".into();
        edit["tool_use_id"] = "e-1".into();
        edit["tool_input"] =
            json!({"file_path": self.project().join("parse.rs"), "old_string": "a", "new_string": "b"});
        let mut failed = event("PostToolUseFailure");
        failed["tool_name"] = "Bash".into();
        failed["tool_use_id"] = "b-1".into();
        failed["tool_input"] = json!({"command": "make check"});
        failed["error"] = "Exit code 2\nassertion failed".into();
        for event in [prompt, edit, failed, event("SessionEnd")] {
            self.call(&["record"], &event).ok();
        }
        let mut start = event("SessionStart");
        start["session_id"] = "second".into();
        start["source"] = "startup".into();
        let mut command = (self.command)();
        command.env(TEST_DEADLINE, "20");
        let injected = call(command, &["hook", "claude"], &start, &self.home).ok();
        assert!(injected.contains("make the parser keep the last token"), "{injected}");
        self
    }

    /// Sends every event of Claude Code; asserts that each is silent and in time.
    #[track_caller]
    pub(crate) fn is_quiet_and_in_time(&self) {
        for (name, payload) in self.events() {
            let event = nudge_harness::parse(Harness::Claude, &payload.to_string()).expect("an event");
            let allowed = deadline::of(&event.kind);
            in_time(name, allowed, || {
                let began = Instant::now();
                let outcome = self.call(&["hook", "claude"], &payload);
                let took = began.elapsed();
                assert_eq!(
                    (outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()),
                    (Some(0), Harness::Claude.spec().silence, ""),
                    "{name}"
                );
                took
            });
        }
    }

    /// What `nudge doctor` reports for one check.
    #[track_caller]
    pub(crate) fn finding(&self, name: &str) -> Finding {
        let outcome = self.call(&["doctor", "--json"], &Value::Null);
        let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        let checks = report["checks"].as_array().expect("a list");
        let found = checks.iter().find(|check| check["name"] == name).expect("it was looked at");
        assert_eq!(outcome.code == Some(1), checks.iter().any(|check| check["verdict"] == "fail"));
        let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
        Finding { verdict: text("verdict"), way_out: text("way_out"), message: text("message") }
    }

    /// The finding as the user sees it, with everything that differs between runs made constant.
    pub(crate) fn words(&self, finding: &Finding) -> String {
        let Finding { verdict, way_out, message } = finding;
        // The size of an intact memory is no part of the fault.
        let message = match message.split_once("; ") {
            Some((facts, wrong)) if facts.starts_with("intact: ") => wrong,
            _ => message,
        };
        tidy(&format!("{verdict}: {message}\n→ {way_out}"), &self.home)
    }

    /// Runs the command quoted in a fix, with this program as `nudge`.
    #[track_caller]
    pub(crate) fn run_fix(&self, quoted: &str) -> Outcome {
        let words: Vec<&str> = quoted.split(' ').collect();
        match words[..] {
            ["nudge", ref args @ ..] => self.call(args, &Value::Null),
            [program, ref args @ ..] => call(Command::new(program), args, &Value::Null, &self.home),
            [] => panic!("nothing to run"),
        }
    }

    fn project(&self) -> PathBuf {
        self.home.join("project")
    }

    /// Calls the program; hooks keep their deadlines.
    fn call(&self, args: &[&str], input: &Value) -> Outcome {
        let mut command = (self.command)();
        command.env_remove(TEST_DEADLINE);
        call(command, args, input, &self.home)
    }

    /// One payload of each event: the captured one, or else one with the fields that all events
    /// have.
    fn events(&self) -> Vec<(&'static str, Value)> {
        let captured = self.captured();
        let events: Vec<_> = Harness::Claude
            .spec()
            .events
            .iter()
            .map(|event| {
                let found = captured.iter().find(|payload| payload["hook_event_name"] == event.name).cloned();
                let plain =
                    || json!({"session_id": SESSION, "cwd": self.project(), "hook_event_name": event.name});
                (event.name, found.unwrap_or_else(plain))
            })
            .collect();
        let names = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"];
        for name in names.into_iter().chain(["PreCompact"]) {
            assert!(
                captured.iter().any(|payload| payload["hook_event_name"] == name),
                "no {name} was captured"
            );
        }
        events
    }

    fn captured(&self) -> Vec<Value> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../nudge-harness/tests/fixtures/claude");
        let list = |dir: &Path| {
            let entries =
                std::fs::read_dir(dir).expect("readable").map(|found| found.expect("readable").path());
            let mut paths: Vec<PathBuf> = entries.collect();
            paths.sort();
            paths
        };
        let files = list(&root).into_iter().filter(|path| path.is_dir()).flat_map(|version| list(&version));
        let home = self.home.to_str().expect("a path in UTF-8");
        files
            .filter_map(|file| std::fs::read_to_string(file).ok())
            .filter_map(|text| serde_json::from_str(&text.replace(CAPTURED_HOME, home)).ok())
            .collect()
    }
}

/// Runs a command to its end.
fn call(mut command: Command, args: &[&str], input: &Value, home: &Path) -> Outcome {
    let mut child = command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that does not read its input closes it early; the test does not fail for that.
    let _ = child.stdin.take().expect("piped").write_all(input.to_string().as_bytes());
    Outcome::new(child.wait_with_output().expect("it ends"), home.to_owned())
}
