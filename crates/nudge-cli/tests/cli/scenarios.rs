//! Five uses of a hint, end to end: a user at the terminal, agents over MCP.

use nudge_testkit::{McpStdio, TestHome, git};
use serde_json::{Value, json};

use crate::cli::home;

/// An agent with an MCP server that was started in that directory.
fn agent(home: &TestHome, dir: &std::path::Path) -> McpStdio {
    let mut command = home.command();
    command.arg("serve").current_dir(dir);
    McpStdio::start(command)
}

/// @scenario_warm_start
#[test]
fn a_warm_start() {
    let home = home();
    let dir = home.dir("work/minerva/http-proxy");
    git::repository(&dir, Some("https://example.com/minerva/http-proxy.git"), "dev");
    home.run([
        "set",
        "http-proxy",
        "build",
        "docker compose build router",
        "--shell",
        "bash",
        "--scope-cwd-glob",
        "**/http-proxy*",
        "--scope-branch",
        "dev,main",
        "--scope-os",
        "linux,darwin",
    ])
    .ok();
    let mut agent = agent(&home, &dir);
    let context = json!({"cwd": dir, "branch": "dev", "os": "linux"});
    let got = agent.call("get_hint", json!({"component": "http-proxy", "key": "build", "context": context}));
    assert_eq!(
        got["hint"]["value"],
        json!({"type": "command", "shell": "bash", "cmd": "docker compose build router"})
    );
    assert_eq!(got["match_explain"]["matched"], true);
    let reasons = got["match_explain"]["reasons"].to_string();
    assert!(
        reasons.contains("cwd matched **/http-proxy*") && reasons.contains("branch=dev allowed"),
        "{reasons}"
    );
    let bumped = agent.call("bump", json!({"component": "http-proxy", "key": "build"}));
    assert_eq!(bumped["hint"]["use_count"], 1);
    let after = agent.call("get_hint", json!({"component": "http-proxy", "key": "build"}));
    assert!(after["match_explain"]["score"].as_f64() > got["match_explain"]["score"].as_f64());
}

/// @scenario_build_error
#[test]
fn b_after_a_build_error_a_query_by_tag_ranks_what_helps() {
    let home = home();
    let dir = home.dir("work/minerva/http-proxy");
    home.run([
        "set",
        "http-proxy",
        "build",
        "docker compose build router",
        "--tags",
        "build",
        "--priority",
        "9",
    ])
    .ok();
    home.run(["set", "http-proxy", "build.clean", "docker compose build --no-cache", "--tags", "build"]).ok();
    home.run(["set", "http-proxy", "run", "docker compose up", "--tags", "run"]).ok();
    let mut agent = agent(&home, &dir);
    let context = json!({"cwd": dir, "os": "linux"});
    let found = agent
        .call("query", json!({"component": "http-proxy", "tags": ["build"], "context": context, "limit": 3}));
    let keys: Vec<&Value> =
        found["hints"].as_array().expect("a list").iter().map(|row| &row["hint"]["key"]).collect();
    assert_eq!(keys, ["build", "build.clean"]);
    assert_eq!(found["hints"][0]["hint"]["value"], "docker compose build router");
    agent.call("bump", json!({"component": "http-proxy", "key": "build"}));
}

/// @scenario_platform_paths
#[test]
fn c_every_system_gets_its_own_path() {
    let home = home();
    home.run(["set", "http-proxy", "directory", r"c:\code\http-proxy", "--scope-os", "windows"]).ok();
    home.run(["set", "http-proxy", "directory", "/Users/dev/code/http-proxy", "--scope-os", "darwin"]).ok();
    let value = |os: &str| {
        home.run(["get", "http-proxy", "directory", "--os", os, "--json"]).json()["hint"]["value"].clone()
    };
    assert_eq!(value("windows"), r"c:\code\http-proxy");
    assert_eq!(value("darwin"), "/Users/dev/code/http-proxy");
    let fault = home.run(["get", "http-proxy", "directory", "--os", "linux", "--json"]).fault(3);
    assert_eq!(fault["data"]["reason"], "not_eligible");
    let mut agent = agent(&home, home.path());
    for (os, path) in [("windows", r"c:\code\http-proxy"), ("darwin", "/Users/dev/code/http-proxy")] {
        let got = agent
            .call("get_hint", json!({"component": "http-proxy", "key": "directory", "context": {"os": os}}));
        assert_eq!(got["hint"]["value"], path);
    }
}

/// @scenario_hotfix_toggle
#[test]
fn d_a_toggle_for_two_hours_on_hotfix_branches() {
    let home = home();
    let dir = home.dir("work/api");
    git::repository(&dir, None, "hotfix/login");
    let mut agent = agent(&home, &dir);
    let set = agent.call(
        "set_hint",
        json!({"component": "api", "key": "env.FEATURE_X", "value": "1",
               "meta": {"ttl": "PT2H", "tags": ["env", "test"], "scope": {"branch": ["hotfix/*"]}}}),
    );
    let time = |name: &str| set["hint"][name].as_str().expect("a time").to_owned();
    assert_ne!(time("expires_at"), time("updated_at"));
    assert_eq!(
        agent.call("get_hint", json!({"component": "api", "key": "env.FEATURE_X"}))["hint"]["value"],
        "1"
    );
    home.nudge(["get", "api", "env.FEATURE_X"]).cwd(&dir).run().exits(0);
    git::check_out(&dir, "main");
    home.nudge(["get", "api", "env.FEATURE_X"]).cwd(&dir).run().exits(3);
}

/// @scenario_seeded_session
#[test]
fn e_a_person_seeds_and_an_agent_benefits_at_once() {
    let home = home();
    let dir = home.dir("work/api");
    let mut agent = agent(&home, &dir);
    let seed = json!({"schema_version": "1.0", "created_at": "2026-01-01T00:00:00Z", "session_id": "seed", "components": {
        "api": {"hints": {
            "build": {"value": {"type": "command", "cmd": "make"}, "meta": {"tags": ["build"]}, "version": 1},
            "test": {"value": "make test"},
        }},
    }});
    let file = home.file("nudge-seed.json", &seed.to_string());
    let before: Vec<_> = std::fs::read_dir(&dir).expect("readable").collect();
    home.run(["import", file.to_str().expect("utf-8")]).ok();
    let got = agent.call("get_hint", json!({"component": "api", "key": "build"}));
    assert_eq!(got["hint"]["value"], json!({"type": "command", "cmd": "make"}));
    assert_eq!(std::fs::read_dir(&dir).expect("readable").count(), before.len());
}
