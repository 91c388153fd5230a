//! `nudge record`: one JSON object in, an exit code and messages out.

use std::path::PathBuf;

use nudge_core::event::Outcome as Reported;
use nudge_testkit::{Outcome, TestHome};
use serde_json::{Value, json};

use crate::capture::kit::{SESSION, command, endless_prompt, home, prompt, quiet, stored};

fn record(home: &TestHome, payload: &str) -> Outcome {
    home.nudge(["record"]).stdin(payload).run()
}

fn start() -> Value {
    json!({"session_id": SESSION, "cwd": "/home/dev/project", "hook_event_name": "SessionStart", "source": "startup"})
}

/// @record_contract
#[test]
fn an_event_is_stored_without_a_word() {
    let home = home();
    quiet(record(&home, &format!("{}\n", prompt("from a script"))));
    let mut strange = command("cargo build");
    strange["field_of_the_future"] = json!({"any": ["thing"]});
    quiet(record(&home, &strange.to_string()));
    quiet(record(&home, &strange.to_string()));
    assert_eq!(stored(&home).prompt_texts(SESSION), ["from a script"]);
    assert_eq!(stored(&home).did(SESSION), ["command cargo build"]);
    let session = stored(&home).session(SESSION).expect("a session");
    assert_eq!(session.harness, "record");
}

/// @record_contract
#[test]
fn typed_answers_are_objects_with_a_type() {
    let home = home();
    let typed = |payload: &Value| {
        let outcome = home.nudge(["record", "--format", "typed"]).stdin(payload.to_string()).run();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        outcome.stdout
    };
    assert_eq!(typed(&start()), format!("{{\"type\":\"session_started\",\"session_id\":\"{SESSION}\"}}\n"));
    assert_eq!(typed(&prompt("x")), "{\"type\":\"degraded\",\"reason\":\"no_context\"}\n");
    assert_eq!(typed(&command("make")), "");
}

/// @record_contract
#[test]
fn a_large_payload_is_taken_and_kept_small() {
    let home = home();
    let mut payload = command("x");
    payload["tool_name"] = "Write".into();
    let body = "all work and no play makes jack a dull boy\n".repeat(250_000);
    payload["tool_input"] = json!({"file_path": "/home/dev/project/big.txt", "content": body});
    quiet(record(&home, &payload.to_string()));
    assert_eq!(stored(&home).did(SESSION), ["file_write /home/dev/project/big.txt"]);
    let size = home.memory().join("nudge.db").metadata().expect("there").len();
    assert!(size < 1024 * 1024, "{size} bytes");
}

/// @record_errors
#[test]
fn what_is_no_event_is_named_and_exits_1() {
    let home = home();
    let mut injected = String::new();
    for payload in [
        "",
        "not json",
        "[]",
        r#"{"cwd":"/p","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","cwd":"/p"}"#,
        r#"{"session_id":"  ","cwd":"/p","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","cwd":"\t","hook_event_name":"Stop"}"#,
        r#"{"session_id":"s","cwd":"/p","hook_event_name":" "}"#,
        r#"{"session_id":"s","cwd":"/p","hook_event_name":"Stop""#,
    ] {
        let outcome = record(&home, payload).exits(1);
        assert_eq!(outcome.stdout, "");
        injected.push_str(&format!("{payload}\n{}\n", outcome.stderr));
    }
    insta::assert_snapshot!("record_errors", injected);
    assert_eq!(crate::capture::kit::drops(&home.memory()).total, 0, "whoever sent it knows");
    assert_eq!(crate::capture::kit::log(&home), "");
}

/// @record_contract @record_errors
#[test]
fn what_is_no_utf8_is_refused_by_record_and_taken_by_a_hook() {
    let home = home();
    let mut payload = prompt("from a script: QQQ").to_string().into_bytes();
    let places: Vec<usize> = (0..payload.len()).filter(|at| payload[*at..].starts_with(b"QQQ")).collect();
    places.iter().for_each(|at| payload[*at] = 0xff);
    let at = places[0];
    let refused = home.nudge(["record"]).stdin(payload.clone()).run().exits(1);
    assert_eq!(
        (refused.stdout.as_str(), refused.stderr),
        (
            "",
            format!(
                "error: the payload is not valid UTF-8 at byte {at}\nhint: send one JSON object, as an agent's hook does\n"
            )
        )
    );
    assert_eq!(stored(&home).prompt_texts(SESSION), Vec::<String>::new());
    quiet(home.nudge(["hook", "claude"]).stdin(payload).run());
    assert_eq!(stored(&home).prompt_texts(SESSION), ["from a script: \u{fffd}QQ"]);
    quiet(record(&home, &format!("{}\n", prompt("grüße, 語, 🦀"))));
    assert!(stored(&home).prompt_texts(SESSION).contains(&"grüße, 語, 🦀".to_owned()));
}

/// @record_errors
#[test]
fn a_payload_that_is_too_long_is_called_that() {
    let home = home();
    let outcome = record(&home, &endless_prompt()).exits(1);
    assert_eq!(outcome.stdout, "");
    insta::assert_snapshot!("record_too_long", outcome.stderr);
    assert_eq!(crate::capture::kit::drops(&home.memory()).total, 0, "whoever sent it knows");
}

/// Damages the database; returns its path and its former contents.
fn damage(home: &TestHome) -> (PathBuf, Vec<u8>) {
    stored(home).make();
    let database = home.memory().join("nudge.db");
    let sound = std::fs::read(&database).expect("readable");
    std::fs::write(&database, b"this is no database, whatever its name says".repeat(100)).expect("ours");
    (database, sound)
}

/// @record_errors
#[test]
fn a_damaged_memory_exits_2_and_the_event_waits() {
    let home = home();
    let (database, sound) = damage(&home);
    let outcome = record(&home, &prompt("saved").to_string()).exits(2);
    assert_eq!(outcome.stdout, "");
    insta::assert_snapshot!("record_damaged", outcome.stderr);
    std::fs::write(&database, sound).expect("ours");
    crate::capture::kit::import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["saved"]);
}

/// @record_errors
#[test]
fn a_damaged_memory_exits_2_also_when_nothing_can_wait() {
    let home = home();
    damage(&home);
    let spool = home.memory().join("run/spool");
    std::fs::create_dir_all(home.memory().join("run")).expect("ours");
    let _ = std::fs::remove_dir_all(&spool);
    std::fs::write(&spool, "a file where the spool should be").expect("ours");
    let outcome = record(&home, &prompt("gone").to_string()).exits(2);
    assert_eq!(outcome.stdout, "");
    insta::assert_snapshot!("record_damaged_and_lost", outcome.stderr);
    assert_eq!(crate::capture::kit::drops(&home.memory()).by_reason, [("unwritable", 1)].into());
}

/// @record_errors
#[test]
fn a_wrong_command_line_exits_1() {
    let home = home();
    let wrong = |words: &[&str]| home.nudge(words).stdin(prompt("x").to_string()).run().exits(1).stderr;
    let injected = wrong(&["record", "--format", "xml"]);
    assert!(injected.contains("typed"), "{injected}");
    let place = home.path().join("elsewhere").display().to_string();
    for words in [
        &["record", "--shape", "typed"][..],
        &["record", "extra"],
        &["record", "--home"],
        &["--json", "-p", "9", "record", "--bogus"],
        &["--home", &place, "--bogus", "record"],
    ] {
        let injected = wrong(words);
        assert!(injected.starts_with("error: ") && injected.contains("--help"), "{words:?}: {injected}");
    }
    assert!(!home.memory().exists());
    home.nudge(["record", "--help"]).run().exits(0);
}

/// @authority_agent_shell: an agent records nothing for another project, neither through `..` nor
/// through a link in its own.
#[test]
fn an_agent_records_for_its_own_project_alone() {
    let home = nudge_testkit::TestHome::new(env!("CARGO_BIN_EXE_nudge"));
    let [own, other] = ["own", "other"].map(|name| {
        let dir = home.dir(name).canonicalize().expect("a directory");
        nudge_testkit::git::repository(&dir, None, "main");
        dir
    });
    std::os::unix::fs::symlink(&other, own.join("link")).expect("linked");
    let record = |cwd: std::path::PathBuf| {
        let event = serde_json::json!({"session_id": "s1", "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": "planted"});
        home.nudge(["record"]).cwd(&own).env("CLAUDECODE", "1").stdin(event.to_string()).run().code
    };
    for cwd in [other.clone(), own.join("../other"), own.join("link"), own.join("./../other/.")] {
        assert_ne!(record(cwd.clone()), Some(0), "{}", cwd.display());
    }
    assert_eq!(record(own.join("src")), Some(0));
    assert!(!home.nudge(["search", "planted"]).cwd(&other).run().stdout.contains("planted\""));
}

/// @harness_outcomes: any program may record a command. What it states counts, and nothing stated
/// is unknown.
#[test]
fn a_recorded_command_has_the_outcome_that_is_stated() {
    let home = home();
    let failed = |exit: Option<i32>| Reported::Failed { exit };
    for (name, response, expected) in [
        ("a", json!({"exit_code": 1}), failed(Some(1))),
        ("b", json!({"is_error": true}), failed(None)),
        ("c", json!({"success": false}), failed(None)),
        ("d", json!({"error": "boom"}), failed(None)),
        ("e", json!({"exit_code": 0}), Reported::Success),
        ("f", json!({"success": true}), Reported::Success),
        ("g", json!({"stdout": "done"}), Reported::Unknown),
        ("h", json!("done"), Reported::Unknown),
    ] {
        let mut payload = command(&format!("make {name}"));
        payload["tool_use_id"] = json!(name);
        payload["tool_response"] = response.clone();
        quiet(record(&home, &payload.to_string()));
        let stored = stored(&home).observations(SESSION);
        assert_eq!(stored.last().map(|row| row.outcome), Some(expected), "{response}");
    }
}

/// @kernel_secret_boundary: a credential in the name of a project, a directory or a file is stored
/// nowhere.
#[test]
fn a_credential_in_a_name_is_not_stored() {
    let token = concat!("ghp_", "R8k2Lq7Zt1Vw9Xy4Bn6Mc3Ds5Fg0Hj2KpQ1a");
    let named = format!("keys-{token}.txt");
    let toml = format!("project = \"shop-{token}\"\n");
    let mut leaks = Vec::new();
    for (door, dir, file, toml) in [
        ("project", "shop", "notes.txt", toml.as_str()),
        ("directory", token, "notes.txt", ""),
        ("file", "shop", named.as_str(), ""),
    ] {
        let home = home();
        let place = home.dir(dir);
        home.file(&format!("{dir}/.nudge.toml"), toml);
        home.file(&format!("{dir}/{file}"), "some words\n");
        let mut said = prompt("look at the file");
        said["cwd"] = json!(place);
        quiet(record(&home, &said.to_string()));
        for (tool, id) in [("Read", "t1"), ("Edit", "t2"), ("Write", "t3")] {
            let mut used = command("x");
            used["cwd"] = json!(place);
            used["tool_name"] = tool.into();
            used["tool_use_id"] = id.into();
            used["tool_input"] =
                json!({"file_path": place.join(file), "old_string": "a", "new_string": "b", "content": "c"});
            quiet(record(&home, &used.to_string()));
        }
        home.nudge(["entry", "scan"]).cwd(&place).run().ok();
        assert!(stored(&home).did(SESSION).len() >= 3, "{door}");
        let held = home.files_holding(token);
        leaks.extend(held.into_iter().map(|path| (door, path)));
    }
    assert_eq!(leaks, []);
}
