//! A purge reaches runs, notes, views and names too.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::runs::kit::{RUN, Scene, ends, goes_on};
use crate::runs::socket::Socket;

const WORD: &str = "swordfishq";

/// Everything that can hold a word beside captured rows.
fn fill(scene: &Scene) {
    let persona = scene.home.file("persona.txt", &format!("you know {WORD}"));
    scene.run(&["ask", "--run", RUN, "--persona", persona.to_str().expect("text"), "what is it?"]).ok();
    std::fs::remove_file(persona).expect("removed");
    scene.run(&["ask", "--run", &format!("{WORD}-run"), "hello"]).ok();
    for words in [
        &["entry", "set", "note://n", WORD][..],
        &["entry", "set", "note://n", "other"],
        &["entry", "set", "known://p", WORD],
        &["entry", "set", &format!("known://{WORD}"), "x"],
        &["entry", "set", "log://x", "y", "--run", &format!("{WORD}run")],
        &["entry", "constraint", "--readonly", &format!("{WORD}/**")],
        &["set", "shop", "sword", WORD, "--ttl", "forever"],
        &["mark", WORD],
    ] {
        scene.run(words).ok();
    }
    let mut socket = Socket::of_user(scene);
    socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
    socket.call("set", json!({"path": "note://st", "body": WORD, "state": "streaming"}));
    socket.call("set", json!({"path": "note://st", "body": format!("{WORD} more"), "append": true}));
    socket.call(
        "set",
        json!({"path": "note://s", "body": "x", "summary": WORD, "state": "failed", "outcome": WORD}),
    );
    socket.call("update", json!({"body": WORD}));
    let session = format!("s-{WORD}");
    let event = json!({"session_id": session, "cwd": scene.dir, "hook_event_name": "UserPromptSubmit",
        "prompt": "hello"});
    scene.home.nudge(["hook", "claude"]).cwd(&scene.dir).stdin(event.to_string()).run().ok();
}

fn scene() -> Scene {
    let noted = format!("{WORD} <set path=\"known://m\">{WORD}</set><think>{WORD}</think>");
    Scene::new(vec![goes_on(&noted), ends(&format!("{WORD} it is")), ends("hello")])
}

fn purge(scene: &Scene, filter: &[&str]) -> Value {
    let outcome = scene.run(&[&["purge", "--yes", "--json"], filter].concat());
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    outcome.json()["purged"].clone()
}

/// @purge_secure: a text is gone from runs, entries of every scheme, parts of growing bodies,
/// views, names and backups.
#[test]
fn a_text_is_gone_from_every_column() {
    let scene = scene();
    fill(&scene);
    scene.run(&["project", "rename", "shop", &format!("shop-{WORD}")]).ok();
    scene.run(&["backup"]).ok();
    std::fs::write(scene.home.memory().join("backups/.nudge-backup-left"), WORD).expect("a left draft");
    let planned = scene.run(&["purge", "--search", WORD, "--json"]).json()["would_purge"].clone();
    assert_eq!(planned["runs"], 2, "{planned}");
    assert_eq!(planned["entries"]["hint"], 1, "{planned}");
    let purged = purge(&scene, &["--search", WORD]);
    assert_eq!(purged["left"], Value::Null, "{purged}");
    assert_eq!(scene.home.files_holding(WORD), Vec::<PathBuf>::new(), "{purged}");
    assert!(!scene.run(&["run", "ls"]).stdout.contains(RUN));
    assert!(scene.run(&["project", "ls"]).stdout.contains("shop"));
}

/// @purge_secure: a text that only an earlier version has is planned, and gone from the backup too.
#[test]
fn an_earlier_version_is_gone_from_the_backup() {
    let scene = Scene::new(vec![]);
    scene.run(&["set", "shop", "key", WORD, "--ttl", "forever"]).ok();
    scene.run(&["set", "shop", "key", "clean", "--ttl", "forever"]).ok();
    scene.run(&["backup"]).ok();
    let planned = scene.run(&["purge", "--search", WORD, "--json"]).json()["would_purge"].clone();
    assert_eq!(planned["versions"], 1, "{planned}");
    let purged = purge(&scene, &["--search", WORD]);
    assert_eq!((&purged["versions"], &purged["backups"][0]["changed"]), (&json!(1), &json!(true)));
    assert_eq!(scene.home.files_holding(WORD), Vec::<PathBuf>::new());
}

/// @purge_secure @project_belongs: a purge of a project takes its runs, its entries of every scheme
/// and their past, here and in the backups.
#[test]
fn a_project_goes_with_its_runs_and_notes() {
    let scene = scene();
    fill(&scene);
    scene.run(&["backup"]).ok();
    purge(&scene, &["--project", "shop"]);
    scene.run(&["delete", "shop", "sword"]).ok();
    scene.run(&["purge", "--search", "sword", "--yes"]).ok();
    assert_eq!(scene.home.files_holding(WORD), Vec::<PathBuf>::new());
}

/// @purge_secure: what a purge cannot remove, it names, and it fails.
#[test]
fn what_is_left_is_named() {
    let scene = Scene::new(vec![]);
    scene.run(&["entry", "set", "note://n", "hello"]).ok();
    let folder = scene.dir.parent().and_then(|dir| dir.file_name()).expect("a folder");
    let outcome = scene.run(&["purge", "--search", folder.to_str().expect("text"), "--yes"]);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    assert!(outcome.stdout.contains("still there: project.root (1 row)"), "{outcome:?}");
    assert!(outcome.stdout.contains("nudge purge --project"), "{outcome:?}");
}
