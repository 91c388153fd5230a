//! A memory with a missing or damaged database: what is refused, what is kept meanwhile, and how to
//! recover.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use nudge_testkit::TestHome;
use serde_json::{Value, json};

use crate::cli::home;

fn filled() -> TestHome {
    let home = home();
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    home
}

fn database(home: &TestHome) -> PathBuf {
    home.memory().join("nudge.db")
}

fn damage(home: &TestHome) {
    fs::write(database(home), b"this is no database, whatever its name says").expect("ours");
    for side in ["nudge.db-wal", "nudge.db-shm"] {
        let _ = fs::remove_file(home.memory().join(side));
    }
}

fn hook(home: &TestHome, command: &str) {
    let event = json!({
        "session_id": "s-1", "cwd": home.path(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
        "tool_use_id": command, "tool_input": {"command": command}, "tool_response": {"stdout": ""},
    });
    let outcome = home.nudge(["hook", "claude"]).stdin(event.to_string()).run();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), ""), "{}", outcome.stderr);
}

fn store_finding(home: &TestHome) -> (String, String) {
    let outcome = home.run(["doctor", "--json"]).exits(1);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("a list");
    let store = checks.iter().find(|check| check["name"] == "store").expect("a finding");
    let text = |name: &str| store[name].as_str().expect("a text").to_owned();
    (text("message"), text("way_out"))
}

/// @lost_memory: no command creates a new memory in place of a lost one; hooks spool events that
/// they cannot store, and a restored backup brings both back.
#[test]
fn a_lost_memory_is_refused_and_restored() {
    for is_cut in [false, true] {
        let home = filled();
        home.run(["backup"]).ok();
        fs::remove_file(database(&home)).expect("there");
        if is_cut {
            fs::write(database(&home), "").expect("writable");
        }
        assert_snapshot!(format!("lost_{is_cut}"), home.run(["get", "api", "build"]).page());
        for command in
            [&["set", "api", "x", "1"][..], &["recent"], &["maintain"], &["backup"], &["search", "x"]]
        {
            let fault = home.nudge(command.iter().chain(&["--json"])).run().fault(5);
            assert_eq!(fault["data"]["reason"], "memory_gone", "{command:?}");
        }
        assert!(home.run(["status"]).ok().contains("the memory is gone"));
        hook(&home, "make while lost");
        assert_eq!(database(&home).exists(), is_cut, "nothing was made");

        let (message, way_out) = store_finding(&home);
        assert!(message.contains("gone") && !way_out.contains("nudge doctor"), "{message}: {way_out}");
        let backup = way_out.split_whitespace().find(|word| word.ends_with(".db")).expect("a backup by name");
        let restored = home.run(["restore", backup, "--yes", "--json"]).json();
        assert_eq!(restored["previous"], serde_json::Value::Null, "nothing was left");
        assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
        assert!(home.run(["search", "--all", "while lost"]).ok().contains("make while lost"));
    }
}

/// @lost_memory: without a backup the user can start anew, with an explicit flag; an agent cannot,
/// and an intact memory is not replaced.
#[test]
fn the_person_begins_anew() {
    let home = filled();
    home.run(["restore", "--anew", "--yes"]).exits(6);
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    fs::remove_file(database(&home)).expect("there");
    let (_, way_out) = store_finding(&home);
    assert!(way_out.contains("nudge restore --anew --yes") && !way_out.contains("export"), "{way_out}");
    home.run(["restore", "--anew"]).exits(4);
    home.nudge(["restore", "--anew", "--yes"]).env("CLAUDECODE", "1").run().exits(4);
    assert_snapshot!("begun_anew", home.run(["restore", "--anew", "--yes"]).page());
    home.run(["get", "api", "build"]).exits(3);
    home.run(["doctor"]).ok();
}

/// @lost_memory: something that is not a file is not replaced, and the suggested command is quoted
/// for a shell.
#[test]
fn a_directory_in_its_place_is_not_replaced() {
    let home = filled();
    let backup = home.path().join("my backup.db");
    home.run(["backup".as_ref(), backup.as_os_str()]).ok();
    let asked = home.run(["restore".as_ref(), backup.as_os_str()]);
    assert!(asked.exits(4).stderr.contains("my backup.db' --yes"), "quoted");
    fs::remove_file(database(&home)).expect("there");
    fs::create_dir(database(&home)).expect("writable");
    for args in [
        vec!["restore".as_ref(), backup.as_os_str(), "--yes".as_ref()],
        vec!["restore".as_ref(), "--anew".as_ref(), "--yes".as_ref()],
    ] {
        let fault = home.nudge(args.into_iter().chain(["--json".as_ref()])).run().fault(2);
        assert_eq!(fault["data"]["reason"], "not_a_file");
    }
    fs::remove_dir(database(&home)).expect("still empty");
    home.run(["restore".as_ref(), backup.as_os_str(), "--yes".as_ref()]).ok();
}

/// @doctor_ways_out @lost_memory: for a damaged memory, `doctor` names the newest intact backup,
/// and never suggests `doctor`.
#[test]
fn doctor_names_the_way_back() {
    let home = filled();
    damage(&home);
    let (_, way_out) = store_finding(&home);
    assert!(
        way_out.contains("no intact backup") && way_out.contains("nudge restore --anew --yes"),
        "{way_out}"
    );

    let home = filled();
    let file = home.run(["backup", "--json"]).json()["file"].as_str().expect("a path").to_owned();
    // Newer, but no valid backups: one is damaged, one is a link.
    let backups = home.memory().join("backups");
    fs::write(backups.join("nudge-9999.db"), "not a database").expect("writable");
    std::os::unix::fs::symlink(&file, backups.join("nudge-9999-link.db")).expect("linked");
    damage(&home);
    let (_, way_out) = store_finding(&home);
    assert!(way_out.contains(&format!("nudge restore {file} --yes")), "{way_out}");
    assert!(!way_out.contains("nudge doctor"), "{way_out}");
    home.run(["restore", &file, "--yes"]).ok();
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
}
