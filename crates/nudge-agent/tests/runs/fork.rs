//! Forks: a copy of a run that goes its own way.

use serde_json::json;

use super::setup::scene;

/// @run_fork: the copy sees what the run saw and goes on with its numbers; the run stays as it is.
#[test]
fn a_fork_sees_what_its_parent_saw() {
    let scene = scene();
    scene.ask("night", "first");
    scene.file("tax.md", "tax");
    scene.skill("night", "tax.md");
    scene.bench.ok("abort_run", json!({"run": "night"}));
    let before = scene.in_view("night");
    assert_eq!(scene.bench.ok("fork_run", json!({"run": "night", "name": "copy"}))["status"], 100);
    assert_eq!(scene.in_view("copy"), before);
    let (parent, copy) = (scene.row("night"), scene.row("copy"));
    assert_eq!((copy.next_turn, copy.next_loop), (parent.next_turn, parent.next_loop));
    assert_eq!((copy.parent, copy.model), (Some(parent.id), parent.model));
    assert_ne!(copy.scope, parent.scope);
    assert_eq!(scene.run("copy")["parent"], "night");
    assert_eq!(scene.ask("copy", "second")["loop"], 2);
    assert_eq!(scene.in_view("night"), before);
    assert_eq!(scene.run("night")["loops"].as_array().map(Vec::len), Some(1));
}

/// @run_fork: `ask` with `fork` asks a copy.
#[test]
fn asking_with_fork_asks_a_copy() {
    let scene = scene();
    scene.ask("night", "first");
    let asked = scene.bench.ok("ask", json!({"run": "night", "prompt": "what if", "fork": true}));
    assert_eq!((&asked["run"], &asked["loop"]), (&json!("night-2"), &json!(2)));
    assert_eq!(scene.run("night")["loops"].as_array().map(Vec::len), Some(1));
    let taken = scene.bench.fault("fork_run", json!({"run": "night", "name": "night-2"}));
    assert_eq!(taken.reason, "run_exists");
    assert_eq!(scene.bench.fault("fork_run", json!({"run": "nobody"})).reason, "no_run");
}
