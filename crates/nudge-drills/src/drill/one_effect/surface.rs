//! The ways to call Nudge that are compared.

use std::fmt::Write as _;

use anyhow::Context;
use nudge_testkit::McpStdio;
use nudge_testkit::raw_http::Request;
use serde_json::{Value, json};

use super::sequence::Verb;
use crate::stage::{Daemon, Home, Socket, free_port};

/// A way to call Nudge.
pub(super) trait Surface {
    fn name(&self) -> &'static str;

    /// Calls a verb, and returns whether the call as a whole was refused.
    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool>;

    /// Ends what it started.
    fn close(self: Box<Self>) -> anyhow::Result<()>;
}

/// Opens a surface in an empty home.
type Open = fn(&Home) -> anyhow::Result<Box<dyn Surface>>;

/// All five. The first is the one that the others are compared with.
pub(super) const SURFACES: [Open; 5] = [
    |home| Ok(Box::new(Stdio(server(home)?))),
    |home| Ok(Box::new(Rpc(Daemon::start(home)?))),
    |home| {
        let daemon = Daemon::start(home)?;
        Ok(Box::new(Ws { socket: daemon.connect()?, _daemon: daemon }))
    },
    |home| Ok(Box::new(CommandLine(Home::at(home.path().to_owned(), home.binary().to_owned())?))),
    |home| Ok(Box::new(Tags(server(home)?))),
];

/// `nudge mcp`, and the client of it.
fn server(home: &Home) -> anyhow::Result<McpStdio> {
    let port = free_port()?.to_string();
    Ok(McpStdio::start_as("one-effect", home.nudge(&["mcp", "--port", &port])))
}

// MCP over standard input and output, one tool call for each verb.

struct Stdio(McpStdio);

impl Surface for Stdio {
    fn name(&self) -> &'static str {
        "MCP"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let answer = self.0.request("tools/call", json!({"name": verb.name, "arguments": verb.params}));
        Ok(answer.get("error").is_some() || answer["result"]["isError"] == true)
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.0.hang_up();
        Ok(())
    }
}

// `/ws`: one connection, one message for each verb.

/// A server in the background, and a connection to it. The connection is closed first.
struct Ws {
    socket: Socket,
    _daemon: Daemon,
}

impl Surface for Ws {
    fn name(&self) -> &'static str {
        "/ws"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        Ok(self.socket.call(verb.name, &verb.in_session())?.get("error").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.socket.close()
    }
}

// `POST /rpc`, one request for each verb.

/// A server in the background, and its token.
struct Rpc(Daemon);

impl Surface for Rpc {
    fn name(&self) -> &'static str {
        "/rpc"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": verb.name, "params": verb.in_session()});
        let Daemon { port, token, .. } = &self.0;
        let request = Request::new("POST", "/rpc", *port).token(token);
        let reply = request.header("Content-Type", "application/json").body(call.to_string()).send(*port);
        anyhow::ensure!(reply.status == 200, "/rpc answers {reply:?}");
        Ok(reply.json().get("error").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        Ok(())
    }
}

// The command line as an agent uses it: `nudge entry`, one process for each verb.

/// The exit code for a wrong command line, and for input that is refused.
const USAGE_EXIT: i32 = 2;

/// A home without a server.
struct CommandLine(Home);

impl Surface for CommandLine {
    fn name(&self) -> &'static str {
        "the command line"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let args = arguments(verb);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output =
            self.0.nudge(&args).env("CLAUDECODE", "1").output().context("nudge cannot be started")?;
        // Every answer is JSON, and every fault too. Anything else is a command line that is wrong.
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let is_json = said.iter().any(|text| serde_json::from_str::<Value>(text.trim()).is_ok());
        anyhow::ensure!(is_json, "nudge {} says {}", args.join(" "), said.concat().trim());
        Ok(output.status.code() == Some(USAGE_EXIT) || said[0].trim().is_empty())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        Ok(())
    }
}

/// The arguments after `nudge`.
fn arguments(verb: &Verb) -> Vec<String> {
    let mut args = vec!["entry".to_owned(), verb.name.to_owned(), "--json".to_owned()];
    for name in ["line", "limit", "max", "status"] {
        if let Some(number) = verb.params.get(name) {
            args.push(format!("--{name}={number}"));
        }
    }
    for name in ["visibility", "state", "outcome", "summary", "filter", "run"] {
        if let Some(text) = verb.text(name) {
            args.push(format!("--{name}={text}"));
        }
    }
    for (name, flag) in [("preview", "--preview"), ("manifest", "--preview"), ("raw", "--raw")] {
        if verb.is(name) {
            args.push(flag.to_owned());
        }
    }
    for (name, value) in verb.attributes() {
        args.push(format!("--attr={name}={value}"));
    }
    if matches!(verb.name, "rm" | "set") {
        args.push("--yes".to_owned());
    }
    args.push("--".to_owned());
    args.extend(["path", "to", "body"].iter().filter_map(|name| verb.text(name)).map(str::to_owned));
    args
}

// Tags as a model writes them, carried out by `apply_tags` over MCP.

/// A server that gets a model's output.
struct Tags(McpStdio);

impl Surface for Tags {
    fn name(&self) -> &'static str {
        "tags"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let mut arguments = json!({"text": format!("I go on.\n\n{}\n", written(verb))});
        if let Some(run) = verb.text("run") {
            arguments["run"] = run.into();
        }
        let answer = self.0.request("tools/call", json!({"name": "apply_tags", "arguments": arguments}));
        let answer = &answer["result"]["structuredContent"];
        let calls = answer["calls"].as_array().map_or(0, Vec::len);
        anyhow::ensure!(calls == 1, "{} is read as {calls} calls: {answer}", written(verb));
        Ok(answer["calls"][0].get("why").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        self.0.hang_up();
        Ok(())
    }
}

/// The tag of a verb.
fn written(verb: &Verb) -> String {
    let name = verb.name;
    let mut tag = format!("<{name}");
    // `get` has its filter as the body; for the others it is an attribute.
    for (field, value) in &verb.params {
        match value {
            Value::String(text) if !matches!(field.as_str(), "body" | "run") => {
                attribute(&mut tag, field, text);
            }
            Value::Number(number) => attribute(&mut tag, field, &number.to_string()),
            Value::Bool(true) => attribute(&mut tag, field, "true"),
            _ => {}
        }
    }
    for (fact, value) in verb.attributes() {
        attribute(&mut tag, fact, value);
    }
    match verb.text("body") {
        Some(body) if name == "get" => format!("{tag}>{body}</{name}>"),
        // One newline after the open tag and one before the close tag are not part of a body.
        Some(body) => format!("{tag}>\n{body}\n</{name}>"),
        None => format!("{tag}/>"),
    }
}

fn attribute(tag: &mut String, name: &str, value: &str) {
    let value = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    // Writing to a string does not fail.
    let _ = write!(tag, " {name}=\"{value}\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_is_written_as_a_tag() {
        let set = Verb::new("set")
            .with("path", "known://a")
            .with("body", "two\nlines")
            .with("raw", true)
            .with("run", "alpha")
            .with("attributes", json!({"owner": "\"ada\""}));
        assert_eq!(
            written(&set),
            "<set path=\"known://a\" raw=\"true\" owner=\"&quot;ada&quot;\">\ntwo\nlines\n</set>"
        );
        let get = Verb::new("get").with("path", "known://**").with("body", "token").with("max", 2);
        assert_eq!(written(&get), "<get path=\"known://**\" max=\"2\">token</get>");
    }
}
