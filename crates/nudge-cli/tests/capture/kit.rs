//! Payloads, and ways to send them.

use std::path::Path;

use nudge_home::Home;
use nudge_memory::capture::drops::{DropReport, Drops};
use nudge_testkit::{Outcome, StoredMemory, TestHome};
use serde_json::{Value, json};

/// The session id of every payload here.
pub(crate) const SESSION: &str = "6ce6a2a9-c4b6-42be-9ce0-d12f363551d0";

/// A key in the vendor's documented format, split so that secret scanners ignore this file.
pub(crate) const KEY: &str = concat!("AKIA", "QZ3MFJ6T2XW7NB4D");

/// A fresh home with the binary of this build.
pub(crate) fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}

/// The same; hooks keep their deadlines in it.
pub(crate) fn home_with_deadlines() -> TestHome {
    home().with_deadlines()
}

/// The contents of the home's store.
pub(crate) fn stored(home: &TestHome) -> StoredMemory {
    StoredMemory::in_dir(&home.memory())
}

/// A prompt as Claude Code sends it.
pub(crate) fn prompt(text: &str) -> Value {
    json!({
        "session_id": SESSION, "cwd": "/home/dev/project", "hook_event_name": "UserPromptSubmit",
        "prompt_id": format!("prompt-{text}"), "prompt": text,
    })
}

/// A command that has run, as Claude Code sends it.
pub(crate) fn command(line: &str) -> Value {
    json!({
        "session_id": SESSION, "cwd": "/home/dev/project", "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_use_id": format!("toolu_{}", line.replace(' ', "_")),
        "tool_input": {"command": line}, "tool_response": {"stdout": "", "stderr": "", "interrupted": false},
    })
}

/// A prompt longer than the input limit, built without escaping.
pub(crate) fn endless_prompt() -> String {
    let words = "x".repeat(64 * 1024 * 1024);
    prompt("ENDLESS").to_string().replace("\"ENDLESS\"", &format!("\"{words}\""))
}

/// The end of a turn: the event with the longest deadline of those that carry no content.
pub(crate) fn stop() -> Value {
    json!({"session_id": SESSION, "cwd": "/home/dev/project", "hook_event_name": "Stop"})
}

/// Sends a payload through `nudge hook claude`; asserts that the hook is quiet.
#[track_caller]
pub(crate) fn fire(home: &TestHome, payload: &Value) {
    quiet(home.nudge(["hook", "claude"]).stdin(payload.to_string()).run());
}

/// Asserts exit 0 and no output on either stream.
#[track_caller]
pub(crate) fn quiet(outcome: Outcome) {
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", ""));
}

/// Writes something with the command line, which also imports the spool.
#[track_caller]
pub(crate) fn import_spool(home: &TestHome) {
    home.run(["set", "test", "touch", "1"]).ok();
}

/// Whether the spool has anything in it.
pub(crate) fn is_spooled(home: &TestHome) -> bool {
    home.memory().join("run/spool").exists()
}

/// The drop record of a memory.
pub(crate) fn drops(memory: &Path) -> DropReport {
    let home = Home::locate(Some(memory), &|_| None).expect("absolute");
    Drops::of(&home).read().expect("the drop record can be read")
}

/// The hooks' log; empty when there is none.
pub(crate) fn log(home: &TestHome) -> String {
    std::fs::read_to_string(home.memory().join("logs/hooks.log")).unwrap_or_default()
}

/// All files below a directory that contain these bytes.
pub(crate) fn files_with(dir: &Path, needle: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.push(path);
            } else if std::fs::read(&path)
                .is_ok_and(|bytes| bytes.windows(needle.len()).any(|part| part == needle.as_bytes()))
            {
                found.push(path.display().to_string());
            }
        }
    }
    found
}
