//! What an agent is shown, and which session its calls belong to.

use insta::{assert_json_snapshot, assert_snapshot};
use nudge_core::tokens::{self, Tokens};
use nudge_testkit::{McpStdio, TestHome};
use serde_json::{Value, json};

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
    for profile in ["work", "full"] {
        let agent = agent_in(&home, "shop", &["--profile", profile]);
        let text = agent.greeting["instructions"].as_str().expect("text");
        assert_snapshot!(format!("instructions_{profile}"), text);
    }
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

/// An agent in a directory of the home.
fn agent_in(home: &TestHome, directory: &str, options: &[&str]) -> McpStdio {
    let mut command = home.command();
    command.arg("mcp").args(options).current_dir(home.dir(directory));
    McpStdio::start(command)
}

/// @mcp_profiles @mcp_instructions: where agents have used a tool of `work`, that list is given and
/// the instructions name its tools; elsewhere, and where another was chosen, it is not.
#[test]
fn the_list_is_the_one_that_fits_the_project() {
    let home = home();
    let default = ["search", "get_observations", "remember", "set_hint"];
    let work = ["get_hint", "set_relevant_context", "start_ghap", "resolve_ghap"];
    let shown = |directory: &str, options: &[&str]| {
        let mut agent = agent_in(&home, directory, options);
        let instructions = agent.greeting["instructions"].as_str().expect("text").to_owned();
        let mut tools = agent.tools();
        assert!(default.iter().all(|name| tools.iter().any(|tool| tool == name)), "{tools:?}");
        tools.retain(|tool| !default.contains(&tool.as_str()));
        tools.sort_by_key(|tool| work.iter().position(|name| name == tool));
        for name in work {
            assert_eq!(instructions.contains(name), tools.iter().any(|tool| tool == name), "{instructions}");
        }
        tools
    };
    let ghap = json!({"domain": "debugging", "strategy": "systematic-elimination", "goal": "find it",
        "hypothesis": "the cache is stale", "action": "clear it", "prediction": "`make test` passes"});
    let uses = [
        ("get_hint", json!({"component": "c", "key": "k"})),
        ("set_relevant_context", json!({"setName": "files", "items": ["/w/a.md"]})),
        ("start_ghap", ghap),
    ];
    home.run(["set", "c", "k", "v"]).ok();
    for (tool, arguments) in uses {
        let mut agent = agent_in(&home, tool, &[]);
        agent.call("remember", json!({"text": "Releases are made on Mondays."}));
        assert_eq!(shown(tool, &[]), [""; 0], "{tool}");
        agent.call(tool, arguments);
        assert_eq!(shown(tool, &[]), work, "{tool}");
        assert_eq!(shown(tool, &["--profile", "default"]), [""; 0], "{tool}");
        assert_eq!(shown("elsewhere", &[]), [""; 0], "{tool}");
    }
    assert_eq!(shown("elsewhere", &["--profile", "work"]), work);
}

/// @mcp_search_size: an answer to an agent costs at most 1,500 tokens unless it asks for a number
/// of rows; it says how many more there are, and how to get them. A command gets all of them.
#[test]
fn an_agents_search_is_short_and_says_how_to_go_on() {
    let home = home();
    let directory = home.dir("shop");
    for number in 0..20 {
        let text = format!("deadline number {number}: {}", "the router waits for long bodies. ".repeat(6));
        home.nudge(["mark", &text]).cwd(&directory).run().ok();
    }
    let mut agent = agent_in(&home, "shop", &[]);
    let mut search = |arguments: Value| {
        let result =
            agent.request("tools/call", json!({"name": "search", "arguments": arguments}))["result"].clone();
        let text = result["content"][0]["text"].as_str().expect("text");
        let structured = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).expect("JSON"), structured);
        (tokens::estimate(text), structured)
    };
    let rows = |answer: &Value| answer["results"].as_array().expect("rows").len();
    let (cost, first) = search(json!({"query": "deadline"}));
    let shown = rows(&first);
    assert!(cost <= Tokens(1_500) && (3..20).contains(&shown), "{cost:?} for {shown} rows");
    assert_eq!(first["left_out"], json!({"count": 20 - shown}));
    assert_eq!(first["next"], format!("call search again with offset {shown}"));
    let (_, next) = search(json!({"query": "deadline", "offset": shown}));
    assert!(rows(&next) > 0 && next["results"][0]["id"] != first["results"][0]["id"]);
    let (_, all) = search(json!({"query": "deadline", "limit": 20}));
    assert_eq!((rows(&all), &all["left_out"]), (20, &Value::Null));
    let command = home.nudge(["search", "deadline", "--json"]).cwd(&directory).run().json();
    assert_eq!(command.as_array().map(Vec::len), Some(20));
}

/// @injection_commands: what every session pays for the tools and the instructions is counted too.
#[test]
fn usage_counts_the_tools_and_the_instructions() {
    let home = home();
    let usage = home.run(["usage", "--json"]).json()["every_session"].clone();
    let cost = |profile: &str| usage[profile].as_i64().expect("a number");
    assert!(
        cost("default") <= 1_000 && cost("default") < cost("work") && cost("work") < cost("full"),
        "{usage}"
    );
    let page = home.run(["usage"]).ok();
    assert!(page.contains("in every session, about this many tokens for tools and instructions: default 9"));
}

/// @hint_context: the schemas sent to clients list the operating systems, map variables to strings
/// and accept open files.
#[test]
fn the_schema_of_a_context_says_what_it_takes() {
    let home = home();
    let mut command = home.command();
    command.arg("mcp");
    command.args(["--profile", "work"]);
    let mut agent = McpStdio::start(command);
    let tools = agent.request("tools/list", json!({}))["result"]["tools"].clone();
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
    let set = agent.call("discover", json!({"name": "set_hint"}))["operations"][0]["params"].clone();
    let listed =
        set["properties"]["meta"]["properties"]["scope"]["properties"]["os"]["items"]["enum"].clone();
    assert_eq!(listed, systems["enum"]);
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
