//! `nudge` without arguments.

use insta::assert_snapshot;

use crate::cli::home;

/// @cli_overview
#[test]
fn an_empty_home_suggests_install_and_stays_empty() {
    let home = home();
    let dir = home.dir("code/shop");
    assert_snapshot!("overview_empty", home.nudge(Vec::<&str>::new()).cwd(&dir).run().exits(0).page());
    assert!(!home.memory().exists());
    let answer = home.nudge(["--json"]).cwd(&dir).run().json();
    assert_eq!(answer["next"]["command"], "nudge install");
    assert_eq!(answer["last_session"], serde_json::Value::Null);
}

/// @cli_overview
#[test]
fn it_shows_the_project_and_what_is_remembered_there() {
    let home = home();
    let dir = home.dir("code/shop");
    home.nudge(["set", "api", "build", "make"]).cwd(&dir).run().ok();
    home.nudge(["remember", "run the tests with nextest"]).cwd(&dir).run().ok();
    let event = serde_json::json!({
        "session_id": "s-1", "cwd": dir, "hook_event_name": "UserPromptSubmit", "prompt": "fix the login test",
    });
    home.nudge(["hook", "claude"]).cwd(&dir).stdin(event.to_string()).run().exits(0);
    // A command that writes also stores events that the hook may have spooled.
    home.nudge(["bump", "api", "build"]).cwd(&dir).run().ok();
    assert_snapshot!("overview", home.nudge(Vec::<&str>::new()).cwd(&dir).run().exits(0).page());
    let answer = home.nudge(["--json"]).cwd(&dir).run().json();
    assert_eq!(answer["project"], "shop");
    assert_eq!(answer["statements"], 1);
    assert_eq!(answer["hints"], 1);
    assert_eq!(answer["sessions"], 1);
    assert_eq!(answer["last_session"]["goal"], "fix the login test");
}

/// @cli_overview
#[test]
fn the_suggestion_follows_what_was_done() {
    let home = home();
    let dir = home.dir("code/shop");
    let next = || home.nudge(["--json"]).cwd(&dir).run().json()["next"]["command"].clone();
    home.run(["install", "claude", "--yes", "--no-import"]).ok();
    assert_eq!(next(), "nudge doctor");
    home.nudge(["set", "api", "build", "make"]).cwd(&dir).run().ok();
    let event = serde_json::json!({
        "session_id": "s-1", "cwd": dir, "hook_event_name": "UserPromptSubmit", "prompt": "fix the login test",
    });
    home.nudge(["hook", "claude"]).cwd(&dir).stdin(event.to_string()).run().exits(0);
    // A command that writes also stores events that the hook may have spooled.
    home.nudge(["bump", "api", "build"]).cwd(&dir).run().ok();
    assert_eq!(next(), "nudge remember TEXT");
    home.nudge(["remember", "run the tests with nextest"]).cwd(&dir).run().ok();
    assert_eq!(next(), "nudge trace");
    home.run(["pause"]).ok();
    assert_eq!(next(), "nudge unpause");
}

/// @cli_overview: a memory that is gone is a problem, and nothing is counted.
#[test]
fn a_lost_memory_is_named() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    std::fs::remove_file(home.memory().join("nudge.db")).expect("removable");
    let page = home.nudge(Vec::<&str>::new()).run().exits(0).stdout;
    assert!(page.contains("problem") && page.contains("gone") && !page.contains("remembered"), "{page}");
}
