//! The token: what gives access to a path, and what does not.

use serde_json::json;

use crate::access::doors::{HttpServer, call, home};

/// Paths that need the token, each with a valid method.
const GUARDED: [(&str, &str); 4] = [("POST", "/rpc"), ("POST", "/mcp"), ("GET", "/nothing"), ("GET", "/rpc")];

/// @server_http_auth
#[test]
fn nothing_but_the_token_opens_a_guarded_path() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let token = &doors.token;
    let wrong = [
        String::new(),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        format!("Bearer {}", "0".repeat(token.len())),
        format!("Bearer {}", &token[..token.len() - 1]),
        format!("Bearer {token}0"),
        format!("Bearer {}", token.to_uppercase().replace('0', "O")),
        format!("Bearer {token},{token}"),
        format!("Bearer \"{token}\""),
        format!("Basic {token}"),
        format!("Token {token}"),
        token.clone(),
        "x".repeat(20_000),
    ];
    for (method, path) in GUARDED {
        let body = call("list_components", &json!({})).to_string();
        let without = doors.request(method, path).body(body.clone()).send(doors.port);
        assert_eq!(without.status, 401, "{method} {path} without a token");
        assert_eq!(without.header("www-authenticate"), Some("Bearer realm=\"nudge\""));
        for shown in &wrong {
            let request = doors.request(method, path).header("Authorization", shown).body(body.clone());
            let reply = request.send(doors.port);
            assert_eq!(reply.status, 401, "{method} {path} with {shown:.80}");
            assert!(!reply.body.contains(token));
        }
    }
    doors.assert_alive();
}

/// @server_http_auth
#[test]
fn a_token_counts_only_in_its_header_and_only_once() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let token = &doors.token;
    let body = call("list_components", &json!({})).to_string();
    for path in [
        format!("/rpc?token={token}"),
        format!("/mcp?access_token={token}"),
        format!("/rpc?authorization=Bearer%20{token}"),
    ] {
        assert_eq!(doors.request("POST", &path).body(body.clone()).send(doors.port).status, 401);
    }
    for (name, value) in [
        ("Cookie", format!("token={token}")),
        ("X-Token", token.clone()),
        ("Proxy-Authorization", format!("Bearer {token}")),
    ] {
        assert_eq!(
            doors.request("POST", "/rpc").header(name, &value).body(body.clone()).send(doors.port).status,
            401,
            "{name}"
        );
    }
    let twice = doors.request("POST", "/rpc").token(token).token(&"0".repeat(64)).body(body.clone());
    assert_eq!(twice.send(doors.port).status, 401);
    let spelt = doors.request("POST", "/rpc").header("authorization", &format!("bearer {token}")).body(body);
    assert_eq!(spelt.send(doors.port).status, 200);
}

/// @server_http_auth
#[test]
fn only_two_pages_are_open_and_no_spelling_opens_another() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    for path in ["/", "/health", "/?a=b", "/health?a=b"] {
        assert_eq!(doors.request("GET", path).send(doors.port).status, 200, "{path}");
    }
    for path in [
        "/health/",
        "//health",
        "//",
        "/%68ealth",
        "/health/../rpc",
        "/./health",
        "/health%2f",
        "/HEALTH",
        "/health;x",
        "/%2e/",
    ] {
        assert_eq!(doors.request("GET", path).send(doors.port).status, 401, "{path} without a token");
        assert_eq!(
            doors.request("GET", path).token(&doors.token).send(doors.port).status,
            404,
            "{path} with it"
        );
    }
    let health = doors.request("GET", "/health").send(doors.port).json();
    let injected: Vec<_> = health.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(injected, ["status", "server", "version", "instance", "mode", "ephemeral", "started"]);
}

/// @server_http_auth
#[test]
fn a_rotation_locks_the_old_token_out_at_once() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    doors.call("list_components", &json!({}));
    home.run(["token", "rotate"]).ok();
    let body = call("list_components", &json!({})).to_string();
    assert_eq!(doors.post("/rpc", body.clone()).status, 401);
    let fresh = std::fs::read_to_string(home.memory().join("run/token")).expect("a token");
    assert_eq!(doors.request("POST", "/rpc").token(fresh.trim()).body(body).send(doors.port).status, 200);
    home.run(["ls"]).ok();
}

/// @server_http_auth
#[test]
fn each_path_takes_its_own_methods() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    for (path, allowed) in [("/", "GET"), ("/health", "GET"), ("/rpc", "POST"), ("/mcp", "POST")] {
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"] {
            let reply = doors.request(method, path).token(&doors.token).body("{}").send(doors.port);
            if method == allowed {
                assert!([200, 400].contains(&reply.status), "{method} {path}: {reply:?}");
            } else {
                assert_eq!(reply.status, 405, "{method} {path}");
                assert!(
                    reply.header("allow").is_some_and(|allow| allow.contains(allowed)),
                    "{method} {path}: {reply:?}"
                );
            }
            let cors = reply.headers.iter().find(|(name, _)| name.starts_with("access-control"));
            assert_eq!(cors, None, "{method} {path}");
        }
    }
    doors.assert_alive();
}
