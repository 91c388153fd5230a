//! The server that an installation starts, and how agents reach it.

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
