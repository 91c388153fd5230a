//! The queue of a run: prompts are answered in their order, and an abort ends only the first.

use serde_json::{Value, json};

use super::setup::scene;

fn statuses(run: &Value) -> Vec<u64> {
    run["loops"]
        .as_array()
        .expect("loops")
        .iter()
        .map(|one| one["status"].as_u64().expect("a number"))
        .collect()
}

/// @run_queue: several prompts wait in their order.
#[test]
fn prompts_wait_in_their_order() {
    let scene = scene();
    assert_eq!(scene.ask("night", "first")["loop"], 1);
    assert_eq!(scene.ask("night", "second")["loop"], 2);
    let injected = scene.bench.ok("inject_run", json!({"run": "night", "message": "third"}));
    assert_eq!((&injected["loop"], &injected["status"]), (&json!(3), &json!(100)));
    let run = scene.run("night");
    let prompts: Vec<_> =
        run["loops"].as_array().expect("loops").iter().map(|one| one["prompt"].clone()).collect();
    assert_eq!(
        (prompts, statuses(&run)),
        (vec![json!("first"), json!("second"), json!("third")], vec![100, 100, 100])
    );
    assert_eq!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").len(), 1);
}

/// @run_queue: an abort ends the prompt that is next; those behind it are answered.
#[test]
fn an_abort_ends_only_the_first() {
    let scene = scene();
    scene.ask("night", "first");
    scene.ask("night", "second");
    let aborted = scene.bench.ok("abort_run", json!({"run": "night"}));
    assert!(aborted["note"].as_str().is_some_and(|note| note.ends_with(": 1")), "{aborted}");
    assert_eq!(statuses(&scene.run("night")), [499, 100]);
    assert_eq!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").len(), 1);
    assert_eq!(scene.bench.ok("abort_run", json!({"run": "night"}))["status"], 499);
    assert_eq!(statuses(&scene.run("night")), [499, 499]);
    assert!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").is_empty());
    assert_eq!(scene.bench.ok("abort_run", json!({"run": "night"}))["note"], "it was not running");
}

/// @run_queue: a run that is over goes on with a new prompt.
#[test]
fn an_ended_run_goes_on() {
    let scene = scene();
    scene.ask("night", "first");
    scene.bench.ok("abort_run", json!({"run": "night"}));
    assert_eq!(scene.ask("night", "second")["loop"], 2);
    assert_eq!(statuses(&scene.run("night")), [499, 100]);
    assert_eq!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").len(), 1);
}

/// @run_queue: at most a hundred prompts wait.
#[test]
fn the_queue_is_bounded() {
    let scene = scene();
    for _ in 0..100 {
        scene.ask("night", "x");
    }
    let full = scene.bench.fault("ask", json!({"run": "night", "prompt": "x"}));
    assert_eq!(full.reason, "queue");
}
