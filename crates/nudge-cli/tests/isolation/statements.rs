//! Statements of a private project, and of one that is purged.

use std::path::Path;

use nudge_core::Timestamp;
use nudge_testkit::Speech;
use nudge_testkit::speech::number;
use serde_json::{Value, json};

use crate::isolation::kit::{Scene, assert_refused};

fn stated(scene: &Scene, dir: &Path, text: &str) -> i64 {
    let answer = scene.run_as_user(dir, ["remember", text, "--json"]).json();
    answer["statement"]["id"].as_i64().expect("a number")
}

fn said(scene: &Scene, dir: &Path, session: &str, at: i64, text: &str) -> i64 {
    let memory = scene.memory();
    number(Speech::prompt(dir, session, Timestamp::from_millis(at), text).keep(memory.store()))
}

/// @statements_private
#[test]
fn what_was_stated_in_a_private_project_stays_in_it() {
    let scene = Scene::new();
    let (vault, other) = (scene.repository("vault", None), scene.repository("other", None));
    let statement = stated(&scene, &vault, "polish the opal").to_string();
    let proposal = said(&scene, &vault, "s-1", 1, "always count the opal").to_string();
    stated(&scene, &other, "mind the pebble");
    scene.run_as_user(&other, ["project", "private", "vault"]).ok();

    for args in [
        &["knows", "--project", "*", "--all"][..],
        &["review"],
        &["review", "--all"],
        &["search", "opal", "--all"],
        &["remember", "never polish the opal"],
    ] {
        let shown = scene.home.nudge(args).cwd(&other).run();
        let text = shown.stdout.replace("never polish the opal", "");
        assert!(!text.contains("opal") && !text.contains("vault"), "{args:?}: {shown:?}");
    }
    for args in [
        &["correct", &statement, "x"][..],
        &["forget", &statement],
        &["forget", &proposal],
        &["stop-showing", &statement],
        &["review", "accept", &proposal],
        &["review", "drop", &proposal],
    ] {
        let shown = scene.home.nudge(args).cwd(&other).run();
        assert_eq!(shown.code, Some(3), "{args:?}: {shown:?}");
        assert!(!shown.stderr.contains("opal"), "{args:?}: {shown:?}");
    }
    let mut agent = scene.agent(&other);
    let listed = agent.call("knows", json!({"project": "*", "all": true}));
    assert!(!listed.to_string().contains("\"polish the opal"), "{listed}");
    assert_refused(&agent.call_raw("forget", json!({"id": statement})), "no_statement");
    agent.hang_up();

    let inside = scene.run_as_user(&vault, ["knows", "--json"]).json();
    assert_eq!(inside["statements"][0]["text"], "polish the opal");
    let waiting = scene.run_as_user(&vault, ["review", "--json"]).json();
    assert_eq!(waiting["proposals"][0]["text"], "always count the opal");
    scene.run_as_user(&vault, ["review", "accept", &proposal]).ok();
}

/// @statements_purge
#[test]
fn a_purge_takes_statements_and_proposals() {
    let scene = Scene::new();
    let (one, two) = (scene.repository("one", None), scene.repository("two", None));
    stated(&scene, &one, "deploy with kingfisher");
    said(&scene, &one, "s-1", 1, "always ask the kingfisher");
    stated(&scene, &one, "deploy with heron");
    scene.run_as_user(&one, ["purge", "--search", "kingfisher", "--confirm"]).ok();
    assert_eq!(scene.home.files_holding("kingfisher"), Vec::<std::path::PathBuf>::new());
    let left = scene.run_as_user(&one, ["knows", "--json"]).json();
    assert_eq!(left["statements"].as_array().map(Vec::len), Some(1), "{left}");
    said(&scene, &one, "s-1", 2, "always ask the heron");
    let other = stated(&scene, &two, "mind the pebble");
    scene.run_as_user(&two, ["purge", "--project", "one", "--confirm"]).ok();
    assert_eq!(scene.home.files_holding("heron"), Vec::<std::path::PathBuf>::new());
    let left = scene.run_as_user(&two, ["knows", "--project", "*", "--all", "--json"]).json();
    let ids: Vec<&Value> =
        left["statements"].as_array().into_iter().flatten().map(|one| &one["id"]).collect();
    assert_eq!(ids, [&json!(other)]);
}
