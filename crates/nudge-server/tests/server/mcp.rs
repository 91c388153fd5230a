//! MCP over stdio.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;

use nudge_agent::registry;
use nudge_home::settings::Profile;
use serde_json::{Value, json};

use crate::kit::{Machine, Server, at, hint};

/// The tools are the registry's default profile, in its order. @mcp_profiles
#[test]
fn the_default_tools_are_listed_in_order() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    let listed = server.request("tools/list", json!({}));
    let names: Vec<_> =
        listed["result"]["tools"].as_array().expect("a list").iter().map(|t| t["name"].clone()).collect();
    let expected: Vec<_> =
        registry::listed(Profile::Default).map(|operation| json!(operation.name)).collect();
    assert_eq!(names, expected);
}

/// An unlisted tool and the dotted names can be called; an unknown one is a protocol error.
/// @mcp_stdio
#[test]
fn unlisted_and_dotted_names_are_answered() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    server.call("nudge.set_hint", hint("build", "make"));
    assert_eq!(server.call("nudge.get_hint", at("build"))["hint"]["value"], json!("make"));
    server.call("hint_stats", json!({}));
    let unknown = server.request("tools/call", json!({"name": "get_hnit", "arguments": {}}));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["nearest"]),
        (&json!(-32602), &json!("get_hint"))
    );
}

/// Failures are tool errors with id, number, reason and next step, as text and structure.
/// @mcp_tool_errors @error_model
#[test]
fn a_failure_is_a_tool_error_with_its_number() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    let failed =
        server.request("tools/call", json!({"name": "get_hint", "arguments": at("nothing")}))["result"]
            .clone();
    assert_eq!(failed["isError"], json!(true));
    let error = &failed["structuredContent"]["error"];
    assert_eq!((&error["id"], &error["code"]), (&json!("E_NOT_FOUND"), &json!(40401)));
    assert!(error["data"]["reason"].is_string());
    let text = failed["content"][0]["text"].as_str().expect("text");
    assert!(text.starts_with("E_NOT_FOUND (40401): "), "{text}");
}

/// Text and structured content carry the same facts. @mcp_stdio
#[test]
fn text_and_structure_agree() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    server.call("set_hint", hint("build", "make"));
    let result =
        server.request("tools/call", json!({"name": "get_hint", "arguments": at("build")}))["result"].clone();
    let text: Value =
        serde_json::from_str(result["content"][0]["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(text, result["structuredContent"]);
}

/// The text of a result about context sets is the line, or the sets themselves; in PRIMARY and in
/// PROXY. @context_set_tool @context_get
#[test]
fn context_sets_are_answered_in_words() {
    let machine = Machine::new();
    let _primary = machine.serve_alone(json!({}));
    let mut server = machine.serve(json!({})).greet();
    let mut text = |tool: &str, arguments: Value| {
        let result =
            server.request("tools/call", json!({"name": tool, "arguments": arguments}))["result"].clone();
        assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{result}");
        (result["content"][0]["text"].as_str().expect("text").to_owned(), result["structuredContent"].clone())
    };
    let none = text("get_relevant_context", json!({})).0;
    assert_eq!(none, "No context stored for this session");
    let files = json!({"setName": "files", "items": ["/w/spec.md"]});
    let (said, structured) = text("set_relevant_context", files.clone());
    assert_eq!((said.as_str(), &structured["items"]), ("Set files: 1 item", &json!(1)));
    assert_eq!(text("set_relevant_context", files).0, "Set files: 1 item\nUnchanged: 1 item in files");
    let (said, structured) = text("get_relevant_context", json!({"setName": "files"}));
    assert_eq!(said, r#"{"files":["/w/spec.md"]}"#);
    assert_eq!(structured, json!({"context": {"files": ["/w/spec.md"]}}));
    assert_eq!(text("get_relevant_context", json!({"setName": "ports"})).0, r#"{"ports":[]}"#);
    let mistyped = text("set_relevant_context", json!({"setName": "fles", "items": ["/w/a.md"]})).0;
    assert_eq!(mistyped, "Set fles: 1 item\nunknown set name \"fles\"; did you mean \"files\"?");
    let cleared = text("set_relevant_context", json!({"setName": "files", "items": []})).0;
    assert_eq!(cleared, "Cleared files");
}

/// The directory and environment of the process replace a missing context, in PRIMARY and in PROXY;
/// of the environment only the names that conditions mention. @hint_context
#[test]
fn the_servers_own_surroundings_decide_eligibility() {
    let machine = Machine::new();
    let _primary = machine.serve_alone(json!({}));
    let conditions = json!({"os": [os()], "env_match": {"STAGE": "dev"}});
    let mut params = hint("deploy", "make deploy");
    params["meta"] = json!({"scope": conditions});
    machine.call("set_hint", params);
    let eligible = |variables: BTreeMap<&str, &str>| {
        let mut server =
            Server::start(machine.command(json!({})).envs(variables).stdin(Stdio::piped())).greet();
        server.request("tools/call", json!({"name": "get_hint", "arguments": at("deploy")}))["result"]["isError"].clone()
    };
    assert_eq!(eligible(BTreeMap::from([("STAGE", "dev")])), json!(false));
    assert_eq!(eligible(BTreeMap::from([("STAGE", "prod")])), json!(true));
    assert_eq!(eligible(BTreeMap::new()), json!(true));
}

/// Agents on Node connect stdio with sockets instead of pipes. @mcp_stdio
#[test]
fn a_client_on_sockets_is_served_like_one_on_pipes() {
    let machine = Machine::new();
    let (input, theirs) = UnixStream::pair().expect("a pair");
    let (output, ours) = UnixStream::pair().expect("a pair");
    let mut command = machine.command(json!({}));
    command.stdin(Stdio::from(OwnedFd::from(theirs))).stdout(Stdio::from(OwnedFd::from(ours)));
    let mut child = command.spawn().expect("this binary starts");
    drop(command);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "kit", "version": "0"}}});
    writeln!(&input, "{hello}").expect("sent");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    assert!(lines.any(|line| line.contains("serverInfo")));
    drop(input);
    assert_eq!(lines.filter(|line| line.contains("jsonrpc")).count(), 0);
    assert!(child.wait().expect("it leaves").success());
}

/// A line that cannot be parsed is answered under its id, if one can be found, and the next is
/// served. @mcp_stdio
#[test]
fn what_cannot_be_read_is_answered_under_its_id() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    let call = |id: i64, value: &[u8]| {
        let mut line =
            br#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"get_hint","arguments":"#.to_vec();
        line.extend_from_slice(value);
        line.extend_from_slice(format!("}},\"id\":{id}}}").as_bytes());
        line
    };
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let long = format!("\"{}\"", "x".repeat(17 * 1024 * 1024));
    for (value, code) in [
        (&br#"{"key":"\ud800"}"#[..], -32700),
        (deep.as_bytes(), -32700),
        (b"1e400", -32700),
        (b"\"\xff\xfe\"", -32700),
        (b"{,}", -32700),
        (long.as_bytes(), -32700),
        (b"[1]", -32602),
        (b"7", -32602),
    ] {
        let id = server.next_id();
        server.send_bytes(&call(id, value));
        let answer = server.answer(id);
        let shown = String::from_utf8_lossy(&value[..value.len().min(40)]);
        assert_eq!(answer["error"]["code"], json!(code), "{shown}: {answer}");
    }
    for (line, code) in [(&b"hello"[..], -32700), (b"[]", -32600), (b"null", -32600), (b"{\"a\":", -32700)] {
        server.send_bytes(line);
        let answer = server.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
    }
    server.send_bytes(b"");
    server.call("list_components", json!({}));
}

fn os() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { "linux" }
}
