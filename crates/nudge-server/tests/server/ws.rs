//! `/ws`: who gets in, the same answers as `/rpc`, the catalogue, projects, and limits.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::kit::{Machine, at, hint};
use crate::live::{Agent, ask, served};
use crate::web_socket::{Socket, connect};

/// The answer of `/rpc` to the same text.
#[track_caller]
fn over_rpc(machine: &Machine, text: &str) -> Value {
    let bearer = format!("Bearer {}", machine.token());
    machine.post("/rpc", &[("Authorization", &bearer)], text).json
}

/// @ws_rules: a client shows the token in the Authorization header, or among the protocols.
#[test]
fn the_token_opens_the_connection() {
    let (machine, _server) = served();
    let token = machine.token();
    let (mut socket, response) =
        connect(&machine, &[("Authorization", &format!("Bearer {token}"))]).expect("let in");
    assert!(response.headers().get("sec-websocket-protocol").is_none());
    let hello = socket.hear();
    assert_eq!(
        hello,
        json!({"jsonrpc": "2.0", "method": "nudge/hello",
            "params": {"nudgeVersion": nudge_client::VERSION, "version": nudge_client::VERSION}})
    );
    let own = format!("http://127.0.0.1:{}", machine.status().port.expect("a port"));
    let offer = format!("nudge.v1, token.{token}");
    let (mut browser, response) =
        connect(&machine, &[("Sec-WebSocket-Protocol", &offer), ("Origin", &own)]).expect("let in");
    assert_eq!(response.headers()["sec-websocket-protocol"], "nudge.v1");
    assert!(!format!("{response:?}").contains(&token));
    assert_eq!(browser.hear()["method"], json!("nudge/hello"));
}

/// @ws_rules: without the token, or from elsewhere, nothing is upgraded.
#[test]
fn nobody_else_gets_in() {
    let (machine, _server) = served();
    let token = machine.token();
    let bearer = format!("Bearer {token}");
    let offer = format!("nudge.v1, token.{token}");
    let refused =
        |headers: &[(&'static str, &str)]| connect(&machine, headers).map(drop).expect_err("rejected");
    assert_eq!(refused(&[]), 401);
    assert_eq!(refused(&[("Authorization", "Bearer wrong")]), 401);
    assert_eq!(refused(&[("Sec-WebSocket-Protocol", "nudge.v1, token.wrong")]), 401);
    assert_eq!(refused(&[("Sec-WebSocket-Protocol", &format!("{offer}, token.{token}"))]), 401);
    assert_eq!(refused(&[("Authorization", "Bearer wrong"), ("Sec-WebSocket-Protocol", &offer)]), 401);
    assert_eq!(refused(&[("Authorization", &bearer), ("Origin", "http://evil.example")]), 403);
    assert_eq!(refused(&[("Authorization", &bearer), ("Host", "evil.example")]), 403);
    assert_eq!(refused(&[("Authorization", &bearer), ("Sec-WebSocket-Protocol", "chat")]), 400);
    assert_eq!(machine.request("GET", &format!("/ws?token={token}"), &[], "").status, 401);
}

/// @ws_rules: a request that is no handshake gets an error that says so.
#[test]
fn plain_requests_must_upgrade() {
    let (machine, _server) = served();
    let plain = ask(&machine, "GET", "/ws", &Value::Null);
    assert_eq!((plain.status, &plain.json["error"]["data"]["reason"]), (426, &json!("upgrade_required")));
    assert!(plain.head.contains("sec-websocket-version: 13"), "{}", plain.head);
    assert_eq!(ask(&machine, "POST", "/ws", &json!({})).status, 405);
    let bearer = format!("Bearer {}", machine.token());
    let with = |version: &str, key: &str| {
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", version),
            ("Sec-WebSocket-Key", key),
        ];
        machine.request("GET", "/ws", &headers, "").status
    };
    assert_eq!(with("8", "dGhlIHNhbXBsZSBub25jZQ=="), 426);
    assert_eq!(with("13", "c2hvcnQ="), 400);
}

/// @ws_rules: a rotated token ends what the old one opened.
#[test]
fn a_rotated_token_ends_its_connections() {
    let (machine, _server) = served();
    let mut caller = Socket::open(&machine);
    let mut listener = Socket::open(&machine);
    caller.call("ping", json!({}));
    listener.call("subscribe", json!({}));
    nudge_client::token::rotate(&machine.home).expect("rotated");
    caller.send(
        &json!({"jsonrpc": "2.0", "id": 9, "method": "set_hint", "params": hint("x", "y")}).to_string(),
    );
    assert_eq!(caller.closed().0, 1008);
    machine.call("set_hint", hint("build", "make"));
    assert_eq!(listener.closed().0, 1008);
}

/// @ws_rpc: the same text gets the same answer as over `/rpc`, byte for byte.
#[test]
fn answers_are_those_of_rpc() {
    let (machine, _server) = served();
    machine.call("set_hint", hint("build", "make"));
    let mut socket = Socket::open(&machine);
    let call = |id: Value, method: &str| json!({"jsonrpc": "2.0", "id": id, "method": method});
    let texts = [
        call(json!(1), "list_components").to_string(),
        call(json!("x"), "nudge.list_components").to_string(),
        call(json!(2), "frobnicate").to_string(),
        call(json!(3), "ping").to_string(),
        call(json!(4), "discover").to_string(),
        json!({"jsonrpc": "2.0", "id": 5, "method": "get_hint", "params": at("nothing")}).to_string(),
        json!({"jsonrpc": "2.0", "id": 6, "method": "get_hint", "params": [1]}).to_string(),
        json!([call(json!(7), "list_components"), {"jsonrpc": "2.0", "method": "ping"}, 7]).to_string(),
        json!((0..51).map(|id| call(json!(id), "ping")).collect::<Vec<_>>()).to_string(),
        "[]".to_owned(),
        "{\"jsonrpc\":".to_owned(),
        format!("{}{}", "[".repeat(5_000), "]".repeat(5_000)),
        // Only the user may undo: a WebSocket has an agent's rights.
        json!({"jsonrpc": "2.0", "id": 8, "method": "undo_hint", "params": at("build")}).to_string(),
    ];
    for text in &texts {
        socket.send(text);
        assert_eq!(socket.hear(), over_rpc(&machine, text), "{}", &text[..text.len().min(200)]);
    }
}

/// @ws_rpc: notifications are run and not answered, and requests are run in order.
#[test]
fn requests_run_in_order() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    for number in 0..200 {
        let params = hint("build", &format!("make {number}"));
        let mut set = json!({"jsonrpc": "2.0", "method": "set_hint", "params": params});
        if number % 2 == 0 {
            set["id"] = json!(number);
        }
        socket.send(&set.to_string());
    }
    for number in (0..200).step_by(2) {
        let answer = socket.hear();
        assert_eq!((&answer["id"], answer["error"].is_null()), (&json!(number), true), "{answer}");
    }
    assert_eq!(socket.call("get_hint", at("build"))["hint"]["value"], json!("make 199"));
}

/// @ws_discover: the catalogue names every operation of the registry, the methods of a connection,
/// and the notifications; `/rpc` gives the same.
#[test]
fn the_catalogue_is_live() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    let found = socket.call("discover", json!({}));
    let methods = found["methods"].as_object().expect("methods");
    for operation in nudge_agent::registry::all() {
        let method = &methods[operation.name];
        assert_eq!(method["description"], json!(operation.doc));
        assert_eq!(method["params"], operation.params());
    }
    assert_eq!(methods.len(), nudge_agent::registry::all().count() + 3);
    assert_eq!(methods["init"]["params"]["required"], json!(["name", "projectRoot"]));
    for name in ["nudge/hello", "entry/changed", "feed/gone"] {
        assert!(found["notifications"][name]["description"].is_string(), "{name}");
    }
    let one = socket.call("discover", json!({"name": "subscribe"}));
    assert_eq!(one["methods"].as_object().expect("methods").keys().collect::<Vec<_>>(), ["subscribe"]);
    let one = socket.call("rpc.discover", json!({"name": "get_hint"}));
    assert_eq!(one["methods"].as_object().expect("methods").keys().collect::<Vec<_>>(), ["get_hint"]);
    assert_eq!(socket.call("ping", json!({}))["status"], json!("healthy"));
}

/// @ws_discover: a method that needs a connection says so over `/rpc`.
#[test]
fn rpc_says_what_needs_a_connection() {
    let (machine, _server) = served();
    for method in ["init", "subscribe", "unsubscribe"] {
        let answer = over_rpc(&machine, &json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string());
        assert_eq!(answer["error"]["data"]["reason"], json!("needs_connection"), "{answer}");
    }
}

/// @ws_init: a bound connection gets the hints of its directory, for as long as it lasts.
#[test]
fn a_bound_connection_gets_the_hints_of_its_directory() {
    let (machine, _server) = served();
    let dir = tempfile::tempdir().expect("temporary directory");
    let root = dir.path().canonicalize().expect("exists").display().to_string();
    let mut here = hint("deploy", "make deploy");
    here["meta"] = json!({"scope": {"cwd_glob": [format!("{root}/**"), root.clone()]}});
    machine.call("set_hint", here);
    let mut socket = Socket::open(&machine);
    let reason = |answer: &Value| answer["error"]["data"]["reason"].clone();
    assert_eq!(reason(&socket.ask("get_hint", at("deploy"))), json!("not_eligible"));
    let bound = socket.call("init", json!({"name": "shop", "projectRoot": root, "configPath": "x.toml"}));
    assert_eq!(bound, json!({"projectId": root, "projectRoot": root, "nudgeVersion": nudge_client::VERSION}));
    assert_eq!(socket.call("get_hint", at("deploy"))["hint"]["value"], json!("make deploy"));
    let mut elsewhere = at("deploy");
    elsewhere["context"] = json!({"cwd": "/elsewhere"});
    assert_eq!(reason(&socket.ask("get_hint", elsewhere)), json!("not_eligible"));
    let mut other = Socket::open(&machine);
    assert_eq!(reason(&other.ask("get_hint", at("deploy"))), json!("not_eligible"));
    let refused = socket.ask("init", json!({"name": "shop", "projectRoot": "/nowhere/at/all"}));
    assert_eq!(reason(&refused), json!("project_root"));
    assert_eq!(socket.call("get_hint", at("deploy"))["hint"]["value"], json!("make deploy"));
}

/// @ws_init: reads are about the bound project; what a caller claims opens no private project and
/// lets it write into none.
#[test]
fn a_claimed_directory_gives_no_rights() {
    let (machine, _server) = served();
    let dir = tempfile::tempdir().expect("temporary directory");
    let root = dir.path().canonicalize().expect("exists").display().to_string();
    let agent = Agent::at(&machine, "s-1", &root);
    agent.start("startup");
    agent.prompt("polish the frobnicator");
    let mut socket = Socket::open(&machine);
    socket.call("init", json!({"name": "shop", "projectRoot": root}));
    let found = socket.call("search", json!({"query": "frobnicator"}));
    assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found}");
    let note = json!({"text": "the frobnicator needs oil"});
    let written = socket.ask("remember", note.clone());
    let other = json!({"jsonrpc": "2.0", "id": written["id"], "method": "remember", "params": note});
    assert_eq!(written["error"], over_rpc(&machine, &other.to_string())["error"]);

    machine.call("set_private", json!({"project": root}));
    let hidden = socket.ask("search", json!({"query": "frobnicator"}));
    let unknown = json!({"jsonrpc": "2.0", "id": hidden["id"], "method": "search",
        "params": {"query": "frobnicator", "project": root}});
    assert_eq!(hidden, over_rpc(&machine, &unknown.to_string()));
    assert!(!hidden.to_string().contains("polish"), "{hidden}");
    let all = socket.call("search", json!({"query": "frobnicator", "project": "*"}));
    assert!(!all.to_string().contains("polish"), "{all}");
}

/// @ws_limits: a binary message is answered with an error and ends the connection.
#[test]
fn binary_messages_are_refused() {
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    socket.inner.send(Message::binary(vec![1, 2, 3])).expect("sent");
    let error = socket.hear();
    assert_eq!((&error["error"]["code"], &error["id"]), (&json!(-32600), &Value::Null));
    assert_eq!(socket.closed().0, 1003);
}

/// @ws_limits: a message over the limit ends its connection with 1009, in one frame or in many;
/// one at the limit is read.
#[test]
fn a_message_over_the_limit_ends_the_connection() {
    const MAX_MESSAGE: usize = 16 * 1024 * 1024;
    let (machine, _server) = served();
    let mut socket = Socket::open(&machine);
    socket.send(&" ".repeat(MAX_MESSAGE));
    assert_eq!(socket.hear()["error"]["code"], json!(-32700));
    socket.inner.send(Message::text("x".repeat(MAX_MESSAGE + 1))).expect("sent");
    assert_eq!(socket.closed().0, 1009);
    let mut socket = Socket::open(&machine);
    let piece = "x".repeat(MAX_MESSAGE / 16);
    for number in 0..17 {
        let code = OpCode::Data(if number == 0 { Data::Text } else { Data::Continue });
        let frame = Frame::message(piece.clone(), code, false);
        socket.inner.send(Message::Frame(frame)).expect("sent");
    }
    assert_eq!(socket.closed().0, 1009);
    assert!(machine.status().responding);
}

/// @ws_limits: a text that is not UTF-8, and a frame that the protocol forbids, end their
/// connections only.
#[test]
fn broken_frames_end_the_connection() {
    let (machine, _server) = served();
    let mut other = Socket::open(&machine);
    let frames = [(Data::Text, vec![0xff, 0xfe], 1007), (Data::Continue, vec![b'x'], 1002)];
    for (kind, bytes, code) in frames {
        let mut socket = Socket::open(&machine);
        let frame = Frame::message(bytes, OpCode::Data(kind), true);
        socket.inner.send(Message::Frame(frame)).expect("sent");
        assert_eq!(socket.closed().0, code);
    }
    // Gone without a farewell, in the middle of a frame.
    let mut socket = Socket::open(&machine);
    socket.inner.get_mut().write_all(&[0x81, 0xfe]).expect("sent");
    drop(socket);
    other.call("ping", json!({}));
}

/// @ws_limits: connections share their slots with the listeners of `/events`, and a closed one
/// frees its slot.
#[test]
fn connections_are_bounded() {
    let (machine, _server) = served();
    let mut open: Vec<Socket> = (0..64).map(|_| Socket::open(&machine)).collect();
    let bearer = format!("Bearer {}", machine.token());
    let is_let_in = || connect(&machine, &[("Authorization", &bearer)]).map(drop);
    assert_eq!(is_let_in(), Err(503));
    assert_eq!(ask(&machine, "GET", "/events", &Value::Null).status, 503);
    open.truncate(63);
    let is_open = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_let_in().is_ok()
    });
    assert!(is_open, "no room for another connection");
}

/// @ws_limits: the end of the server is announced, and it does not wait for clients.
#[test]
fn a_server_that_ends_says_so() {
    let (machine, mut server) = served();
    let mut socket = Socket::open(&machine);
    socket.call("ping", json!({}));
    server.signal("-TERM");
    assert_eq!(socket.closed().0, 1001);
    assert_eq!(server.leaves(), Some(0));
}

/// @ws_limits: a handover closes connections, and the next one reaches the new server.
#[test]
fn a_handover_closes_connections() {
    let machine = Machine::new();
    let mut old = machine.serve_alone(json!({"version": "0.1.0"}));
    let mut socket = Socket::open(&machine);
    socket.call("set_hint", hint("build", "make"));
    let new = machine.serve(json!({"version": "0.2.0"})).greet();
    assert_eq!(socket.closed().0, 1001);
    drop(socket);
    machine.wait_for(|status| status.responding && status.pid == Some(new.pid()) && !status.port_pending);
    let mut socket = Socket::open(&machine);
    assert_eq!(socket.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    assert_eq!(old.leaves(), Some(0));
}
