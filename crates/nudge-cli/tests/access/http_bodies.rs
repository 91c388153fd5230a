//! Bodies that are too large, too deep, not JSON, or not calls.

use nudge_testkit::raw_http::{Reply, exchange};
use serde_json::{Value, json};

use crate::access::doors::{HttpServer, call, home};

/// The size limit of a body, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// @server_http_limits
#[test]
fn an_oversized_body_is_refused_and_the_server_goes_on() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    for path in ["/rpc", "/mcp"] {
        let announced = doors
            .request("POST", path)
            .token(&doors.token)
            .header("Content-Length", &(MAX_BODY + 1).to_string());
        let reply = announced.send(doors.port);
        assert_eq!((reply.status, &reply.json()["error"]["id"]), (413, &json!("E_TOO_LARGE")), "{path}");
        let sent = doors.post(path, vec![b' '; MAX_BODY + 1]);
        assert_eq!(sent.status, 413, "{path}");
        let absurd =
            doors.request("POST", path).token(&doors.token).header("Content-Length", "99999999999999999999");
        assert!([400, 413].contains(&absurd.send(doors.port).status), "{path}");
        let chunked = doors.request("POST", path).token(&doors.token).header("Transfer-Encoding", "chunked");
        let mut bytes = chunked.bytes();
        for _ in 0..=MAX_BODY / 65_536 {
            bytes.extend_from_slice(b"10000\r\n");
            bytes.resize(bytes.len() + 65_536, b' ');
            bytes.extend_from_slice(b"\r\n");
        }
        bytes.extend_from_slice(b"0\r\n\r\n");
        let reply = Reply::read(&exchange(doors.port, &bytes));
        assert!(reply.is_none_or(|reply| reply.status == 413), "{path} in chunks");
    }
    doors.assert_alive();
}

/// @server_http_limits
#[test]
fn a_stranger_is_turned_away_before_the_body_is_read() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let request = doors.request("POST", "/rpc").header("Content-Length", &MAX_BODY.to_string());
    assert_eq!(request.send(doors.port).status, 401);
}

/// @server_http_limits
#[test]
fn what_is_no_json_is_refused_as_such() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let nested = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"import\",\"params\":{}}}",
        "{\"a\":".repeat(50_000)
    );
    let broken: Vec<Vec<u8>> = vec![
        vec![],
        b"{".to_vec(),
        b"nul".to_vec(),
        b"{\"jsonrpc\":\"2.0\",".to_vec(),
        b"{\"a\":1}{\"b\":2}".to_vec(),
        b"\xff\xfe{}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xc3\x28\"}".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\\ud800\"}".to_vec(),
        b"\x00\x00\x00\x00".to_vec(),
        b"<?xml version=\"1.0\"?>".to_vec(),
        deep(1_000),
        deep(1_000_000),
        nested.into_bytes(),
    ];
    for path in ["/rpc", "/mcp"] {
        for body in &broken {
            let reply = doors.post(path, body.clone());
            let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
            assert_eq!(
                (reply.status, &reply.json()["error"]["code"]),
                (400, &json!(-32700)),
                "{path} {shown:?}: {reply:?}"
            );
        }
    }
    doors.assert_alive();
}

/// @server_http_limits
#[test]
fn json_that_is_no_call_is_refused_with_the_standard_numbers() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let code = |body: Value| doors.post("/rpc", body.to_string()).json()["error"]["code"].clone();
    for body in [json!(1), json!("x"), json!(null), json!({}), json!({"method": "query"}), json!([])] {
        assert_eq!(code(body.clone()), -32600, "{body}");
    }
    for method in ["", "no_such_thing", "nudge.", "__proto__", "../set_hint", "SET_HINT", "set_hint\u{0}"] {
        let reply = doors.post("/rpc", call(method, &json!({})).to_string()).json();
        assert_eq!(reply["error"]["code"], -32601, "{method:?}: {reply}");
        assert_eq!(reply["error"]["data"]["id"], "E_UNKNOWN_OPERATION");
    }
    let long = doors.post("/rpc", call(&"x".repeat(100_000), &json!({})).to_string());
    assert!(long.json()["error"]["code"] == -32601 && long.body.len() < 2_000, "{} bytes", long.body.len());
    assert_eq!(code(json!({"jsonrpc": "2.0", "id": 1, "method": "query", "params": [1]})), -32602);
    assert_eq!(code(call("query", &json!({"surprise": 1}))), 40001);
    for body in [
        json!(1),
        json!("x"),
        json!(null),
        json!([]),
        json!([call("tools/list", &json!({}))]),
        json!({}),
        json!({"method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": {}, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
    ] {
        let reply = doors.post("/mcp", body.to_string());
        assert_eq!((reply.status, &reply.json()["error"]["code"]), (400, &json!(-32600)), "{body}");
    }
    let unknown = doors.post("/mcp", call("tools/destroy", &json!({})).to_string());
    assert_eq!(unknown.json()["error"]["code"], -32601, "{unknown:?}");
    doors.assert_alive();
}

/// @server_http_limits
#[test]
fn a_batch_bomb_does_nothing_at_all() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    doors.call("set_hint", &json!({"component": "a", "key": "b", "value": "c"}));
    let bump = call("bump", &json!({"component": "a", "key": "b"}));
    let bomb = Value::Array(vec![bump.clone(); 5_000]);
    let reply = doors.post("/rpc", bomb.to_string());
    assert_eq!((reply.status, &reply.json()["error"]["data"]["reason"]), (400, &json!("batch_too_large")));
    let silent: Value =
        vec![json!({"jsonrpc": "2.0", "method": "bump", "params": {"component": "a", "key": "b"}}); 5_000]
            .into();
    assert_eq!(doors.post("/rpc", silent.to_string()).status, 400);
    let nested = json!([[bump, bump], [[bump]]]);
    let replies = doors.post("/rpc", nested.to_string()).json();
    let codes: Vec<_> =
        replies.as_array().expect("one reply each").iter().map(|reply| &reply["error"]["code"]).collect();
    assert_eq!(codes, [-32600, -32600]);
    let used = |doors: &HttpServer<'_>| {
        doors.call("get_hint", &json!({"component": "a", "key": "b"}))["hint"]["use_count"].clone()
    };
    assert_eq!(used(&doors), 0);
    let batch = Value::Array(vec![bump.clone(); 50]);
    assert_eq!(doors.post("/rpc", batch.to_string()).json().as_array().map(Vec::len), Some(50));
    assert_eq!(used(&doors), 50);
    doors.assert_alive();
}

/// The token decides access, not the content type that a caller claims. @server_http_limits
#[test]
fn a_content_type_neither_opens_nor_closes_a_door() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let body = call("tools/list", &json!({})).to_string();
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "image/png",
        "",
        "\u{1F600}",
    ] {
        for (path, body) in
            [("/rpc", call("list_components", &json!({})).to_string()), ("/mcp", body.clone())]
        {
            let request = doors.request("POST", path).header("Content-Type", kind).body(body);
            assert_eq!(request.clone().send(doors.port).status, 401, "{path} {kind}");
            assert_eq!(request.token(&doors.token).send(doors.port).status, 200, "{path} {kind}");
        }
    }
}
