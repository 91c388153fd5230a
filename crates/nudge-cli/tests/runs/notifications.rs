//! What a client hears of runs on its connection.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::runs::kit::{RUN, Scene, ends, fails, goes_on, hangs, says};
use crate::runs::socket::Socket;

fn is_state(note: &Value, state: &str) -> bool {
    note["method"] == "run/state" && note["params"]["state"] == state
}

/// Notifications as lines. Parts of a text that come one after another are one line.
fn listed(notes: &[Value]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for note in notes {
        let (method, params) = (note["method"].as_str().unwrap_or_default(), &note["params"]);
        let word = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
        let line = match method {
            "run/state" => state_line(params),
            "run/progress" => format!("run/progress {} turn {}", word("status"), params["turn"]),
            "run/proposal" => format!("run/proposal {}", word("path")),
            "run/decided" => format!("run/decided {} accepted: {}", word("path"), params["accepted"]),
            "ui/render" => format!("ui/render turn {}", params["turn"]),
            "ui/notify" => format!("ui/notify {}: {}", word("level"), word("text")),
            other => other.to_owned(),
        };
        if method != "ui/render" || lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// A state: how many rows of its history are done, and what it used.
fn state_line(view: &Value) -> String {
    let rows = view["history"].as_array().expect("a history");
    let done = rows.iter().filter(|row| row["status"] != 102 || row["tool"] == "update").count();
    let used = match &view["telemetry"] {
        Value::Null => "null".to_owned(),
        used if used["estimated"] == true => format!("{} turns, about N tokens in", used["turns"]),
        used => format!("{} turns, {} tokens in", used["turns"], used["prompt_tokens"]),
    };
    let (state, status, turn) = (view["state"].as_str().unwrap_or_default(), &view["status"], &view["turn"]);
    format!("run/state {state} {status} turn {turn}: {done} of {} rows, used {used}", rows.len())
}

/// @run_notifications @run_usage: a client gets a state after each call of a turn, and the numbers
/// of each turn when it ends.
#[test]
fn each_call_is_a_state() {
    let scene = Scene::new(vec![
        goes_on(
            "<get path=\"README.md\"/><set path=\"known://tea\">Green.</set><search query=\"router\"/>\
             <get path=\"src/router.rs\"/>",
        ),
        goes_on("<get path=\"nowhere.md\"/><get path=\"README.md\"/>"),
        ends("Green tea."),
    ]);
    let mut socket = Socket::open(&scene);
    socket.call("ask", json!({"prompt": "what is sold?", "model": "scripted", "run": RUN}));
    socket.listen_until(|note| is_state(note, "completed"));
    assert_snapshot!(listed(&socket.noted));
}

/// @run_notifications @run_usage: a client hears that a run was aborted, with what it used.
#[test]
fn an_abort_is_a_state() {
    let scene = Scene::new(vec![goes_on("<get path=\"README.md\"/>"), hangs("The shop sells")]);
    let mut socket = Socket::open(&scene);
    socket.call("ask", json!({"prompt": "what is sold?", "model": "scripted", "run": RUN}));
    socket.listen_until(|note| note["method"] == "ui/render" && note["params"]["turn"] == 2);
    socket.call("run/abort", json!({"run": RUN}));
    socket.listen_until(|note| is_state(note, "aborted"));
    let used = &socket.noted.last().expect("a state")["params"]["telemetry"];
    assert_eq!((&used["turns"], &used["estimated"]), (&2.into(), &true.into()), "{used}");
    assert!(used["context_tokens"].as_u64().is_some_and(|tokens| tokens > 500), "{used}");
}

/// @run_notifications @run_questions @run_surfaces: a client hears each step, the text as it comes,
/// and the question; `run/resolve` answers it.
#[test]
fn a_client_hears_each_step() {
    let scene = Scene::new(vec![
        says("<ask_user question=\"Which tea?\"/><update status=\"102\">next</update>"),
        ends("Green tea."),
    ]);
    let mut socket = Socket::of_user(&scene);
    socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
    let accepted = socket.call("ask", json!({"prompt": "what is sold?", "model": "scripted", "run": RUN}));
    scene.note(&format!("ask → {accepted}"));
    socket.listen_until(|note| note["method"] == "run/proposal");
    let path = socket.noted.iter().find(|note| note["method"] == "run/proposal").expect("it came")["params"]
        ["path"]
        .clone();
    let resolution = json!({"path": path, "action": "accept", "output": "the green one"});
    let resolved = socket.call("run/resolve", json!({"run": RUN, "resolution": resolution}));
    assert!(resolved["status"] != 200, "the run goes on: {resolved}");
    socket.listen_until(|note| is_state(note, "completed"));
    scene.note(&listed(&socket.noted));
    let text: String = socket
        .noted
        .iter()
        .filter(|note| note["params"]["turn"] == 2)
        .filter_map(|note| note["params"]["text"].as_str())
        .collect();
    assert_eq!(text, "<update status=\"200\">Green tea.</update>");
    let last = socket.noted.iter().rev().find(|note| is_state(note, "completed")).expect("it came");
    assert_eq!(last["params"]["summary"], "Green tea.", "a state has the form of get_run");
    assert_snapshot!(scene.story());
}

/// @run_notifications: a failure is a message for the user, and a retry is announced.
#[test]
fn a_client_hears_of_failures() {
    let scene =
        Scene::new(vec![fails(502, "bad gateway"), fails(401, r#"{"error":{"message":"wrong key"}}"#)]);
    let mut socket = Socket::open(&scene);
    socket.call("startRun", json!({"model": "scripted", "run": RUN}));
    socket.call("run/inject", json!({"run": RUN, "message": "what is sold?"}));
    socket.listen_until(|note| is_state(note, "failed"));
    scene.note(&listed(&socket.noted));
    assert_snapshot!(scene.page());
}

/// @run_surfaces @run_config: a client steers a run under the other names of the operations; the
/// persona cannot change.
#[test]
fn a_client_steers_a_run() {
    let scene = Scene::new(vec![ends("Tea.")]);
    let mut socket = Socket::open(&scene);
    let mut lines = String::new();
    for (method, params) in [
        ("startRun", json!({"model": "scripted", "run": RUN, "persona": "You are brief."})),
        ("run/config", json!({"run": RUN, "temperature": 0.5, "context_limit": 4000})),
        ("run/config", json!({"run": RUN, "persona": "You are a pirate."})),
        ("run/config", json!({"run": RUN, "temperature": 3})),
        ("run/config", json!({"run": RUN, "model": "nobody"})),
        ("run/rename", json!({"run": RUN, "name": "tea"})),
        ("run/fork", json!({"run": "tea", "name": "cup"})),
        ("run/abort", json!({"run": "cup"})),
        ("run/resume", json!({"run": "cup"})),
        ("run/resolve", json!({"run": "tea", "resolution": {"action": "accept"}})),
        ("getRun", json!({"run": "port"})),
    ] {
        let answer = socket.ask(method, params);
        let said =
            answer["error"]["message"].as_str().map_or_else(|| answer["result"].to_string(), str::to_owned);
        lines.push_str(&format!("{method}: {said}\n"));
    }
    let runs = socket.call("getRuns", json!({}));
    let names: Vec<&str> =
        runs["runs"].as_array().into_iter().flatten().filter_map(|run| run["run"].as_str()).collect();
    lines.push_str(&format!("getRuns: {names:?}\n"));
    socket.call("ask", json!({"prompt": "what is sold?", "run": "tea"}));
    socket.listen_until(|note| is_state(note, "completed"));
    let request = &scene.model.requests()[0];
    assert!(request.system.trim_end().ends_with("You are brief."));
    lines.push_str(&format!("temperature of the request: {}\n", request.body["temperature"]));
    assert_snapshot!(lines);
}

/// @run_notifications @project_private: a client that named a project hears nothing of it once it
/// is private.
#[test]
fn a_private_project_is_not_heard() {
    let scene = Scene::new(vec![ends("Green tea."), ends("Black tea.")]);
    let mut socket = Socket::open(&scene);
    scene.ask("what is sold?").ok();
    socket.listen_until(|note| is_state(note, "completed"));
    socket.call("discover", json!({}));
    let before = socket.noted.len();
    scene.run(&["project", "private", "shop"]).ok();
    scene.ask("what else is sold?").ok();
    socket.call("discover", json!({}));
    assert_eq!(socket.noted[before..], [Value::Null; 0], "it is private now");
}

/// @live_events @project_private: a subscription says nothing of the runs of a private project.
#[test]
fn changes_of_a_private_projects_runs_are_not_sent() {
    let scene = Scene::new(vec![ends("At six.")]);
    let mut socket = Socket::open(&scene);
    scene.run(&["project", "private", "shop"]).ok();
    socket.call("subscribe", json!({"since": 0}));
    scene.ask("when does the zebra close?").ok();
    let elsewhere = scene.home.dir("elsewhere");
    scene.home.nudge(["set", "bus", "stop", "left"]).cwd(elsewhere).run().ok();
    let is_of_bus = |note: &Value| note["params"]["scheme"] == "hint";
    socket.listen_until(is_of_bus);
    let of_runs = |note: &&Value| note["params"]["scope"]["kind"] == "run";
    assert_eq!(socket.noted.iter().find(of_runs), None);
}
