//! Who may start and steer runs.

use insta::assert_snapshot;
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::runs::kit::{RUN, Scene, ends, goes_on};

/// @run_surfaces: over MCP the operations of runs are neither listed nor carried out.
#[test]
fn an_agent_starts_no_runs() {
    let scene = Scene::new(vec![ends("Tea.")]);
    let mut agent = McpStdio::start(scene.command(&["mcp"]));
    let listed = agent.request("tools/list", json!({})).to_string();
    for name in ["ask", "start_run", "get_runs", "abort_run", "add_model", "resolve_run"] {
        assert!(!listed.contains(&format!("\"name\":\"{name}\"")), "{name}");
        let call = json!({"name": name, "arguments": {"prompt": "x", "model": "scripted", "run": "port"}});
        let answer = agent.request("tools/call", call).to_string();
        let is_refused = answer.contains("not for models") || answer.contains("reserved for the user");
        assert!(is_refused, "{name}: {answer}");
    }
    agent.hang_up();
    assert!(scene.model.requests().is_empty());
    assert_eq!(scene.run(&["run", "ls", "--json"]).json()["runs"], json!([]));
}

/// @run_surfaces @run_policy: a model in a run starts no run.
#[test]
fn a_model_starts_no_runs() {
    let scene =
        Scene::new(vec![goes_on("<set path=\"run://other\">what is sold?</set>"), ends("I may not.")]);
    scene.ask("ask somebody else").ok();
    scene.run(&["run", "show", "other"]).exits(3);
    assert_snapshot!(scene.story());
}

/// @run_dump: a run is printed turn by turn.
#[test]
fn a_run_is_dumped() {
    let scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), ends("Tea.")]);
    scene.ask("what is sold?").ok();
    scene.shell(&["run", "show", RUN, "--turns"]);
    scene.shell(&["run", "show", RUN]);
    scene.shell(&["run", "ls"]);
    assert_snapshot!(scene.page());
}
