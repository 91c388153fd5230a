//! MCP over standard input and output: `nudge mcp`, one tool call for each verb.

use std::io::Write;
use std::process::{Child, ChildStdin, Stdio as Pipe};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::surface::Surface;
use super::verb::Verb;
use crate::stage::{Home, free_port, lines_of};

/// Longer than any call takes on a busy machine.
const WITHIN: Duration = Duration::from_secs(60);

/// A running server and the client of it.
pub(super) struct Stdio {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    last_id: u64,
}

impl Stdio {
    /// Starts the server and completes the handshake.
    pub(super) fn open(home: &Home) -> anyhow::Result<Self> {
        let port = free_port()?.to_string();
        let mut command = home.nudge(&["mcp", "--port", &port]);
        command.stdin(Pipe::piped()).stdout(Pipe::piped()).stderr(Pipe::null());
        let mut child = command.spawn().context("nudge cannot be started")?;
        let stdin = child.stdin.take().context("standard input is piped")?;
        let lines = lines_of(child.stdout.take().context("standard output is piped")?);
        let mut client = Self { child, stdin, lines, last_id: 0 };
        client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "one-effect", "version": "1"},
            }),
        )?;
        client.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Calls a tool and returns the result, or the error of the protocol.
    pub(super) fn tool(&mut self, name: &str, arguments: Value) -> anyhow::Result<Value> {
        self.ask("tools/call", &json!({"name": name, "arguments": arguments}))
    }

    /// Ends the input and waits for the server.
    pub(super) fn hang_up(mut self) -> anyhow::Result<()> {
        drop(self.stdin);
        self.child.wait().map(drop).context("a server does not end")
    }

    fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        writeln!(self.stdin, "{message}")?;
        Ok(self.stdin.flush()?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let line = self.lines.recv_timeout(WITHIN).context("the server does not answer")?;
            let message: Value = serde_json::from_str(&line).with_context(|| format!("not JSON: {line}"))?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }
}

impl Surface for Stdio {
    fn name(&self) -> &'static str {
        "MCP"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let answer = self.tool(verb.name, Value::Object(verb.params.clone()))?;
        Ok(answer.get("error").is_some() || answer["result"]["isError"] == true)
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.hang_up()
    }
}
