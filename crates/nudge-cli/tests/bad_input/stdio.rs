//! Lines on a server's standard input that are not messages.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::bad_input::home;

/// Whatever a client writes, the server prints only messages and keeps running. @bad_input_refused
#[test]
fn garbage_on_standard_input_does_not_end_a_server() {
    let home = home();
    let mut child = home
        .command()
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary under test starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let deep = "[".repeat(100_000);
    let garbage: [&[u8]; 9] = [
        b"",
        b"hello",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"{\"jsonrpc\":\"1.0\"}",
        b"GET / HTTP/1.1\r",
        deep.as_bytes(),
    ];
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}});
    let mut send = |bytes: &[u8]| {
        stdin.write_all(bytes).and_then(|()| stdin.write_all(b"\n")).expect("the server reads its input");
    };
    send(hello.to_string().as_bytes());
    send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    garbage.into_iter().for_each(&mut send);
    send(br#"{"jsonrpc":"2.0","id":2,"method":"no/such/thing"}"#);
    send(br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such_tool"}}"#);
    send(br#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"list_components","arguments":{}}}"#);
    drop(stdin);
    let output = child.wait_with_output().expect("the server ends with its input");
    let said = String::from_utf8(output.stdout).expect("messages are text");
    let messages: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let reply = |id: i64| {
        messages
            .iter()
            .find(|message| message["id"] == id)
            .unwrap_or_else(|| panic!("no reply to {id}: {said}"))
    };
    // Every line of garbage except the empty one gets an answer. The answer has no id, because the
    // line had none.
    let codes = messages.iter().filter(|message| message["id"].is_null());
    let codes: Vec<_> = codes.map(|message| message["error"]["code"].clone()).collect();
    assert_eq!(codes, [-32700, -32700, -32600, -32600, -32700, -32600, -32700, -32700]);
    assert_eq!(reply(2)["error"]["code"], -32601);
    assert!(reply(3)["error"]["code"].is_i64(), "{}", reply(3));
    assert_eq!(reply(4)["result"]["structuredContent"], json!({"components": []}));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
