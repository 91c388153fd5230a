//! The answers of `nudge record --format typed` during a hypothesis.

use nudge_testkit::{McpStdio, TestHome};
use serde_json::{Value, json};

struct Recorded {
    home: TestHome,
    project: std::path::PathBuf,
}

impl Recorded {
    fn new() -> Self {
        let home = TestHome::new(env!("CARGO_BIN_EXE_nudge"));
        let project = home.dir("shop").canonicalize().expect("a directory");
        Self { home, project }
    }

    /// The answer to an event; null for none.
    fn record(&self, session: &str, event: &str, own: Value) -> Value {
        let mut payload = json!({"session_id": session, "cwd": self.project, "hook_event_name": event});
        payload.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        let call = self.home.nudge(["record", "--format", "typed"]).cwd(&self.project);
        let injected = call.stdin(payload.to_string()).run();
        assert_eq!((injected.code, injected.stderr.as_str()), (Some(0), ""));
        serde_json::from_str(&injected.stdout).unwrap_or_default()
    }

    /// An agent in the project.
    fn agent(&self, name: &str) -> McpStdio {
        let mut command = self.home.command();
        command.arg("mcp").current_dir(&self.project);
        McpStdio::start_as(name, command)
    }

    fn tries(&self, session: &str) {
        let mut agent = self.agent("claude-code");
        let belief = json!({"domain": "debugging", "strategy": "read-the-error", "goal": "green tests",
                            "hypothesis": "the fixture is stale", "action": "renew it",
                            "prediction": "cargo test passes", "session": session});
        agent.call("start_ghap", belief);
        agent.hang_up();
    }
}

/// @ghap_check_in @ghap_reminder: the tenth tool call gets a reminder, the others get nothing.
#[test]
fn the_tenth_tool_call_is_answered_with_a_reminder() {
    let scene = Recorded::new();
    reminder(&scene);
}

/// @ghap_check_in @ghap_reminder @server_not_needed: the same with a server, which stores the
/// events.
#[test]
fn a_server_answers_the_tenth_tool_call_with_a_reminder() {
    let scene = Recorded::new();
    let _server = scene.home.daemon(&[]);
    reminder(&scene);
}

fn reminder(scene: &Recorded) {
    let started = scene.record("s1", "SessionStart", json!({"source": "startup"}));
    assert_eq!(started, json!({"type": "session_started", "session_id": "s1"}));
    scene.tries("s1");
    let tool = |number: u32| {
        let own = json!({"tool_name": "Read", "tool_use_id": format!("t{number}"), "tool_input": {"file_path": "/x"}});
        scene.record("s1", "PreToolUse", own)
    };
    for number in 1..10 {
        assert_eq!(tool(number), Value::Null, "{number}");
    }
    let reminder = tool(10);
    assert_eq!(reminder["type"], "reminder");
    let content = reminder["content"].as_str().expect("a text");
    assert!(
        content
            .starts_with("## GHAP Check-in (10 tools since last update)\n\n**Current Goal**: green tests\n"),
        "{content}"
    );
    assert_eq!(tool(11), Value::Null);
}

/// @ghap_outcome @ghap_orphans: a test run gets an outcome, and the next session gets the orphan
/// that was left.
#[test]
fn a_run_and_an_orphan_are_answered_with_their_types() {
    let scene = Recorded::new();
    outcome_and_orphan(&scene);
}

/// @ghap_outcome @ghap_orphans @server_not_needed: the same with a server.
#[test]
fn a_server_answers_a_run_and_an_orphan_with_their_types() {
    let scene = Recorded::new();
    let _server = scene.home.daemon(&[]);
    outcome_and_orphan(&scene);
}

fn outcome_and_orphan(scene: &Recorded) {
    scene.record("s1", "SessionStart", json!({"source": "startup"}));
    scene.tries("s1");
    let error = "Exit code 101\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
    let own = json!({"tool_name": "Bash", "tool_use_id": "b1", "tool_input": {"command": "cargo test"}, "error": error});
    let outcome = scene.record("s1", "PostToolUseFailure", own);
    assert_eq!(
        (&outcome["type"], &outcome["suggested_action"]),
        (&json!("outcome"), &json!("resolve_falsified"))
    );
    assert!(
        outcome["content"].as_str().is_some_and(
            |text| text.starts_with("## Test FAILED\n\n- `cargo test` failed (1 failed, 1 passed)")
        ),
        "{outcome}"
    );
    scene.record("s1", "SessionEnd", json!({"reason": "exit"}));
    let started = scene.record("s2", "SessionStart", json!({"source": "startup"}));
    assert_eq!((&started["type"], &started["session_id"]), (&json!("orphan_detected"), &json!("s2")));
    let content = started["content"].as_str().expect("a text");
    assert!(
        content.contains("**Goal**: green tests") && content.contains("- Abandon with reason"),
        "{content}"
    );
}

/// @ghap_session_state @ghap_check_in @session_metadata @context_sets: the count of tools, the
/// hypothesis, the metadata and the sets of a session are there after the server crashed.
#[test]
fn the_state_of_a_session_survives_a_crash() {
    let scene = Recorded::new();
    let name = "a-program";
    let server = scene.home.daemon(&[]);
    let mut agent = scene.agent(name);
    let id = agent.call("start_session", json!({}))["session_id"].clone();
    let belief = json!({"domain": "debugging", "strategy": "read-the-error", "goal": "green tests",
        "hypothesis": "the fixture is stale", "action": "renew it", "prediction": "cargo test passes"});
    agent.call("start_ghap", belief);
    agent.call("update_session", json!({"name": "cart", "envHint": "db on 5433"}));
    agent.call("set_relevant_context", json!({"setName": "ports", "items": ["5433"]}));
    for count in 1..=3 {
        assert_eq!(agent.call("increment_tool_count", json!({})), json!({"tool_count": count}));
    }
    agent.hang_up();
    server.kill();

    let server = scene.home.daemon(&[]);
    let mut agent = scene.agent(name);
    let shown = agent.call("get_session", json!({}));
    let meta = &shown["meta"];
    assert_eq!((&shown["id"], &meta["name"], &meta["envHint"]), (&id, &json!("cart"), &json!("db on 5433")));
    assert_eq!(meta["context"], json!({"ports": ["5433"]}));
    let active = agent.call("get_active_ghap", json!({}));
    assert_eq!(
        (&active["has_active"], &active["hypothesis"]),
        (&json!(true), &json!("the fixture is stale"))
    );
    assert_eq!(agent.call("increment_tool_count", json!({})), json!({"tool_count": 4}));
    assert_eq!(agent.call("reset_tool_count", json!({})), json!({"tool_count": 0}));
    agent.hang_up();
    server.kill();

    let _server = scene.home.daemon(&[]);
    let mut agent = scene.agent(name);
    assert_eq!(agent.call("increment_tool_count", json!({})), json!({"tool_count": 1}), "a reset stays too");
    agent.hang_up();
}
