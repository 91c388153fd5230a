//! Who may start and steer runs.

use std::sync::Mutex;

use insta::assert_snapshot;
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::runs::kit::{RUN, Scene, ends, goes_on};
use crate::runs::socket::Socket;

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

/// @run_surfaces @ws_init: the user's programs call every operation of runs and every verb, under
/// the names of operations and under their other names, and none before `init`.
#[test]
fn a_program_of_the_user_calls_them_all() {
    let scene = Scene::new(vec![ends("Tea."), ends("Tea."), ends("Tea.")]);
    let mut socket = Socket::of_user(&scene);
    let run = json!({"run": RUN});
    let calls = [
        ("startRun", json!({"model": "scripted", "run": RUN})),
        ("ask", json!({"prompt": "what is sold?", "run": RUN})),
        ("run/inject", json!({"run": RUN, "message": "and when?"})),
        ("getRuns", json!({})),
        ("getRun", run.clone()),
        ("run/config", json!({"run": RUN, "temperature": 0.5})),
        ("run/resolve", json!({"run": RUN, "resolution": {"action": "accept"}})),
        ("run/abort", run.clone()),
        ("run/resume", run.clone()),
        ("run/fork", json!({"run": RUN, "name": "copy"})),
        ("run/rename", json!({"run": "copy", "name": "other"})),
        ("run/skill", json!({"run": RUN, "path": "README.md"})),
        ("set", json!({"path": "known://a", "body": "x"})),
        ("get", json!({"path": "known://a"})),
        ("getEntries", json!({"pattern": "known://*"})),
        ("cp", json!({"path": "known://a", "to": "known://b"})),
        ("mv", json!({"path": "known://b", "to": "known://c"})),
        ("rm", json!({"path": "known://c"})),
        ("update", json!({"body": "half way", "status": 102, "run": RUN})),
        ("store", json!({"path": "docs/**", "readonly": true})),
    ];
    for (method, params) in &calls {
        let refused = socket.ask(method, params.clone());
        assert_eq!(refused["error"]["data"]["reason"], "needs_init", "{method}: {refused}");
    }
    assert_eq!(scene.run(&["run", "ls", "--all", "--json"]).json()["runs"], json!([]), "nothing began");
    socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
    // Whether these have something to do depends on how far the run is.
    let may_refuse = ["nothing_waits", "run_completed", "no_prompt"];
    for (method, params) in calls {
        let answer = socket.ask(method, params);
        let reason = answer["error"]["data"]["reason"].as_str().unwrap_or_default();
        let is_done = answer["error"].is_null() || may_refuse.contains(&reason);
        assert!(is_done, "{method}: {answer}");
    }
    socket.call("getModels", json!({}));
    socket.call("search", json!({"query": "tea"}));
}

/// @run_dump: a test that fails prints its runs, turn by turn.
#[test]
fn a_failing_test_prints_its_runs() {
    static PRINTED: Mutex<String> = Mutex::new(String::new());
    let failed = std::panic::catch_unwind(|| {
        let mut scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), ends("Tea.")]);
        scene.report = |page| PRINTED.lock().expect("nobody else prints").push_str(page);
        scene.ask("what is sold?").ok();
        panic!("as a failing test does");
    });
    assert!(failed.is_err());
    let printed = PRINTED.lock().expect("nobody else prints").clone();
    for line in [
        "run port\n",
        "turn 1\n",
        "  get:200 log://turn_1/get/README.md {}\n",
        "    now visible: 1",
        "turn 2\n",
    ] {
        assert!(printed.contains(line), "{line:?} is not in {printed}");
    }
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
