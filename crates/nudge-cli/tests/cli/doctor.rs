//! `nudge doctor` finds problems and names their fixes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use insta::assert_snapshot;
use nudge_testkit::StoredMemory;
use serde_json::{Value, json};

use crate::cli::home;

/// The page without the line about the disk of the machine that runs the tests.
fn without_disk(page: &str) -> String {
    let is_disk = |line: &&str| line.contains("  disk  ");
    page.lines().filter(|line| !is_disk(line)).map(|line| format!("{line}\n")).collect()
}

fn verdict(report: &Value, name: &str) -> String {
    let checks = report["checks"].as_array().expect("a list");
    let check =
        checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}: {report}"));
    if check["verdict"] != "ok" {
        assert!(check["way_out"].is_string(), "{name} has no way out: {check}");
    }
    check["verdict"].as_str().expect("a verdict").to_owned()
}

/// @doctor_ways_out
#[test]
fn a_fresh_home_and_a_used_one_are_well() {
    let home = home();
    assert_snapshot!("doctor_fresh", without_disk(&home.run(["doctor"]).page()));
    home.run(["set", "api", "build", "make"]).ok();
    let _server = home.daemon(&[]);
    let report = home.run(["doctor", "--json"]).json();
    assert_eq!(report["ok"], true);
    for name in ["home", "store", "server", "token", "versions", "settings"] {
        assert_eq!(verdict(&report, name), "ok", "{report}");
    }
}

/// @doctor_ways_out
#[test]
fn damage_is_found() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    fs::write(home.memory().join("nudge.db"), b"this is no database, whatever its name says").expect("ours");
    for side in ["nudge.db-wal", "nudge.db-shm"] {
        let _ = fs::remove_file(home.memory().join(side));
    }
    let outcome = home.run(["doctor", "--json"]);
    assert_eq!(outcome.code, Some(1));
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(verdict(&report, "store"), "fail");
    home.run(["get", "api", "build"]).exits(5);
}

/// Changes an entry behind the back of an index.
const BEHIND_THE_INDEX: &str = "
import sqlite3, sys
memory = sqlite3.connect(sys.argv[1], isolation_level=None)
memory.executescript(\"\"\"
    PRAGMA writable_schema = ON;
    CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'entry_newest';
    DELETE FROM main.sqlite_schema WHERE name = 'entry_newest';
    PRAGMA writable_schema = RESET;
    UPDATE entry SET updated_at = updated_at + 1;
    PRAGMA writable_schema = ON;
    INSERT INTO main.sqlite_schema SELECT * FROM kept;
    PRAGMA writable_schema = RESET;
\"\"\")";

/// @doctor_deep
#[test]
fn a_deep_look_finds_an_index_that_is_not_its_table() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let look = |options: &[&str]| {
        let outcome = home.run(["doctor", "--no-probe", "--json"].iter().chain(options));
        let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        verdict(&report, "store")
    };
    assert_eq!([look(&[]), look(&["--deep"])], ["ok", "ok"]);
    let changed = Command::new("python3")
        .args(["-c", BEHIND_THE_INDEX])
        .arg(home.memory().join("nudge.db"))
        .status()
        .expect("python3 starts");
    assert!(changed.success());
    assert_eq!([look(&[]), look(&["--deep"])], ["ok", "fail"]);
}

/// @doctor_ways_out
#[test]
fn a_token_that_others_can_read_and_a_misspelt_key_are_found() {
    let home = home();
    home.run(["token", "rotate"]).ok();
    let token = home.memory().join("run/token");
    fs::set_permissions(&token, fs::Permissions::from_mode(0o644)).expect("ours");
    home.file(".config/nudge/config.toml", "prot = 9000\n");
    let outcome = home.run(["doctor"]);
    assert_snapshot!("doctor_findings", without_disk(&outcome.page()));
    let report: Value = serde_json::from_str(&home.run(["doctor", "--json"]).stdout).expect("JSON");
    assert_eq!(verdict(&report, "token"), "fail");
    assert_eq!(verdict(&report, "settings"), "warn");
}

/// @doctor_failures: for a damaged memory, SQLite's message is shown whichever process met the
/// damage, without anything the user typed.
#[test]
fn failures_are_shown_with_their_cause() {
    let home = home();
    home.run(["set", "api", "build", "canary-value"]).ok();
    let failures = || {
        let report: Value = serde_json::from_str(&home.run(["doctor", "--json"]).stdout).expect("JSON");
        let checks = report["checks"].as_array().expect("a list").clone();
        checks.into_iter().find(|check| check["name"] == "failures")
    };
    home.run(["get", "api", "no-such-canary"]).exits(3);
    assert_eq!(failures(), None, "what a person asks for and is not there is no failure");
    fs::write(home.memory().join("nudge.db"), b"this is no database, whatever its name says").expect("ours");
    for side in ["nudge.db-wal", "nudge.db-shm"] {
        let _ = fs::remove_file(home.memory().join(side));
    }
    home.run(["get", "api", "canary-key"]).exits(5);
    home.run(["get", "api", "canary-key"]).exits(5);
    let event = json!({
        "session_id": "s-1", "cwd": home.path(), "hook_event_name": "UserPromptSubmit", "prompt": "canary-prompt",
    });
    home.nudge(["hook", "claude"]).stdin(event.to_string()).run().ok();
    home.run(["serve", "--daemon"]).exits(5);
    let found = failures().expect("there are some");
    let said = found["message"].as_str().expect("a text");
    for who in ["get failed 2× (cli), last ", "prompt failed (claude), ", "serve failed (server), "] {
        let at = said.find(who).unwrap_or_else(|| panic!("{who}: {said}"));
        let cause = said[at..].split("; ").next().expect("a part");
        assert!(cause.contains("file is not a database"), "{cause}");
    }
    assert!(home.run(["doctor"]).stdout.contains("file is not a database"));
    for log in ["server.log", "hooks.log"] {
        let text = fs::read_to_string(home.memory().join("logs").join(log)).expect("a log");
        assert!(text.contains("\"took_ms\":") && !text.contains("canary"), "{text}");
    }
}

/// @doctor_failures: a failure inside a server is logged there, and nowhere else.
#[test]
fn a_failure_inside_a_server_is_logged_once() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    StoredMemory::in_dir(&home.memory()).lose_ledger();
    let _server = home.daemon(&[]);
    home.run(["usage"]).exits(5);
    let logged = |name: &str| fs::read_to_string(home.memory().join("logs").join(name)).unwrap_or_default();
    let lines: Vec<String> =
        logged("server.log").lines().filter(|line| line.contains(" failed {")).map(str::to_owned).collect();
    assert_eq!((lines.len(), logged("hooks.log")), (1, String::new()), "{lines:?}");
    assert!(lines[0].contains("\"by\":\"cli\"") && lines[0].contains("no such table"), "{lines:?}");
    assert!(home.run(["doctor"]).stdout.contains("no such table"));
}
