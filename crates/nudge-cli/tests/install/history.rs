//! Importing the agents' own transcripts right after an installation.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use nudge_core::Timestamp;
use nudge_testkit::TestHome;
use serde_json::json;

use crate::install::home;

/// Three sessions of Claude Code with the same request, the same failure and the same change.
fn with_history() -> TestHome {
    let home = home();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    for session in 0..3_u64 {
        let at = |second: u64| {
            let millis = (now - (3 - session) * 86_400 + second) * 1_000;
            Timestamp::from_millis(i64::try_from(millis).expect("a time")).to_string()
        };
        let cwd = home.path().join("shop");
        let id = format!("0000000{session}-0000-4000-8000-000000000000");
        let base = |kind: &str, second: u64| json!({"type": kind, "sessionId": id, "cwd": cwd, "timestamp": at(second), "version": "2.1.325", "uuid": format!("u{session}-{second}")});
        let mut lines = Vec::new();
        let mut prompt = base("user", 0);
        prompt["message"] = json!({"role": "user", "content": "run the tests and commit when they pass"});
        lines.push(prompt);
        let mut call = |second: u64,
                        name: &str,
                        input: serde_json::Value,
                        result: serde_json::Value,
                        is_error: bool| {
            let tool = format!("toolu_{session}_{second}");
            let mut asked = base("assistant", second);
            asked["message"] = json!({"role": "assistant", "content": [{"type": "tool_use", "id": tool, "name": name, "input": input}]});
            lines.push(asked);
            let mut answered = base("user", second + 1);
            answered["message"] = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": tool, "is_error": is_error, "content": result}]});
            lines.push(answered);
        };
        call(
            10,
            "Bash",
            json!({"command": "npm test"}),
            json!("Exit code 1\nError: Cannot find module 'left-pad'"),
            true,
        );
        call(20, "Bash", json!({"command": "npm install"}), json!("added 1 package"), false);
        call(30, "Bash", json!({"command": "npm test"}), json!("ok"), false);
        for (second, file) in [(40, "src/cart.js"), (50, "src/price.js")] {
            let path = cwd.join(file);
            call(
                second,
                "Edit",
                json!({"file_path": path, "old_string": "a", "new_string": "b"}),
                json!("edited"),
                false,
            );
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        home.file(&format!(".claude/projects/-shop/{id}.jsonl"), &text);
    }
    home
}

/// @install_history
#[test]
fn the_last_days_are_imported_and_three_findings_are_shown() {
    let home = with_history();
    let outcome = home.run(["install", "claude", "--yes", "--import"]);
    let shown = outcome.stderr.replace(&home.path().display().to_string(), "HOME");
    let shown: String = shown
        .lines()
        .map(|line| if line.contains("imported") { "✔ imported …" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    assert_snapshot!("install_history", shown);
    assert!(outcome.stderr.contains("3 sessions"), "{}", outcome.stderr);
    assert_eq!(home.run(["sessions", "--all", "--json"]).json().as_array().map(Vec::len), Some(3));
}

/// @install_history
#[test]
fn nothing_is_imported_unless_it_is_asked_for() {
    let home = with_history();
    home.run(["install", "claude", "--yes"]).ok();
    assert!(!home.memory().join("nudge.db").exists());
}

/// @install_history
#[test]
fn what_takes_long_goes_on_in_the_background() {
    let home = with_history();
    let outcome =
        home.nudge(["install", "claude", "--yes", "--import"]).env("TEST_IMPORT_SECONDS", "0").run();
    assert!(outcome.stderr.contains("in the background"), "{}", outcome.stderr);
    let began = Instant::now();
    loop {
        let sessions = home.run(["sessions", "--all", "--json"]).json();
        if sessions.as_array().map(Vec::len) == Some(3) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{sessions}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
