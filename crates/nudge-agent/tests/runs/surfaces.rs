//! Who may call the operations of runs.

use nudge_agent::registry;
use nudge_home::settings::Profile;
use nudge_memory::Surface;
use serde_json::json;

use super::setup::scene;

/// The operations of runs.
const OPERATIONS: [&str; 13] = [
    "ask",
    "start_run",
    "get_runs",
    "get_run",
    "abort_run",
    "resume_run",
    "fork_run",
    "inject_run",
    "configure_run",
    "rename_run",
    "add_skill",
    "get_models",
    "add_model",
];

/// @run_surfaces: runs are for the user and programs; a model calls none of it, by no name.
#[test]
fn models_start_no_runs() {
    let mut scene = scene();
    scene.ask("night", "hello");
    for surface in [Surface::Mcp, Surface::Run] {
        scene.by(surface);
        for name in OPERATIONS {
            let operation = registry::find(name).expect(name);
            assert!(registry::listed(Profile::Full).all(|listed| listed.name != name), "{name}");
            for name in operation.aliases().iter().map(String::as_str).chain([operation.name]) {
                let fault = scene.bench.fault(name, json!({"run": "night", "path": "x.md", "prompt": "x"}));
                assert_eq!(fault.reason, "clients_only", "{name} on {surface:?}");
            }
        }
    }
}

/// @run_surfaces: programs and command lines may, each in its own project.
#[test]
fn programs_ask() {
    let mut scene = scene();
    for (number, surface) in [Surface::Cli, Surface::AgentCli, Surface::Rpc].into_iter().enumerate() {
        let name = format!("run-{number}");
        assert_eq!(scene.by(surface).ask(&name, "hello")["status"], 100, "{surface:?}");
    }
    let outside = scene.outside.clone();
    scene.stand(&outside);
    assert_eq!(scene.bench.fault("get_run", json!({"run": "run-0"})).reason, "no_run");
    assert_eq!(scene.bench.fault("abort_run", json!({"run": "run-0"})).reason, "no_run");
}
