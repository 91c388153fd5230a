//! What an agent is shown, and which session its calls belong to.

use insta::{assert_json_snapshot, assert_snapshot};
use nudge_testkit::McpStdio;
use serde_json::json;

use crate::cli::home;

/// @mcp_instructions @session_instructions
#[test]
fn an_agent_is_reported_when_to_use_what() {
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

/// @hint_context: the schemas sent to clients list the operating systems, map variables to strings
/// and accept open files.
#[test]
fn the_schema_of_a_context_says_what_it_takes() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp");
    let tools = McpStdio::start(command).request("tools/list", json!({}))["result"]["tools"].clone();
    let tool = |name: &str| {
        let found = tools.as_array().expect("tools").iter().find(|tool| tool["name"] == name);
        found.expect("listed")["inputSchema"]["properties"].clone()
    };
    let systems = json!({"type": "string", "enum": ["linux", "darwin", "windows"]});
    let context = tool("get_hint")["context"]["properties"].clone();
    assert_eq!(context["os"], systems);
    assert_eq!(context["env"], json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(context["files_open"], json!({"type": "array", "items": {"type": "string"}}));
    for field in ["cwd", "repo", "branch"] {
        assert_eq!(context[field], json!({"type": "string"}), "{field}");
    }
    assert_eq!(tool("set_hint")["meta"]["properties"]["scope"]["properties"]["os"]["items"], systems);
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

/// @settings_environment: the four variables take effect in a command, and in a server for all its
/// callers.
#[test]
fn variables_take_effect() {
    let home = home();
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let set = |key: &str, value: &str| home.nudge(["set", "c", key, value, "--json"]);
    assert_eq!(set("k", &secret).env("NUDGE_SECRET_GUARD", "1").run().fault(4)["id"], "E_SECRET_REJECTED");
    set("k", &secret).env("NUDGE_SECRET_GUARD", "0").run().ok();
    set("ttl", "v").env("NUDGE_DEFAULT_TTL", "PT1H").run().ok();
    assert_eq!(home.run(["get", "c", "ttl", "--json"]).json()["hint"]["meta"]["ttl"], "PT1H");
    assert_eq!(set("third", "v").env("NUDGE_MAX_HINTS", "2").run().fault(6)["id"], "E_QUOTA");
    set("third", "v").env("NUDGE_MAX_HINTS", "3").run().ok();

    let mut command = home.command();
    command.args(["mcp"]).env("NUDGE_MAX_HINTS", "4").env("NUDGE_DEFAULT_TTL", "PT2H");
    let mut agent = McpStdio::start(command);
    let hint = |key: &str, value: &str| json!({"component": "c", "key": key, "value": value});
    assert_eq!(agent.call("set_hint", hint("fourth", "v"))["hint"]["meta"]["ttl"], "PT2H");
    let full = agent.call_raw("set_hint", hint("fifth", "v"));
    assert!(full["isError"] == json!(true) && full.to_string().contains("E_QUOTA"), "{full}");
    let refused = agent.call_raw("set_hint", hint("fourth", &secret));
    assert!(refused.to_string().contains("E_SECRET_REJECTED"), "{refused}");
    agent.hang_up();
    let mut command = home.command();
    command.args(["mcp"]).env("NUDGE_SECRET_GUARD", "0");
    McpStdio::start(command).call("set_hint", hint("fourth", &secret));
}

/// @settings_environment: a server logs as much as NUDGE_LOG_LEVEL asks for.
#[test]
fn the_log_level_takes_effect() {
    for (level, is_heard) in [("error", false), ("info", true), ("debug", true)] {
        let home = home();
        let mut command = home.command();
        command.args(["mcp"]).env("NUDGE_LOG_LEVEL", level);
        let mut agent = McpStdio::start(command);
        agent.call("list_components", json!({}));
        agent.hang_up();
        let logs = home.memory().join("logs");
        let files = std::fs::read_dir(&logs).map(|dir| dir.flatten().collect::<Vec<_>>()).unwrap_or_default();
        let text: String =
            files.iter().filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
        assert_eq!(text.contains("INFO") || text.contains("\"info\""), is_heard, "{level}: {text}");
    }
}
