//! The server that an installation starts, and how agents reach it.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nudge_testkit::raw_http::free_port;
use serde_json::json;

use crate::install::agents::{LIVED_IN, lived_in};
use crate::install::{home, json, text, tree};

/// @install_http
#[test]
fn over_http_the_token_is_in_no_file_argument_or_variable() {
    let home = lived_in();
    let port = free_port().to_string();
    let outcome = home.run(["install", "claude", "codex", "opencode", "--http", "--yes", "--port", &port]);
    outcome.ok();
    let token = text(&home.memory().join("run/token"));
    let header = home.run(["token", "header"]).json();
    assert_eq!(header, json!({"Authorization": format!("Bearer {}", token.trim())}));
    for (name, (_, bytes)) in tree(home.path()) {
        let holds = String::from_utf8_lossy(&bytes).contains(token.trim());
        assert!(!holds || name.ends_with("run/token"), "{name}");
    }
    let server = &json(&home.path().join(".claude.json"))["mcpServers"]["nudge"];
    assert_eq!(server["url"], format!("http://127.0.0.1:{port}/mcp"));
    let refused = home.run(["install", "copilot", "--http", "--yes", "--json"]).fault(2);
    assert_eq!(refused["data"]["reason"], "no_http");
    home.run(["uninstall", "--yes", "--purge"]).ok();
    assert!(!home.memory().exists(), "the server is stopped and the memory is gone");
    for (name, text_before) in LIVED_IN {
        assert_eq!(text(&home.path().join(name)), text_before, "{name}");
    }
}

/// @install_daemon
#[test]
fn a_server_is_started_once_and_waited_for() {
    let home = home();
    let port = free_port().to_string();
    let first = home.run(["install", "claude", "--yes", "--daemon", "--port", &port]);
    assert!(first.stderr.contains("a server is running in the background"), "{}", first.stderr);
    let status = home.run(["status", "--json"]).json();
    assert_eq!(status["responding"], true, "{status}");
    let pid = status["pid"].clone();
    let again = home.run(["install", "claude", "--yes", "--daemon", "--port", &port]);
    assert!(again.stderr.contains("a server is already running"), "{}", again.stderr);
    assert_eq!(home.run(["status", "--json"]).json()["pid"], pid, "no second one");
    home.run(["uninstall", "--yes"]).ok();
}

/// @install_daemon: somebody who waits for a slow server hears that every ten seconds, and at the
/// end that it was slow.
#[test]
fn a_slow_start_is_reported() {
    let home = home();
    let port = free_port().to_string();
    let mut strace = std::process::Command::new("strace");
    // Each thread that binds a socket first waits for eleven seconds.
    strace.args([
        "-f",
        "-o",
        "/dev/null",
        "-e",
        "trace=bind",
        "-e",
        "inject=bind:delay_enter=11000000:when=1",
    ]);
    let install = home.command();
    strace.arg(install.get_program()).args(["install", "claude", "--yes", "--daemon", "--port", &port]);
    strace.env_clear().envs(install.get_envs().filter_map(|(name, value)| Some((name, value?))));
    strace.current_dir(home.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut traced = strace.spawn().expect("strace is installed");
    let mut said = Vec::new();
    // The server goes on, so strace does: the last line is the end of the installation.
    for line in BufReader::new(traced.stderr.take().expect("piped")).lines().map_while(Result::ok) {
        said.push(line);
        if said.iter().any(|line| line.starts_with("a server is running") || line.starts_with("error")) {
            break;
        }
    }
    home.run(["uninstall", "--yes"]).ok();
    traced.wait().expect("the server is gone, and strace with it");
    let waiting = said.iter().position(|line| line == "still waiting for the server, 10 s");
    let slow = said.iter().position(|line| {
        line.starts_with("a server is running in the background, after ")
            && line.ends_with(" s, which is slow")
    });
    assert!(waiting.is_some() && waiting < slow, "{said:#?}");
}

/// @uninstall_stops: a server that does not end when it is asked to is killed after a second.
#[test]
fn a_server_that_does_not_listen_is_killed() {
    let home = home();
    home.run(["install", "claude", "--yes", "--daemon", "--port", &free_port().to_string()]).ok();
    let server = home.daemon(&[]);
    // A stopped process takes no signal but this one.
    let stopped = std::process::Command::new("kill").args(["-STOP", &server.pid().to_string()]).status();
    assert!(stopped.expect("kill is there").success());
    let began = Instant::now();
    home.run(["uninstall", "--yes"]).ok();
    assert!(began.elapsed() >= Duration::from_secs(1), "{:?}", began.elapsed());
    server.wait_until_gone();
    assert!(!home.memory().join("run/state.json").exists());
}

/// @uninstall_stops
#[test]
fn the_server_ends_with_the_last_agent_and_none_is_no_failure() {
    let home = home();
    home.run(["install", "claude", "codex", "--yes", "--daemon", "--port", &free_port().to_string()]).ok();
    home.run(["uninstall", "claude", "--yes"]).ok();
    assert_eq!(home.run(["status", "--json"]).json()["running"], true, "codex is still there");
    home.run(["uninstall", "--yes"]).ok();
    assert_eq!(home.run(["status", "--json"]).json()["running"], false);
    assert!(!home.memory().join("run/state.json").exists());
    home.run(["install", "claude", "--yes"]).ok();
    home.run(["uninstall", "--yes"]).ok();
}
