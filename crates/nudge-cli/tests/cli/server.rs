//! The commands with a server, without one, and while one starts or stops.

use std::process::Command;

use insta::assert_snapshot;
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::cli::home;

/// @server_status_stop @server_state_file
#[test]
fn status_and_stop_tell_what_they_see_and_do() {
    let home = home();
    assert_snapshot!("status_none", home.run(["status"]).page());
    assert_eq!(home.run(["status", "--json"]).json()["running"], false);
    let server = home.daemon(&[]);
    assert_snapshot!("status_running", home.run(["status"]).page());
    let status = home.run(["status", "--json"]).json();
    assert_eq!((&status["running"], &status["pid"]), (&json!(true), &json!(server.pid())));
    assert!(status["port"].is_u64() && status["instance"].is_string(), "{status}");
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_snapshot!("stop_running", home.run(["stop"]).page());
    server.wait_until_gone();
    assert_eq!(home.run(["status", "--json"]).json()["running"], false);
}

/// @server_shared_memory
#[test]
fn what_is_left_without_a_server_is_read_through_one_and_back() {
    let home = home();
    home.run(["set", "api", "alone", "1", "--ttl", "forever"]).ok();
    let server = home.daemon(&[]);
    home.run(["get", "api", "alone"]).exits(0);
    home.run(["set", "api", "served", "2", "--ttl", "forever"]).ok();
    server.kill();
    home.run(["get", "api", "served"]).exits(0);
    home.run(["bump", "api", "served"]).exits(0);
}

/// @server_shared_memory
#[test]
fn the_command_line_and_an_agent_see_each_other_at_once() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp").current_dir(home.dir("work"));
    let mut agent = McpStdio::start(command);
    home.run(["set", "api", "from-person", "make"]).ok();
    let got = agent.call("get_hint", json!({"component": "api", "key": "from-person"}));
    assert_eq!(got["hint"]["value"], "make");
    agent.call("set_hint", json!({"component": "api", "key": "from-agent", "value": "make test"}));
    assert_snapshot!("get_from_agent", home.run(["get", "api", "from-agent"]).page());
}

/// @server_shared_memory: a server keeps the database and the index open, and no call opens them.
#[test]
fn a_server_keeps_its_memory_open() {
    let home = home();
    home.run(["set", "api", "build", "make it so", "--ttl", "forever"]).ok();
    // Writes the index.
    home.run(["maintain"]).ok();
    let trace = home.path().join("trace");
    let mcp = home.command();
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-e", "trace=openat", "-o"]).arg(&trace).arg(mcp.get_program()).arg("mcp");
    strace.env_clear().envs(mcp.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(home.dir("work"));
    let mut agent = McpStdio::start(strace);
    let mut calls = |rounds: u32| {
        for _ in 0..rounds {
            agent.call("get_hint", json!({"component": "api", "key": "build"}));
            agent.call("search", json!({"query": "make it so"}));
            home.run(["get", "api", "build"]).ok();
        }
        let opened = std::fs::read_to_string(&trace).expect("a trace");
        let of = |name: &str| opened.lines().filter(|line| line.contains(name)).count();
        (of("/nudge.db\""), of("meta.json\""))
    };
    let (database, index) = calls(5);
    assert!(database > 0 && index > 0, "a search reads both: {database}, {index}");
    // A job may need a connection of its own at the time of a call.
    let after = calls(20);
    assert!(after.0 < database + 8 && after.1 < index + 8, "{after:?} after {:?}", (database, index));
    agent.hang_up();
}

/// @cli_port_flag
#[test]
fn the_port_flag_must_name_the_running_server() {
    let home = home();
    let _server = home.daemon(&[]);
    let port = home.run(["status", "--json"]).json()["port"].as_u64().expect("a port");
    home.run(["-p", &port.to_string(), "ls"]).exits(0);
    let fault = home.run(["-p", "1", "ls", "--json"]).fault(5);
    assert!(fault["message"].as_str().is_some_and(|text| text.contains(&port.to_string())), "{fault}");
}

/// @server_ephemeral
#[test]
fn an_ephemeral_server_keeps_nothing() {
    let home = home();
    home.run(["set", "api", "lasting", "1", "--ttl", "forever"]).ok();
    let server = home.daemon(&["--ephemeral"]);
    home.run(["get", "api", "lasting"]).exits(3);
    home.run(["set", "api", "fleeting", "2", "--ttl", "forever"]).ok();
    home.run(["get", "api", "fleeting"]).exits(0);
    home.run(["backup"]).exits(5);
    home.run(["stop"]).ok();
    server.wait_until_gone();
    home.run(["get", "api", "fleeting"]).exits(3);
    home.run(["get", "api", "lasting"]).exits(0);
}

/// @token_secrecy
#[test]
fn the_token_is_shown_only_when_asked() {
    let home = home();
    home.run(["token", "show"]).exits(1);
    assert_snapshot!("token_rotate", home.run(["token", "rotate"]).page());
    assert_snapshot!("token_show", home.run(["token", "show"]).page());
    let token = home.run(["token", "show", "--reveal"]).ok();
    let shown = home.run(["token", "show", "--json"]).ok();
    assert!(token.trim().len() >= 32);
    assert!(!shown.contains(token.trim()));
    let rotated = home.run(["token", "rotate", "--json"]).ok();
    let new = home.run(["token", "show", "--reveal"]).ok();
    assert_ne!(new, token);
    assert!(!rotated.contains(new.trim()));
}

/// @server_ephemeral
#[test]
fn a_hint_in_an_ephemeral_server_says_when_it_ends() {
    let home = home();
    let _server = home.daemon(&["--ephemeral"]);
    let page = home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    assert!(page.contains("kept until the server stops"), "{page}");
}

/// @server_daemon @cli_port_flag
#[test]
fn a_second_server_on_another_port_is_refused() {
    let home = home();
    let _server = home.daemon(&[]);
    let fault = home.run(["serve", "--daemon", "--port", "1", "--json"]).fault(5);
    assert_eq!(fault["data"]["reason"], "wrong_port");
}

/// @server_status_stop
#[test]
fn stopping_an_agents_own_server_says_so() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp");
    let _agent = McpStdio::start(command);
    assert_eq!(home.run(["stop", "--json"]).json()["agent"], json!(true));
}
