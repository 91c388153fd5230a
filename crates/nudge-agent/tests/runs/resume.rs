//! Resuming a run that stopped, and answering one that waits.

use nudge_core::Timestamp;
use nudge_core::run::RunState;
use nudge_memory::Surface;
use nudge_store::Durability;
use serde_json::{Map, json};

use super::setup::scene;

/// @run_resume: an aborted run goes on with its last prompt.
#[test]
fn an_aborted_run_resumes() {
    let scene = scene();
    scene.ask("night", "first");
    let running = scene.bench.ok("resume_run", json!({"run": "night"}));
    assert_eq!(running["note"], "it is running already");
    scene.bench.ok("abort_run", json!({"run": "night"}));
    let resumed = scene.bench.ok("resume_run", json!({"run": "night"}));
    assert_eq!(resumed, json!({"run": "night", "loop": 1, "status": 102, "state": "running"}));
    assert_eq!(scene.run("night")["loops"][0]["status"], 102);
    assert_eq!(nudge_agent::runs::runs_to_drive(&scene.bench.memory).expect("read").len(), 1);
}

/// @run_resume: there is nothing to resume after an answer, or without a prompt.
#[test]
fn only_what_stopped_resumes() {
    let scene = scene();
    scene.ask("night", "first");
    let (run, now) = (scene.row("night"), Timestamp::from_millis(1_794_700_000_001));
    let answered = scene.bench.memory.store().write(Durability::Stated, |writer| {
        let open = writer.open_loop(run.id)?.expect("a loop");
        writer.begin_loop(open.id, 1)?;
        writer.set_run_state(run.id, RunState::Running, None, now)?;
        writer.end_loop(open.id, RunState::Completed, Some("200"), &Map::new(), now)?;
        Ok::<_, nudge_core::Fault>(writer.set_run_state(run.id, RunState::Completed, Some("200"), now)?)
    });
    answered.expect("written");
    assert_eq!(scene.bench.fault("resume_run", json!({"run": "night"})).reason, "run_completed");
    scene.bench.ok("start_run", json!({"model": "m", "run": "empty"}));
    scene.bench.ok("abort_run", json!({"run": "empty"}));
    assert_eq!(scene.bench.fault("resume_run", json!({"run": "empty"})).reason, "no_prompt");
    assert_eq!(scene.bench.fault("resume_run", json!({"run": "nobody"})).reason, "no_run");
}

/// @run_resume: without a question there is nothing to resolve, and an agent does not answer for
/// the user.
#[test]
fn nothing_waits() {
    let mut scene = scene();
    scene.ask("night", "first");
    let resolve = |action: &str| json!({"run": "night", "resolution": {"action": action, "output": "yes"}});
    assert_eq!(scene.bench.fault("resolve_run", resolve("accept")).reason, "nothing_waits");
    assert_eq!(scene.bench.fault("resolve_run", resolve("maybe")).reason, "action");
    let (inside, outside) = (scene.root.clone(), scene.outside.clone());
    scene.stand(&outside);
    assert_eq!(scene.bench.fault("resolve_run", resolve("accept")).reason, "no_run");
    let mut elsewhere = resolve("accept");
    elsewhere["project"] = json!(inside);
    assert_eq!(scene.bench.fault("resolve_run", elsewhere).reason, "nothing_waits");
    scene.by(Surface::AgentCli);
    assert_eq!(scene.bench.fault("resolve_run", resolve("accept")).reason, "tier");
}
