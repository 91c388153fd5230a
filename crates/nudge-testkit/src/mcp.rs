//! A minimal MCP client over stdio: one JSON-RPC message per line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long one answer may take. Generous, because the machine may be busy building.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// A running stdio server and the client's end of it. The process is killed on drop.
pub struct McpStdio {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: i64,
    /// The server's answer to `initialize`.
    pub greeting: Value,
}

impl McpStdio {
    /// Starts the command, which must be a stdio server, and initialises it.
    pub fn start(command: Command) -> Self {
        Self::start_as("nudge-testkit", command)
    }

    /// The same, with another client name.
    pub fn start_as(name: &str, mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the binary under test starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut client = Self { child, stdin, lines, last_id: 0, greeting: Value::Null };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": name, "version": "0"},
        });
        client.greeting = client.request("initialize", hello)["result"].clone();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    /// The process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a request and waits for its answer.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let deadline = Instant::now() + ANSWER_WITHIN;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {method} within {ANSWER_WITHIN:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server ended before it answered {method}"),
            };
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line}"));
            if message.get("id").and_then(Value::as_i64) == Some(id) {
                return message;
            }
        }
    }

    /// Calls a tool that must succeed; returns its structured content.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call_raw(tool, arguments);
        assert_ne!(result["isError"], json!(true), "{tool} failed: {result}");
        result["structuredContent"].clone()
    }

    /// Calls a tool and returns its whole result, error or not.
    #[track_caller]
    pub fn call_raw(&mut self, tool: &str, arguments: Value) -> Value {
        let message = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        message.get("result").cloned().unwrap_or_else(|| panic!("{tool} has no result: {message}"))
    }

    /// The names of the listed tools.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<String> {
        let message = self.request("tools/list", json!({}));
        let tools = message["result"]["tools"].as_array().expect("tools/list answers a list");
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    }

    /// Closes the server's input and waits for it to exit.
    pub fn hang_up(mut self) {
        self.stdin = None;
        let deadline = Instant::now() + ANSWER_WITHIN;
        while self.child.try_wait().expect("the child can be waited for").is_none() {
            assert!(Instant::now() < deadline, "the server outlives its input");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn send(&mut self, message: &Value) {
        let pipe = self.stdin.as_mut().expect("the input is open until hang_up");
        writeln!(pipe, "{message}").and_then(|()| pipe.flush()).expect("the server reads its input");
    }
}

impl Drop for McpStdio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
