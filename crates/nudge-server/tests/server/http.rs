//! HTTP on the loopback port: who gets access, and what they get.

use nudge_agent::registry;
use nudge_home::settings::Profile;
use serde_json::{Value, json};

use crate::kit::{Machine, at, hint, raw, until};
use crate::live::Agent;

struct Open {
    machine: Machine,
    _server: crate::kit::Server,
    bearer: String,
    port: u16,
}

fn open() -> Open {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({}));
    let bearer = format!("Bearer {}", machine.token());
    let port = machine.status().port.expect("a port");
    Open { machine, _server: server, bearer, port }
}

impl Open {
    #[track_caller]
    fn rpc(&self, body: &Value) -> crate::kit::Answer {
        self.machine.post("/rpc", &[("Authorization", &self.bearer)], &body.to_string())
    }

    #[track_caller]
    fn mcp(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> crate::kit::Answer {
        let mut all = vec![("Authorization", self.bearer.as_str())];
        all.extend(headers);
        self.machine.post(path, &all, &body.to_string())
    }
}

/// `/health` needs no token and names the instance. @http_health
#[test]
fn health_is_open_and_names_the_instance() {
    let open = open();
    let health = open.machine.request("GET", "/health", &[], "");
    assert_eq!(health.status, 200);
    let instance = open.machine.status().instance;
    assert_eq!((&health.json["status"], &health.json["server"]), (&json!("healthy"), &json!("nudge")));
    assert_eq!(health.json["instance"], json!(instance));
    assert_eq!(open.machine.request("GET", "/", &[], "").status, 200);
}

/// Everything else needs the token, unknown paths too. @server_http_auth @token_secrecy
#[test]
fn without_the_token_nothing_is_answered() {
    let open = open();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "list_components"}).to_string();
    for path in ["/rpc", "/mcp", "/nothing", "/health/", "//", "/mcp/", "/rpc?x=/health"] {
        for headers in [
            vec![],
            vec![("Authorization", "Bearer wrong")],
            vec![("Authorization", "Basic x")],
            vec![("Authorization", "Bearer ")],
            vec![("Authorization", open.bearer.as_str()), ("Authorization", open.bearer.as_str())],
        ] {
            let answer = open.machine.post(path, &headers, &call);
            assert_eq!(answer.status, 401, "{path} {headers:?}");
            assert!(answer.head.contains("www-authenticate: bearer"), "{}", answer.head);
        }
    }
}

/// A rotated token takes effect at the next request. @server_http_auth @token_secrecy
#[test]
fn a_rotated_token_holds_at_once() {
    let open = open();
    let new = nudge_client::token::rotate(&open.machine.home).expect("rotated");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "list_components"});
    assert_eq!(open.rpc(&call).status, 401);
    let answer = open.machine.post("/rpc", &[("Authorization", &format!("Bearer {new}"))], &call.to_string());
    assert_eq!(answer.status, 200);
}

/// A foreign Host or Origin is rejected on every path, with and without the token.
/// @server_http_auth
#[test]
fn rebinding_and_foreign_pages_are_refused() {
    let open = open();
    let token = ("Authorization", open.bearer.as_str());
    for path in ["/", "/health", "/rpc", "/mcp"] {
        for host in ["evil.example", "evil.example:80", "127.0.0.1", "localhost:1", "127.0.0.1.evil:80", "-"]
        {
            let answer = open.machine.request("GET", path, &[token, ("Host", host)], "");
            assert_eq!(answer.status, 403, "{path} {host}");
        }
        for origin in
            ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1", "http://localhost:1"]
        {
            let answer = open.machine.request("GET", path, &[token, ("Origin", origin)], "");
            assert_eq!(answer.status, 403, "{path} {origin}");
            assert!(!answer.head.contains("access-control"), "{}", answer.head);
        }
    }
    let absolute = format!(
        "GET http://evil.example/health HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n",
        open.port
    );
    assert_eq!(raw(open.port, absolute.as_bytes()).status, 403);
    for host in [format!("localhost:{}", open.port), format!("[::1]:{}", open.port)] {
        assert_eq!(open.machine.request("GET", "/health", &[("Host", &host)], "").status, 200, "{host}");
    }
    let own = format!("http://localhost:{}", open.port);
    assert_eq!(open.machine.request("GET", "/health", &[("Origin", &own)], "").status, 200);
}

/// JSON-RPC 2.0 with plain and dotted names; failures keep their numbers and give the reason.
/// @http_rpc
#[test]
fn rpc_answers_with_the_operations_own_numbers() {
    let open = open();
    let set = open.rpc(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "nudge.set_hint", "params": hint("build", "make")}),
    );
    assert_eq!((set.status, &set.json["id"]), (200, &json!(1)));
    assert_eq!(set.json["result"]["hint"]["value"], json!("make"));
    let missing =
        open.rpc(&json!({"jsonrpc": "2.0", "id": "x", "method": "get_hint", "params": at("nothing")}));
    assert_eq!((&missing.json["error"]["code"], &missing.json["id"]), (&json!(40401), &json!("x")));
    assert!(missing.json["error"]["data"]["reason"].is_string());
    let unknown = open.rpc(&json!({"jsonrpc": "2.0", "id": 2, "method": "frobnicate"}));
    assert_eq!(unknown.json["error"]["code"], json!(-32601));
    let discovered = open.rpc(&json!({"jsonrpc": "2.0", "id": 3, "method": "discover"}));
    assert!(discovered.json["result"].is_object(), "{discovered:?}");
}

/// Batches, notifications and invalid requests. @http_rpc
#[test]
fn rpc_takes_batches_within_bounds() {
    let open = open();
    let call = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "list_components"});
    let batch = open.rpc(&json!([call(1), {"jsonrpc": "2.0", "method": "list_components"}, 7, call(2)]));
    let ids: Vec<_> =
        batch.json.as_array().expect("a list").iter().map(|reply| reply["id"].clone()).collect();
    assert_eq!(ids, [json!(1), Value::Null, json!(2)]);
    assert_eq!(open.rpc(&json!({"jsonrpc": "2.0", "method": "list_components"})).status, 204);
    let bomb = open.rpc(&Value::Array((0..51).map(call).collect()));
    assert_eq!((bomb.status, &bomb.json["error"]["code"]), (400, &json!(-32600)));
    assert_eq!(open.rpc(&json!([])).json["error"]["code"], json!(-32600));
    let token = ("Authorization", open.bearer.as_str());
    let broken = open.machine.post("/rpc", &[token], "{\"jsonrpc\":");
    assert_eq!((broken.status, &broken.json["error"]["code"]), (400, &json!(-32700)));
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    assert_eq!(open.machine.post("/rpc", &[token], &deep).json["error"]["code"], json!(-32700));
    assert_eq!(open.machine.request("GET", "/rpc", &[token], "").status, 405);
}

/// An oversized body is rejected as JSON, whether it declares its size or not. @server_http_limits
#[test]
fn oversized_bodies_are_refused() {
    let open = open();
    let head = format!(
        "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: {}\r\nConnection: close\r\n",
        open.port, open.bearer
    );
    let announced = raw(open.port, format!("{head}Content-Length: 999999999\r\n\r\n").as_bytes());
    assert_eq!((announced.status, &announced.json["error"]["id"]), (413, &json!("E_TOO_LARGE")));
    let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..17 {
        chunked.extend_from_slice(b"100000\r\n");
        chunked.extend(std::iter::repeat_n(b' ', 0x10_0000));
        chunked.extend_from_slice(b"\r\n");
    }
    chunked.extend_from_slice(b"0\r\n\r\n");
    assert_eq!(raw(open.port, &chunked).status, 413);
    assert!(open.machine.status().responding);
}

/// A bare `tools/call` POST is answered with plain JSON: no session, no Accept, no version.
/// @http_bare_call
#[test]
fn a_bare_tool_call_is_answered() {
    let open = open();
    let call = |name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let set = open.mcp(
        "/mcp",
        &[("Content-Type", "application/x-www-form-urlencoded")],
        &call("set_hint", hint("build", "make")),
    );
    assert_eq!((set.status, &set.json["result"]["isError"]), (200, &json!(false)), "{set:?}");
    let get = open.mcp("/mcp", &[], &call("get_hint", at("build")));
    assert_eq!(get.json["result"]["structuredContent"]["hint"]["value"], json!("make"));
    assert!(get.head.contains("content-type: application/json"), "{}", get.head);
    let failed = open.mcp("/mcp", &[], &call("get_hint", at("nothing")));
    assert_eq!((failed.status, &failed.json["result"]["isError"]), (200, &json!(true)));
}

/// Streamable HTTP for the old and the new revision; the query selects the profile.
/// @mcp_streamable_http
#[test]
fn both_revisions_of_mcp_are_spoken() {
    let open = open();
    let accept = ("Accept", "application/json, text/event-stream");
    let json_body = ("Content-Type", "application/json");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": {"name": "kit", "version": "0"}}});
    let greeting = open.mcp("/mcp", &[accept, json_body], &hello);
    assert_eq!(greeting.json["result"]["serverInfo"]["name"], json!("nudge"), "{greeting:?}");
    assert!(!greeting.head.contains("mcp-session-id"));
    let list = |path: &str| {
        let listed =
            open.mcp(path, &[accept, json_body], &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}));
        listed.json["result"]["tools"].as_array().expect("a list").len()
    };
    assert_eq!(list("/mcp?profile=full"), registry::listed(Profile::Full).count());
    assert_eq!(list("/mcp?profile=work"), registry::listed(Profile::Work).count());
    assert_eq!(list("/mcp"), registry::listed(Profile::Default).count());
    let modern = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "kit", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {}}}});
    let headers = [accept, json_body, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
    let listed = open.mcp("/mcp", &headers, &modern);
    assert!(listed.json["result"]["tools"].is_array(), "{listed:?}");
    assert_eq!(open.machine.request("GET", "/mcp", &[("Authorization", &open.bearer)], "").status, 405);
    let broken = open.machine.post("/mcp", &[("Authorization", &open.bearer)], "{");
    assert_eq!((broken.status, &broken.json["error"]["code"]), (400, &json!(-32700)));
}

/// Over HTTP a missing context is not replaced. @hint_context
#[test]
fn over_http_no_context_is_made_up() {
    let open = open();
    let mut params = hint("deploy", "make deploy");
    params["meta"] = json!({"scope": {"os": ["linux", "darwin"]}});
    open.machine.call("set_hint", params);
    let answer = open.rpc(&json!({"jsonrpc": "2.0", "id": 1, "method": "get_hint", "params": at("deploy")}));
    assert_eq!(answer.json["error"]["data"]["reason"], json!("not_eligible"));
}

/// The start is logged with version and mode. The token is in no log and no state file; neither a
/// value nor a prompt is in the log, even if everything is logged. @server_log
#[test]
fn neither_token_nor_memory_is_logged() {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({"log_level": "debug", "version": "9.8.7"}));
    let bearer = format!("Bearer {}", machine.token());
    let rpc = |method: &str, params: Value| {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        machine.post(
            "/rpc",
            &[("Authorization", &bearer), ("Content-Type", "application/json")],
            &call.to_string(),
        )
    };
    let set = rpc("set_hint", hint("build", "frobnicate-all"));
    assert!(set.json["result"].is_object(), "{set:?}");
    for (method, text) in [("search", "quokka AND"), ("nosuch-wombat", "x"), ("get_hint", "numbat")] {
        rpc(method, json!({"query": text, "component": text, "key": text}));
    }
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("teach the greeter the bilby dialect");
    agent.act("make bandicoot");
    machine.post("/rpc", &[("Authorization", "Bearer wrong-token-shown")], "{");
    let log = machine.home.log_dir().join("server.log");
    let log =
        until(|| Some(std::fs::read_to_string(&log).expect("a log")).filter(|log| log.contains(" PRIMARY ")));
    let state = std::fs::read_to_string(machine.home.state_file()).expect("a state file");
    let started = log.lines().find(|line| line.contains(" PRIMARY ")).expect(&log);
    assert!(started.contains("version=\"9.8.7\"") && started.contains("mode=\"stdio\""), "{started}");
    assert!(log.contains(" DEBUG ") && log.contains(&format!("[{}]", server.pid())), "{log}");
    let ours = ["frobnicate-all", "quokka", "wombat", "numbat", "bilby", "bandicoot", "wrong-token-shown"];
    for secret in ours.into_iter().chain([machine.token().as_str()]) {
        assert!(!log.contains(secret) && !state.contains(secret), "{secret} is written down");
    }
}

/// A log over 1 MiB is put aside when a server starts and while it runs. @server_log
#[test]
fn a_grown_log_is_put_aside() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.home.log_dir()).expect("made");
    let (log, aside) =
        (machine.home.log_dir().join("server.log"), machine.home.log_dir().join("server.log.1"));
    // Between the two steps of putting it aside there is no log.
    let read = |path: &std::path::Path| std::fs::read_to_string(path).unwrap_or_default();
    let old = "an old line\n".repeat(100_000);
    std::fs::write(&log, &old).expect("written");
    let _server = machine.serve_alone(json!({}));
    assert_eq!(read(&aside), old);
    let kept = until(|| Some(read(&log)).filter(|log| log.contains(" PRIMARY ")));
    assert!(!kept.contains("an old line"));
    std::fs::OpenOptions::new()
        .append(true)
        .open(&log)
        .and_then(|mut log| std::io::Write::write_all(&mut log, old.as_bytes()))
        .expect("written");
    // A refused request is logged.
    machine.post("/rpc", &[("Authorization", "Bearer wrong")], "{}");
    let grown = until(|| Some(read(&aside)).filter(|aside| *aside != old));
    assert!(grown.starts_with(&kept) && grown.ends_with(&old), "{} bytes", grown.len());
    assert!(!read(&log).contains("an old line"));
}
