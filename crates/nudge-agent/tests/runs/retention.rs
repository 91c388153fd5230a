//! How long runs are kept.

use std::time::Duration;

use nudge_memory::upkeep;
use serde_json::json;

use super::setup::{Scene, scene};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Runs the upkeep at the caller's time; returns how many runs it removed.
fn removed(scene: &Scene) -> u64 {
    let now = scene.bench.caller.now;
    upkeep::clock_is_right(&scene.bench.memory, now).expect("noted");
    let steps = upkeep::upkeep(&scene.bench.memory, now);
    let step = steps.iter().find(|step| step.step == "retention").expect("a step");
    assert_eq!(step.failed, None);
    step.did["runs"].as_u64().expect("a number")
}

fn names(scene: &Scene) -> Vec<String> {
    let runs = scene.bench.ok("get_runs", json!({}))["runs"].clone();
    let mut names: Vec<String> = runs
        .as_array()
        .expect("runs")
        .iter()
        .map(|run| run["run"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

/// @run_retention: a run is removed 31 days after it ended, with its entries; one that is not over
/// stays.
#[test]
fn an_ended_run_is_kept_for_its_days() {
    let mut scene = scene();
    scene.ask("old", "hello");
    scene.ask("open", "hello");
    scene.bench.ok("abort_run", json!({"run": "old"}));
    let scope = scene.row("old").scope;
    scene.bench.later(DAY * 31);
    assert_eq!((removed(&scene), names(&scene).len()), (0, 2));
    scene.bench.later(DAY);
    assert_eq!(removed(&scene), 1);
    assert_eq!(names(&scene), ["open"]);
    let left = scene
        .bench
        .memory
        .store()
        .read(|reader| Ok::<_, nudge_core::Fault>(reader.entries_in(&scope, None)?));
    assert_eq!(left.expect("read"), []);
    assert_eq!(removed(&scene), 0);
    assert_eq!(scene.ask("old", "again")["status"], 100, "the name is free");
}

/// @run_retention: a run with forks stays as long as one of them: they see its entries.
#[test]
fn a_fork_keeps_what_it_sees() {
    let mut scene = scene();
    scene.ask("parent", "the first question");
    scene.bench.ok("abort_run", json!({"run": "parent"}));
    scene.bench.ok("fork_run", json!({"run": "parent", "name": "child"}));
    scene.bench.ok("fork_run", json!({"run": "child", "name": "grandchild"}));
    scene.bench.ok("abort_run", json!({"run": "child"}));
    scene.bench.later(DAY * 40);
    scene.ask("grandchild", "still here");
    let before = scene.in_view("grandchild");
    assert_eq!(removed(&scene), 0);
    assert_eq!(scene.in_view("grandchild"), before);
    assert_eq!(names(&scene), ["child", "grandchild", "parent"]);
    scene.bench.ok("abort_run", json!({"run": "grandchild"}));
    scene.bench.later(DAY * 32);
    assert_eq!(removed(&scene), 3, "one after the other, in one sweep");
    assert_eq!(names(&scene), [] as [String; 0]);
}

/// @run_retention: a clock that jumps removes nothing until the user says that it is right.
#[test]
fn a_wrong_clock_removes_no_run() {
    let mut scene = scene();
    scene.ask("old", "hello");
    scene.bench.ok("abort_run", json!({"run": "old"}));
    scene.bench.later(DAY * 4_000);
    upkeep::upkeep(&scene.bench.memory, scene.bench.caller.now);
    assert_eq!(names(&scene), ["old"]);
    assert_eq!(removed(&scene), 1);
}

/// @run_retention: the skills of a removed run stay in the project.
#[test]
fn the_projects_entries_stay() {
    let mut scene = scene();
    scene.ask("old", "hello");
    scene.file("tax.md", "tax");
    scene.skill("old", "tax.md");
    scene.bench.ok("abort_run", json!({"run": "old"}));
    scene.bench.later(DAY * 32);
    assert_eq!(removed(&scene), 1);
    assert_eq!(scene.body("skill://tax"), "tax");
}
