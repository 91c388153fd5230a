//! What an agent is told, and whose call it is taken to be.

use insta::{assert_json_snapshot, assert_snapshot};
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::home;

/// @mcp_instructions
#[test]
fn an_agent_is_told_when_to_use_what() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp");
    let agent = McpStdio::start(command);
    assert_eq!(agent.greeting["serverInfo"]["name"], "nudge");
    assert_snapshot!("instructions", agent.greeting["instructions"].as_str().expect("text"));
}

/// @mcp_profiles
#[test]
fn the_tools_an_agent_sees() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp");
    let mut agent = McpStdio::start(command);
    assert_json_snapshot!("tools", agent.request("tools/list", json!({}))["result"]["tools"]);
    let mut command = home.command();
    command.arg("mcp").env("NUDGE_PROFILE", "full");
    let full = McpStdio::start(command).tools();
    assert!(full.len() > 8 && full.contains(&"discover".to_owned()), "{full:?}");
}

/// @mcp_call_session
#[test]
fn a_call_belongs_to_the_session_it_names_or_was_started_in() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp").env("CLAUDE_CODE_SESSION_ID", "session-of-the-process");
    let mut agent = McpStdio::start(command);
    let set = json!({"component": "c", "key": "k", "value": "v"});
    assert_eq!(agent.call("set_hint", set.clone())["hint"]["origin"]["session"], "session-of-the-process");
    assert_eq!(agent.call("set_hint", set.clone())["hint"]["origin"]["client"], "nudge-testkit");
    let named = json!({"name": "set_hint", "arguments": set, "_meta": {"threadId": "session-of-the-call"}});
    let answer = agent.request("tools/call", named)["result"]["structuredContent"].clone();
    assert_eq!(answer["hint"]["origin"]["session"], "session-of-the-call");
    let mut other = {
        let mut command = home.command();
        command.arg("mcp");
        McpStdio::start(command)
    };
    let first = other.call("set_hint", set.clone())["hint"]["origin"]["session"].clone();
    assert!(first.is_string(), "one is made up for the process");
    assert_eq!(other.call("set_hint", set)["hint"]["origin"]["session"], first);
}

/// @settings_environment
#[test]
fn variables_take_effect() {
    let home = home();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    home.run(["set", "c", "k", &secret]).exits(1);
    home.nudge(["set", "c", "k", &secret]).env("NUDGE_SECRET_GUARD", "0").run().ok();
    home.nudge(["set", "c", "ttl", "v"]).env("NUDGE_DEFAULT_TTL", "PT1H").run().ok();
    assert_eq!(home.run(["get", "c", "ttl", "--json"]).json()["hint"]["meta"]["ttl"], "PT1H");
    let keys = home.nudge(["config", "--json"]).env("NUDGE_LOG_LEVEL", "debug").run().json()["keys"].clone();
    let level = keys.as_array().and_then(|keys| keys.iter().find(|row| row["key"] == "log_level")).cloned();
    assert_eq!(level.map(|row| row["value"].clone()), Some(json!("debug")));
}
