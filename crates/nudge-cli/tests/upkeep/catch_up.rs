//! Sessions that never reported their end.

use std::time::{Duration, Instant};

use nudge_core::ObservationKind as Kind;
use serde_json::json;

use crate::upkeep::setup::{DAY, MINUTE, Scene, begins, did, ended, said, touched};

const HOUR: i64 = 60 * MINUTE;

/// A session that broke off `ago` milliseconds ago: a prompt, edits and a command.
fn broken(scene: &Scene, session: &str, project: &str, ago: i64) {
    let at = scene.now - ago;
    scene.keep(&[
        begins(session, project, at),
        said(session, project, at + 1, "round prices of the till to whole cents"),
        touched(session, project, at + 2, Kind::FileEdit, "/w/shop/till.rs"),
        touched(session, project, at + 3, Kind::FileEdit, "/w/shop/cart.rs"),
        did(session, project, at + 4, Kind::Command, "cargo test"),
    ]);
}

/// Starts a session as a hook does: stores the event, then reacts to it.
fn start(scene: &Scene, session: &str, project: &str) {
    let memory = scene.memory();
    let captured = begins(session, project, scene.now);
    memory.receive(&captured).expect("kept").react().expect("looked around");
}

/// @catch_up_summaries: a session that was silent for four hours is summarised; an active one is
/// not, and a short one is only marked.
#[test]
fn what_broke_off_is_summed_up_by_a_command() {
    let scene = Scene::new();
    broken(&scene, "silent", "shop", 5 * HOUR);
    broken(&scene, "at-work", "shop", 1_000);
    scene.keep(&[said("short", "shop", scene.now - 6 * HOUR, "hello")]);
    let answer = scene.home.run(["maintain", "--catch-up", "--json"]).json();
    let steps = answer["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 1, "{answer}");
    assert_eq!((&steps[0]["step"], &steps[0]["did"]), (&json!("summaries"), &json!({"written": 2})));
    let mut bodies: Vec<String> = scene.summaries().into_iter().map(|(body, _)| body).collect();
    bodies.sort();
    assert_eq!(bodies[0], "a short session");
    assert!(bodies[1].starts_with("round prices of the till to whole cents\n"), "{bodies:?}");
    let again = scene.home.run(["maintain", "--catch-up"]).ok();
    assert!(again.contains("nothing to do"), "{again}");
}

/// @catch_up_summaries: without a prompt, the summary describes the work.
#[test]
fn a_session_without_a_prompt_is_injected_by_what_was_done() {
    let scene = Scene::new();
    let at = scene.now - 5 * HOUR;
    scene.keep(&[1, 2, 3].map(|n| touched("s-1", "shop", at + n, Kind::FileEdit, "/w/shop/cart.rs")));
    scene.home.run(["maintain", "--catch-up"]).ok();
    let (body, facts) = scene.summaries().remove(0);
    assert!(body.starts_with("claude in shop, ") && body.contains("\nedited: cart.rs (3)"), "{body}");
    assert_eq!(facts.get("intent"), None);
}

/// @catch_up_at_start: when a session begins, the newest broken-off sessions of its project are
/// summarised, a few at a time; other projects, and sessions that take long to read, wait for
/// maintenance.
#[test]
fn the_next_session_sums_up_the_one_before() {
    let scene = Scene::new();
    broken(&scene, "before", "shop", 5 * HOUR);
    broken(&scene, "elsewhere", "till", 5 * HOUR);
    broken(&scene, "at-work", "shop", 1_000);
    let many = |n: i64| did("long", "shop", scene.now - 6 * HOUR + n, Kind::Command, "ls");
    scene.keep(&(0..600).map(many).collect::<Vec<_>>());
    start(&scene, "next", "shop");
    let injected = scene.summaries();
    assert_eq!(injected.len(), 1, "{injected:?}");
    assert!(injected[0].0.contains("edited: cart.rs, till.rs"), "{injected:?}");
    start(&scene, "another", "shop");
    assert_eq!(scene.summaries().len(), 1);
    assert_eq!(scene.maintained("summaries"), json!({"written": 2}));
}

/// @catch_up_at_start: a start handles at most three broken-off sessions, so it never takes longer.
#[test]
fn a_start_takes_few_at_a_time() {
    let scene = Scene::new();
    for n in 1..=10 {
        broken(&scene, &format!("s-{n}"), "shop", n * DAY);
    }
    let began = Instant::now();
    start(&scene, "next", "shop");
    let took = began.elapsed();
    let written = scene.summaries().len();
    assert!((1..=3).contains(&written), "{written}");
    assert!(took < Duration::from_millis(800), "{took:?} is more than a session's start has");
}

/// @catch_up_at_start: a session that ended but was not summarised is caught up too, and only a
/// start does it.
#[test]
fn only_a_start_catches_up() {
    let scene = Scene::new();
    broken(&scene, "before", "shop", DAY);
    scene.keep(&[ended("before", "shop", scene.now - DAY + MINUTE)]);
    let action = did("next", "shop", scene.now, Kind::Command, "ls");
    let memory = scene.memory();
    memory.receive(&action).expect("kept").react().expect("looked around");
    assert_eq!(scene.summaries().len(), 0);
    start(&scene, "next", "shop");
    assert_eq!(scene.summaries().len(), 1);
}
