//! The life of a run without a model: it starts, it is shown, it is aborted and renamed.

use nudge_memory::Surface;
use serde_json::json;

use super::setup::scene;

/// @run_lifecycle: `ask` makes a run and queues its prompt; the answer comes later.
#[test]
fn asking_makes_a_run() {
    let scene = scene();
    let accepted = scene.bench.ok("ask", json!({"prompt": "Why is the till wrong?", "model": "m"}));
    assert_eq!(accepted, json!({"run": "why-is-the-till", "loop": 1, "status": 100, "state": "queued"}));
    let run = scene.run("why-is-the-till");
    assert_eq!((&run["status"], &run["turn"], &run["model"]), (&json!(100), &json!(0), &json!("m")));
    assert_eq!((&run["summary"], &run["project"]), (&json!(""), &json!("shop")));
    let one = &run["loops"][0];
    assert_eq!((&one["number"], &one["mode"], &one["status"]), (&json!(1), &json!("ask"), &json!(100)));
    assert_eq!(one["prompt"], "Why is the till wrong?");
    assert_eq!(run["telemetry"]["turns"], 0);
    let again = scene.bench.ok("ask", json!({"prompt": "Why is the till wrong?", "model": "m"}));
    assert_eq!(again["run"], "why-is-the-till-2", "a name of its own");
    assert_eq!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").len(), 2);
}

/// @run_lifecycle: a run without a prompt waits, and nothing drives it.
#[test]
fn a_started_run_waits_for_a_prompt() {
    let scene = scene();
    let started = scene.bench.ok("start_run", json!({"model": "m", "run": "night"}));
    assert_eq!(started, json!({"run": "night", "status": 100, "state": "queued"}));
    assert!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").is_empty());
    let taken = scene.bench.fault("start_run", json!({"model": "m", "run": "night"}));
    assert_eq!(taken.reason, "run_exists");
    assert_eq!(scene.bench.fault("start_run", json!({"model": "m", "run": "a b"})).reason, "run");
    assert_eq!(scene.bench.ok("abort_run", json!({"run": "night"}))["status"], 499);
}

/// @run_lifecycle: what cannot be asked is rejected, and leaves no run.
#[test]
fn bad_prompts_leave_nothing() {
    let scene = scene();
    for (params, reason) in [
        (json!({"prompt": "  ", "model": "m"}), "prompt"),
        (json!({"prompt": "x".repeat(256 * 1024 + 1), "model": "m"}), "prompt"),
        (json!({"prompt": "x"}), "model"),
        (json!({"prompt": "x", "model": "nobody"}), "no_model"),
        (json!({"prompt": "x", "model": "m", "temperature": 3.0}), "temperature"),
        (json!({"prompt": "x", "model": "m", "fork": true}), "fork"),
        (json!({"prompt": "x", "model": "m", "fork": true, "run": "nobody"}), "no_run"),
        (json!({"prompt": "x", "model": "m", "persona": "y".repeat(8_001)}), "persona"),
    ] {
        assert_eq!(scene.bench.fault("ask", params.clone()).reason, reason, "{reason}");
    }
    assert_eq!(scene.bench.ok("get_runs", json!({}))["runs"], json!([]));
    assert_eq!(scene.bench.fault("get_run", json!({"run": "nobody"})).reason, "no_run");
}

/// @run_lifecycle: runs are listed newest first, in pages, without their history.
#[test]
fn runs_are_listed() {
    let mut scene = scene();
    for name in ["one", "two", "three"] {
        scene.ask(name, "hello");
        scene.bench.later(std::time::Duration::from_secs(1));
    }
    let page = scene.bench.ok("get_runs", json!({"limit": 2}));
    let names = |page: &serde_json::Value| {
        let runs = page["runs"].as_array().expect("runs").iter();
        runs.map(|run| run["run"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((names(&page), &page["more"]), (vec!["three".to_owned(), "two".to_owned()], &json!(true)));
    assert!(page["runs"][0].get("history").is_none());
    assert_eq!(page["runs"][0]["loops"][0]["prompt"], "hello");
    let rest = scene.bench.ok("get_runs", json!({"limit": 2, "offset": 2}));
    assert_eq!((names(&rest), rest.get("more")), (vec!["one".to_owned()], None));
}

/// @run_lifecycle: a renamed run keeps its entries, and its old name is free.
#[test]
fn a_renamed_run_keeps_its_entries() {
    let scene = scene();
    scene.ask("night", "hello");
    scene.ask("taken", "hello");
    let (before, scope) = (scene.in_view("night"), scene.row("night").scope);
    assert_eq!(scene.bench.ok("rename_run", json!({"run": "night", "name": "day"}))["run"], "day");
    assert_eq!((scene.in_view("day"), scene.row("day").scope), (before, scope));
    assert_eq!(scene.run("day")["loops"][0]["prompt"], "hello");
    assert_eq!(scene.bench.fault("get_run", json!({"run": "night"})).reason, "no_run");
    assert_eq!(scene.bench.fault("rename_run", json!({"run": "day", "name": "taken"})).reason, "run_exists");
    assert_eq!(scene.bench.fault("rename_run", json!({"run": "day", "name": "a/b"})).reason, "run");
    let fresh = scene.ask("night", "a new run");
    assert_eq!(fresh["status"], 100);
    assert_eq!(scene.run("night")["loops"].as_array().map(Vec::len), Some(1));
    assert_eq!(scene.run("day")["loops"][0]["prompt"], "hello");
}

/// @run_lifecycle: a run that is over is removed with all its entries, and its name is free. One
/// that works or was forked stays.
#[test]
fn a_run_that_is_over_is_removed() {
    let scene = scene();
    scene.ask("night", "hello");
    assert_eq!(scene.bench.fault("remove_run", json!({"run": "night"})).reason, "run_open");
    scene.bench.ok("abort_run", json!({"run": "night"}));
    scene.bench.ok("fork_run", json!({"run": "night", "name": "copy"}));
    let forked = scene.bench.fault("remove_run", json!({"run": "night"}));
    assert_eq!(
        (forked.reason.as_str(), forked.next.as_deref()),
        ("run_forked", Some("remove its copies first: copy"))
    );
    for run in ["copy", "night"] {
        scene.bench.ok("abort_run", json!({"run": run}));
        assert_eq!(scene.bench.ok("remove_run", json!({"run": run})), json!({"run": run}));
    }
    assert_eq!(scene.bench.ok("get_runs", json!({}))["runs"], json!([]));
    assert_eq!(scene.bench.fault("remove_run", json!({"run": "night"})).reason, "no_run");
    scene.ask("night", "another");
    assert_eq!(scene.run("night")["loops"].as_array().map(Vec::len), Some(1));
}

/// @run_lifecycle: `set run://…` starts a run, and the state `cancelled` aborts it.
#[test]
fn a_run_is_set_like_an_entry() {
    let mut scene = scene();
    let set = |scene: &super::setup::Scene, params| scene.bench.ok("set", params)["results"][0].clone();
    let started = json!({"path": "run://night", "body": "hello", "attributes": {"model": "m"}});
    assert_eq!(set(&scene, started)["status"], 100);
    assert_eq!(scene.run("night")["loops"][0]["prompt"], "hello");
    let aborted = set(&scene, json!({"path": "run://night", "state": "cancelled"}));
    assert_eq!(aborted["status"], 200);
    assert_eq!(scene.run("night")["status"], 499);
    scene.by(Surface::Mcp);
    let refused = set(&scene, json!({"path": "run://day", "body": "hello", "attributes": {"model": "m"}}));
    assert_eq!(refused["status"], 403);
}
