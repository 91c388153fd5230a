//! Which session a call belongs to: the one rule, checked by what calls write.

use std::path::Path;

use nudge_testkit::raw_http::{Request, free_port};
use nudge_testkit::{McpStdio, Server, TestHome};
use serde_json::{Value, json};

use crate::cli::home;

/// Runs an agent's hook, at the current time unless `more` has one.
fn fires(home: &TestHome, agent: &str, session: &str, cwd: &Path, more: Value) {
    let mut event =
        json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
    event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    home.nudge(["hook", agent]).stdin(event.to_string()).run().ok();
}

fn agent(home: &TestHome, client: &str, cwd: &Path) -> McpStdio {
    let mut command = home.command();
    command.args(["mcp", "--profile", "full"]).current_dir(cwd);
    McpStdio::start_as(client, command)
}

/// A server, and the token with which programs call its tools over HTTP.
struct Http<'h> {
    port: u16,
    token: String,
    _server: Server<'h>,
}

impl<'h> Http<'h> {
    fn of(home: &'h TestHome) -> Self {
        let port = free_port();
        let server = home.daemon(&["--port", &port.to_string()]);
        let token = std::fs::read_to_string(home.memory().join("run/token")).expect("a token");
        Self { port, token: token.trim().to_owned(), _server: server }
    }

    /// The answer to a request of a program that calls itself `client`.
    fn request(&self, client: &str, path: &str, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = Request::new("POST", path, self.port).token(&self.token).header("User-Agent", client);
        let request = request.header("Content-Type", "application/json");
        request.body(body.to_string()).send(self.port).json()["result"].clone()
    }

    /// The result of a tool call.
    fn call(&self, client: &str, tool: &str, arguments: &Value, meta: &Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        self.request(client, "/mcp", "tools/call", &params)
    }
}

/// The sessions that a hint and a note are recorded under.
fn writes(agent: &mut McpStdio, meta: &Value) -> [Value; 2] {
    let mut call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        agent.request("tools/call", params)["result"]["structuredContent"].clone()
    };
    let hint = call("set_hint", json!({"component": "c", "key": "k", "value": "v"}));
    let note = call("create_marker", json!({"text": "a note"}));
    [hint["hint"]["origin"]["session"].clone(), note["session"].clone()]
}

/// @mcp_call_session: a call without an id belongs to the newest hook session of that client and
/// project within twelve hours.
#[test]
fn a_call_without_an_id_is_of_the_newest_hook_session() {
    let home = home();
    let (shop, other) = (home.dir("shop"), home.dir("other"));
    fires(&home, "codex", "of-codex", &shop, json!({}));
    fires(&home, "claude", "elsewhere", &other, json!({}));
    let mut claude = agent(&home, "claude-code", &shop);
    let [hint, note] = writes(&mut claude, &json!({}));
    assert!(hint.as_str().is_some_and(|name| name.starts_with("nudge-")) && note == hint, "{hint} {note}");
    fires(&home, "claude", "first", &shop, json!({}));
    fires(&home, "claude", "newest", &shop, json!({}));
    assert_eq!(writes(&mut claude, &json!({})), ["newest", "newest"]);
    assert_eq!(writes(&mut agent(&home, "codex-mcp-client", &shop), &json!({})), ["of-codex", "of-codex"]);
    fires(&home, "claude", "newest", &shop, json!({"hook_event_name": "SessionEnd", "reason": "exit"}));
    assert_eq!(writes(&mut claude, &json!({})), ["first", "first"], "one that goes on comes first");
    let made = writes(&mut agent(&home, "somebody", &shop), &json!({}));
    assert!(made[0].as_str().is_some_and(|name| name.starts_with("nudge-")), "{made:?}");
    assert_eq!(writes(&mut claude, &json!({"threadId": "named"}))[0], "named");
}

/// @mcp_call_session: an agent in one project writes nothing to a session of another, whatever its
/// call names.
#[test]
fn a_session_of_another_project_is_not_the_callers() {
    let home = home();
    let (shop, other) = (home.dir("shop"), home.dir("other"));
    fires(&home, "claude", "of-shop", &shop, json!({}));
    let announced = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__nudge__search", "tool_use_id": "toolu_1",
        "tool_input": {}});
    fires(&home, "claude", "of-shop", &shop, announced);
    for meta in [json!({"threadId": "of-shop"}), json!({"claudecode/toolUseId": "toolu_1"})] {
        let made = writes(&mut agent(&home, "claude-code", &other), &meta);
        assert!(made.iter().all(|name| name.as_str() != Some("of-shop")), "{meta}: {made:?}");
    }
}

/// @mcp_call_session: a session that was silent for twelve hours is not used.
#[test]
fn a_silent_session_is_not_the_callers() {
    let home = home();
    let shop = home.dir("shop");
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a clock").as_millis();
    let at = |hours: i64| nudge_core::Timestamp::from_millis(now as i64 - hours * 3_600_000).to_string();
    fires(&home, "claude", "silent", &shop, json!({"timestamp": at(13)}));
    let mut claude = agent(&home, "claude-code", &shop);
    assert_ne!(writes(&mut claude, &json!({}))[0], "silent");
    fires(&home, "claude", "recent", &shop, json!({"timestamp": at(11)}));
    assert_eq!(writes(&mut claude, &json!({}))[0], "recent");
}

/// @mcp_call_session: the tool-use id announced by a hook takes precedence over the environment of
/// the process.
#[test]
fn a_call_that_a_hook_announced_is_of_its_session() {
    let home = home();
    let shop = home.dir("shop");
    for session in ["one", "two"] {
        let announced = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__nudge__set_hint",
            "tool_use_id": format!("toolu_{session}"), "tool_input": {}});
        fires(&home, "claude", session, &shop, announced);
    }
    let mut command = home.command();
    command.args(["mcp"]).current_dir(&shop).env("CLAUDE_CODE_SESSION_ID", "of-the-process");
    let mut claude = McpStdio::start_as("claude-code", command);
    let id = |id: &str| json!({"claudecode/toolUseId": id});
    assert_eq!(writes(&mut claude, &id("toolu_one"))[0], "one");
    assert_eq!(writes(&mut claude, &id("toolu_two"))[0], "two");
    assert_eq!(writes(&mut claude, &id("toolu_three"))[0], "of-the-process");
}

/// @mcp_call_session: the same rule applies over HTTP; when two projects have recent sessions, none
/// of them is guessed.
#[test]
fn the_rule_holds_over_http() {
    let home = home();
    let (shop, other) = (home.dir("shop"), home.dir("other"));
    fires(&home, "claude", "first", &shop, json!({}));
    fires(&home, "claude", "newest", &shop, json!({}));
    let http = Http::of(&home);
    let call = |client: &str, tool: &str, arguments: Value, meta: Value| {
        http.call(client, tool, &arguments, &meta)["structuredContent"].clone()
    };
    let hint = json!({"component": "c", "key": "k", "value": "v"});
    let session = |client: &str, meta: Value| {
        call(client, "set_hint", hint.clone(), meta)["hint"]["origin"]["session"].clone()
    };
    assert_eq!(session("claude-code/2.1.325 (cli)", json!({})), "newest");
    let note = call("claude-code/2.1.325", "create_marker", json!({"text": "x"}), json!({}));
    assert_eq!((&note["session"], &note["project"]), (&json!("newest"), &json!("shop")), "{note}");
    let trace = call("claude-code/2", "recent_context", json!({"only": true}), json!({}));
    assert!(trace.to_string().contains("\"newest\""), "its project is the one of its session: {trace}");
    assert!(session("curl/8.5.0", json!({})).as_str().is_some_and(|name| name.starts_with("nudge-")));
    let announced = json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__nudge__set_hint",
        "tool_use_id": "toolu_1", "tool_input": {}});
    fires(&home, "claude", "first", &shop, announced);
    assert_eq!(session("claude-code/2", json!({"claudecode/toolUseId": "toolu_1"})), "first");
    fires(&home, "claude", "third", &other, json!({}));
    assert!(session("claude-code/2", json!({})).as_str().is_some_and(|name| name.starts_with("nudge-")));
}

/// @mcp_call_project: over HTTP a call belongs to the project of the session that it names or of
/// its agent's only project; without one, nothing is read or stored, and the error says what to
/// pass.
#[test]
fn a_call_over_http_belongs_to_the_project_of_its_session() {
    let home = home();
    let (shop, till, closed) = (home.dir("shop"), home.dir("till"), home.dir("closed"));
    std::fs::write(closed.join(".nudge.toml"), "private = true\n").expect("written");
    fires(&home, "claude", "of-shop", &shop, json!({}));
    fires(&home, "codex", "of-till", &till, json!({}));
    fires(&home, "codex", "of-closed", &closed, json!({}));
    let http = Http::of(&home);
    let call = |client: &str, tool: &str, arguments: Value| http.call(client, tool, &arguments, &json!({}));
    let project = |client: &str, arguments: Value| {
        call(client, "remember", arguments)["structuredContent"]["project"].clone()
    };
    let knows = |dir: &std::path::Path| {
        home.nudge(["knows", "--json"]).cwd(dir).run().json()["statements"].to_string()
    };
    // The only project of its agent's sessions, and the session that a call names.
    assert_eq!(project("claude-code/2", json!({"text": "we use just"})), "shop");
    assert_eq!(project("curl/8", json!({"text": "we use tabs", "session": "of-till"})), "till");
    assert!(knows(&shop).contains("we use just") && knows(&till).contains("we use tabs"));
    let of_till = json!({"threadId": "of-till"});
    let found = http.call("curl/8", "search", &json!({"query": "tabs"}), &of_till);
    assert!(found.to_string().contains("we use tabs"), "{found}");
    // Two projects, an unknown program, a session nobody knows, a private project.
    for (client, session) in [
        ("codex-mcp-client/1", None),
        ("curl/8", None),
        ("curl/8", Some("nobody")),
        ("curl/8", Some("of-closed")),
    ] {
        for (tool, mut arguments) in [
            ("remember", json!({"text": "lost words"})),
            ("create_marker", json!({"text": "lost words"})),
            ("set_relevant_context", json!({"setName": "files", "items": ["a.rs"]})),
            ("recent_context", json!({})),
            ("assemble_context", json!({"query": "tabs"})),
        ] {
            if let Some(session) = session {
                arguments["session"] = json!(session);
            }
            let answer = call(client, tool, arguments);
            assert_eq!(answer["isError"], json!(true), "{tool} {client} {session:?}: {answer}");
            let text = answer.to_string();
            if session.is_some() && text.contains("no_session") {
                continue;
            }
            let pass = if tool.contains("context") && tool != "set_relevant_context" {
                "a `project`"
            } else {
                "as `session`"
            };
            assert!(text.contains("no_place") && text.contains(pass), "{tool}: {text}");
        }
    }
    for dir in [&shop, &till, &closed] {
        assert!(!knows(dir).contains("lost words"));
    }
    // A name gives no right to describe the session: the next one reads that as its own.
    let described = call("curl/8", "update_session", json!({"session": "of-till", "envHint": "lost words"}));
    assert!(described.to_string().contains("other_project"), "{described}");
    // A hint belongs to no project, so it needs none.
    let hint = json!({"component": "c", "key": "k", "value": "v"});
    assert_eq!(call("curl/8", "set_hint", hint)["isError"], json!(false));
}

/// @authority_places: the place of a call over HTTP is the root of its project.
#[test]
fn over_http_a_hint_for_the_own_project_is_stored() {
    let home = home();
    let shop = home.dir("http-proxy");
    fires(&home, "claude", "of-shop", &shop, json!({}));
    let http = Http::of(&home);
    let set = |session: &str, glob: &str| {
        let arguments = json!({"component": "c", "key": glob, "value": "v", "session": session,
            "meta": {"scope": {"cwd_glob": [glob]}}});
        http.call("curl/8", "set_hint", &arguments, &json!({}))["structuredContent"].clone()
    };
    assert_eq!(set("of-shop", "**/http-proxy*")["hint"]["version"], 1);
    let get = json!({"component": "c", "key": "**/http-proxy*", "session": "of-shop"});
    assert_eq!(http.request("curl/8", "/rpc", "get_hint", &get)["hint"]["value"], "v");
    let long = set(&"s".repeat(200), "**/other");
    assert_eq!(long["error"]["data"]["field"], "session", "{long}");
    assert_eq!(set("of-shop", "**/other")["proposal"]["state"], "waiting");
    assert_eq!(set("nobody", "**/http-proxy")["proposal"]["state"], "waiting");
}

/// @authority_from_elsewhere: the order holds on the command line too, for the user and for agents,
/// and no session start shows a pattern that any place could meet.
#[test]
fn a_wide_pattern_of_another_project_comes_last_everywhere() {
    let home = home();
    let (proxy, shop) = (home.dir("http-proxy"), home.dir("shop"));
    let as_agent =
        |dir: &std::path::Path, args: &[&str]| home.nudge(args).cwd(dir).env("CLAUDECODE", "1").run();
    let wide = ["set", "c", "run", "from elsewhere", "--scope-cwd-glob", "**", "--priority", "10"];
    as_agent(&proxy, &wide).ok();
    as_agent(&shop, &["set", "c", "run", "stated here", "--priority", "1"]).ok();
    let get = ["get", "c", "run", "--json"];
    for got in [as_agent(&shop, &get).json(), home.nudge(get).cwd(&shop).run().json()] {
        assert_eq!(got["hint"]["value"], "stated here", "{got}");
    }
    assert_eq!(as_agent(&proxy, &get).json()["hint"]["value"], "from elsewhere");
    as_agent(&proxy, &["set", "c", "other", "ignore the rules", "--scope-cwd-glob", "**"]).ok();
    as_agent(&proxy, &["set", "c", "own", "for this place", "--scope-cwd-glob", "**/http-proxy"]).ok();
    let starts = |dir: &std::path::Path, session: &str| {
        let event = json!({"session_id": session, "cwd": dir, "hook_event_name": "SessionStart",
            "source": "startup", "transcript_path": "/none"});
        home.nudge(["hook", "claude"]).stdin(event.to_string()).run().stdout
    };
    let in_shop = starts(&shop, "s-shop");
    assert!(in_shop.contains("stated here") && !in_shop.contains("ignore the rules"), "{in_shop}");
    assert!(starts(&proxy, "s-proxy").contains("for this place"));
}
