//! A home with several projects in it, and everybody who works there.

use std::path::{Path, PathBuf};

use nudge_core::Fault;
use nudge_memory::Memory;
use nudge_testkit::raw_http::{Request, free_port};
use nudge_testkit::{McpStdio, Outcome, Server, TestHome};
use serde_json::{Value, json};

/// The remote address of the user's shop.
pub(crate) const REMOTE: &str = "https://github.com/ada/shop.git";

/// A user's machine.
pub(crate) struct Scene {
    pub(crate) home: TestHome,
}

impl Scene {
    pub(crate) fn new() -> Self {
        Self { home: TestHome::new(env!("CARGO_BIN_EXE_nudge")) }
    }

    /// A real directory below HOME.
    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        self.home.dir(name).canonicalize().expect("a directory")
    }

    /// A repository below HOME.
    pub(crate) fn repository(&self, name: &str, remote: Option<&str>) -> PathBuf {
        let dir = self.dir(name);
        nudge_testkit::git::repository(&dir, remote, "main");
        dir
    }

    /// A session makes a request, edits a file and runs a command; each contains the word.
    pub(crate) fn work(&self, session: &str, cwd: &Path, word: &str) {
        self.event(session, cwd, "SessionStart", json!({"source": "startup"}));
        self.event(
            session,
            cwd,
            "UserPromptSubmit",
            json!({"prompt": format!("mend the {word} of the till")}),
        );
        let edit =
            json!({"file_path": cwd.join(format!("{word}.rs")), "old_string": "a", "new_string": word});
        self.event(
            session,
            cwd,
            "PostToolUse",
            json!({"tool_name": "Edit", "tool_use_id": format!("e-{session}"), "tool_input": edit}),
        );
        let ran = json!({"command": format!("cargo test {word}")});
        self.event(session, cwd, "PostToolUse", json!({"tool_name": "Bash", "tool_use_id": format!("b-{session}"), "tool_input": ran, "tool_response": {"stdout": word}}));
    }

    /// Stores an event; returns the answer.
    pub(crate) fn event(&self, session: &str, cwd: &Path, name: &str, more: Value) -> String {
        let mut event = json!({"session_id": session, "cwd": cwd, "hook_event_name": name});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.home.nudge(["record"]).stdin(event.to_string()).run().ok()
    }

    /// What is injected into a session that begins there.
    pub(crate) fn begin(&self, session: &str, cwd: &Path) -> String {
        let event = json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
        self.home.nudge(["hook", "claude"]).stdin(event.to_string()).run().ok()
    }

    /// Runs a command there as the user.
    pub(crate) fn run_as_user<const N: usize>(&self, cwd: &Path, args: [&str; N]) -> Outcome {
        self.home.nudge(args).cwd(cwd).run()
    }

    /// An agent with a server that was started there.
    pub(crate) fn agent(&self, cwd: &Path) -> McpStdio {
        let mut command = self.home.command();
        command.args(["mcp", "--profile", "full"]).current_dir(cwd);
        McpStdio::start(command)
    }

    /// The memory, opened while others may have it open.
    pub(crate) fn memory(&self) -> Memory {
        nudge_testkit::memory::open(&self.home, nudge_core::Timestamp::from_millis(1))
    }

    /// The key of an entry's project, and the key in its provenance.
    pub(crate) fn keys_of(&self, id: i64) -> (Option<String>, Option<String>) {
        let memory = self.memory();
        let read = memory.store().read(|reader| {
            let entry = reader.entry_by_id(nudge_core::EntryId(id))?.expect("an entry");
            let scope = match entry.scope {
                nudge_core::Scope::Project(key) => Some(key),
                _ => None,
            };
            Ok::<_, Fault>((scope, entry.origin.project))
        });
        read.expect("read")
    }

    /// The projects, listed by the user there.
    pub(crate) fn projects(&self, cwd: &Path) -> Vec<Value> {
        let listed = self.run_as_user(cwd, ["project", "ls", "--json"]).json();
        listed["projects"].as_array().expect("a list").clone()
    }

    /// The only project with that name.
    pub(crate) fn project(&self, cwd: &Path, name: &str) -> Value {
        let mut named: Vec<Value> =
            self.projects(cwd).into_iter().filter(|one| one["name"] == name).collect();
        assert_eq!(named.len(), 1, "{name}: {:?}", self.projects(cwd));
        named.remove(0)
    }
}

/// A server with its port and token.
pub(crate) struct Http<'a> {
    port: u16,
    token: String,
    _server: Server<'a>,
}

impl<'a> Http<'a> {
    pub(crate) fn open(home: &'a TestHome) -> Self {
        let port = free_port();
        let server = home.daemon(&["--port", &port.to_string()]);
        let token = std::fs::read_to_string(home.memory().join("run/token")).expect("a server has a token");
        Self { port, token: token.trim().to_owned(), _server: server }
    }

    /// Calls an operation over `/rpc`; returns its result or its error.
    pub(crate) fn rpc(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post("/rpc", &body)
    }

    /// Calls a tool over `/mcp`, with the session that the call claims.
    pub(crate) fn mcp(&self, tool: &str, arguments: &Value, session: &str) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"threadId": session}});
        self.post("/mcp", &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let request = Request::new("POST", path, self.port)
            .token(&self.token)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        request.body(body.to_string()).send(self.port).json()
    }
}

/// Asserts that a tool's result is an error with this reason.
#[track_caller]
pub(crate) fn assert_refused(result: &Value, reason: &str) {
    assert_eq!(result["isError"], json!(true), "{result}");
    assert!(result.to_string().contains(reason), "{result}");
}
