//! The page: its files, how a browser signs in, what it may do, and how that ends.

use std::time::Duration;

use nudge_client::connection::Connection;
use nudge_client::ui_sessions;
use serde_json::{Value, json};

use crate::kit::{Answer, Machine, Server, at, cli, hint, until};
use crate::live::{Agent, served};
use crate::web_socket::{Socket, connect};

/// A signed-in browser.
struct Browser<'m> {
    machine: &'m Machine,
    port: u16,
    cookie: String,
    key: String,
}

/// A code, as `nudge ui` gets it.
#[track_caller]
fn code(machine: &Machine, read_only: bool) -> String {
    let mut connection = Connection::reach(&machine.home).ok().expect("a server");
    let answer = connection.control("ui_code", &json!({"read_only": read_only})).expect("an answer");
    answer.expect("a code")["code"].as_str().expect("a code").to_owned()
}

fn port(machine: &Machine) -> u16 {
    machine.status().port.expect("a port")
}

/// Shows a code as the page does, with other headers where they are given; `-` leaves one out.
#[track_caller]
fn show(machine: &Machine, code: &str, other: &[(&str, &str)]) -> Answer {
    let own = format!("http://127.0.0.1:{}", port(machine));
    let mut headers = vec![
        ("Origin", own.as_str()),
        ("Sec-Fetch-Site", "same-origin"),
        ("Content-Type", "application/json"),
    ];
    headers.retain(|(name, _)| !other.iter().any(|(its, _)| its == name));
    headers.extend(other.iter().filter(|(_, value)| *value != "-"));
    machine.post("/ui/session", &headers, &json!({"code": code}).to_string())
}

impl<'m> Browser<'m> {
    #[track_caller]
    fn sign_in(machine: &'m Machine, read_only: bool) -> Self {
        let answer = show(machine, &code(machine, read_only), &[]);
        assert_eq!(answer.status, 200, "{answer:?}");
        let cookie = cookie_of(&answer.head);
        let key = answer.json["key"].as_str().expect("a key").to_owned();
        Self { machine, port: port(machine), cookie, key }
    }

    fn cookie_pair(&self) -> String {
        format!("nudge_ui_{}={}", self.port, self.cookie)
    }

    /// A request with both halves.
    #[track_caller]
    fn ask(&self, method: &str, path: &str, more: &[(&str, &str)], body: &Value) -> Answer {
        let cookie = self.cookie_pair();
        let mut headers = vec![("Cookie", cookie.as_str()), ("X-Nudge-Key", self.key.as_str())];
        headers.extend(more);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.machine.request(method, path, &headers, &body)
    }

    #[track_caller]
    fn call(&self, method: &str, params: Value) -> Value {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.ask("POST", "/rpc", &[], &call);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json
    }

    #[track_caller]
    fn socket(&self) -> Socket {
        self.greeted().0
    }

    /// A connection, and what the server says of itself.
    #[track_caller]
    fn greeted(&self) -> (Socket, Value) {
        let (cookie, offer) = (self.cookie_pair(), format!("nudge.v1, key.{}", self.key));
        let headers = [("Cookie", cookie.as_str()), ("Sec-WebSocket-Protocol", offer.as_str())];
        let (mut socket, response) = connect(self.machine, &headers).expect("let in");
        assert!(!format!("{response:?}").contains(&self.key));
        let hello = socket.hear();
        assert_eq!(hello["method"], json!("nudge/hello"));
        (socket, hello["params"].clone())
    }
}

fn cookie_of(head: &str) -> String {
    let line = head.lines().find(|line| line.starts_with("set-cookie:")).expect("a cookie");
    line.split('=').nth(1).and_then(|rest| rest.split(';').next()).expect("a value").to_owned()
}

fn reason(answer: &Answer) -> &str {
    answer.json["error"]["data"]["reason"].as_str().unwrap_or_default()
}

/// @web_two_halves: the cookie alone is nobody, as is the key, and as are halves of two browsers.
#[test]
fn one_half_opens_nothing() {
    let (machine, _server) = served();
    let (one, other) = (Browser::sign_in(&machine, false), Browser::sign_in(&machine, false));
    assert_eq!(one.call("ping", json!({}))["result"]["status"], "healthy");
    let (cookie, key) = (one.cookie_pair(), one.key.as_str());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let twice = format!("{cookie}; {cookie}");
    let renamed = format!("nudge_ui_{}={}", one.port ^ 1, one.cookie);
    let cases: [&[(&str, &str)]; 8] = [
        &[("Cookie", &cookie)],
        &[("X-Nudge-Key", key)],
        &[("Cookie", &cookie), ("X-Nudge-Key", &other.key)],
        &[("Cookie", &cookie), ("X-Nudge-Key", key), ("X-Nudge-Key", key)],
        &[("Cookie", &twice), ("X-Nudge-Key", key)],
        &[("Cookie", &renamed), ("X-Nudge-Key", key)],
        &[("Cookie", &cookie), ("X-Nudge-Key", key), ("Authorization", "Bearer wrong")],
        &[("Cookie", &cookie), ("X-Nudge-Key", "")],
    ];
    for headers in cases {
        for path in ["/rpc", "/ui/session"] {
            let answer = machine.request(if path == "/rpc" { "POST" } else { "GET" }, path, headers, &call);
            assert_eq!(answer.status, 401, "{path} {headers:?}");
        }
    }
    for path in ["/mcp", "/sse", "/events", "/api/sessions", "/nothing"] {
        assert_eq!(one.ask("GET", path, &[], &Value::Null).status, 401, "{path} is not the page's");
    }
}

/// @web_two_halves: the socket of the page needs both halves, and never sends the key back.
#[test]
fn the_socket_needs_both_halves() {
    let (machine, _server) = served();
    let browser = Browser::sign_in(&machine, false);
    let (cookie, offer) = (browser.cookie_pair(), format!("nudge.v1, key.{}", browser.key));
    let refused =
        |headers: &[(&'static str, &str)]| connect(&machine, headers).map(drop).expect_err("rejected");
    assert_eq!(refused(&[("Cookie", &cookie), ("Sec-WebSocket-Protocol", "nudge.v1")]), 401);
    assert_eq!(refused(&[("Sec-WebSocket-Protocol", &offer)]), 401);
    let both = [("Cookie", cookie.as_str()), ("Sec-WebSocket-Protocol", offer.as_str())];
    for foreign in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(refused(&[both[0], both[1], ("Origin", foreign)]), 403, "{foreign}");
    }
    assert_eq!(refused(&[both[0], both[1], ("Sec-Fetch-Site", "same-site")]), 403);
    let mut socket = browser.socket();
    assert_eq!(socket.call("ping", json!({}))["status"], "healthy");
}

/// @web_sign_in: a code counts once, and of five the first is gone.
#[test]
fn a_code_counts_once() {
    let (machine, _server) = served();
    let first = code(&machine, false);
    assert_eq!(show(&machine, &first, &[]).status, 200);
    let again = show(&machine, &first, &[]);
    assert_eq!((again.status, reason(&again)), (403, "wrong_code"));
    assert!(!again.head.contains("set-cookie"), "{}", again.head);
    let codes: Vec<String> = (0..5).map(|_| code(&machine, false)).collect();
    assert_eq!(show(&machine, &codes[0], &[]).status, 403);
    assert!(codes[1..].iter().all(|code| show(&machine, code, &[]).status == 200));
    assert_eq!(reason(&show(&machine, &machine.token(), &[])), "wrong_code", "the token is no code");
}

/// @web_sign_in: only our own page, in a browser of this user, may show a code; a refusal does not
/// use it up.
#[test]
fn only_the_page_shows_a_code() {
    let (machine, _server) = served();
    let code = code(&machine, false);
    let port = port(&machine);
    let other = format!("http://127.0.0.1:{}", port ^ 1);
    let named = format!("http://localhost:{port}");
    for (headers, status) in [
        (&[("Origin", "-")][..], 403),
        (&[("Origin", "null")], 403),
        (&[("Origin", "http://evil.example")], 403),
        (&[("Origin", other.as_str())], 403),
        (&[("Origin", named.as_str())], 403),
        (&[("Sec-Fetch-Site", "-")], 403),
        (&[("Sec-Fetch-Site", "same-site")], 403),
        (&[("Sec-Fetch-Site", "cross-site")], 403),
        (&[("Sec-Fetch-Site", "none")], 403),
        (&[("Host", "evil.example")], 403),
        (&[("Content-Type", "text/plain")], 415),
        (&[("Content-Type", "-")], 415),
    ] {
        assert_eq!(show(&machine, &code, headers).status, status, "{headers:?}");
    }
    let cookie = show(&machine, &code, &[]);
    assert_eq!(cookie.status, 200, "{cookie:?}");
    for part in ["; path=/", "; max-age=2592000", "; httponly", "; samesite=strict"] {
        assert!(cookie.head.contains(part), "{}", cookie.head);
    }
    assert!(cookie.head.contains("cache-control: no-store"), "{}", cookie.head);
}

/// @web_foreign_pages: no other page reads, writes or shows anything, also of the same site.
#[test]
fn other_pages_get_nothing() {
    let (machine, _server) = served();
    let browser = Browser::sign_in(&machine, false);
    let other = format!("http://127.0.0.1:{}", browser.port ^ 1);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for more in [
        &[("Origin", "http://evil.example")][..],
        &[("Origin", "null")],
        &[("Origin", other.as_str())],
        &[("Sec-Fetch-Site", "same-site")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")],
        &[("Host", "evil.example")],
    ] {
        let answer = browser.ask("POST", "/rpc", more, &call);
        assert_eq!(answer.status, 403, "{more:?}");
        assert!(!answer.head.contains("access-control"), "{}", answer.head);
    }
    let get = |path: &str, headers: &[(&str, &str)]| machine.request("GET", path, headers, "").status;
    let asset = format!("/assets/{}", nudge_web::assets().next().expect("a file").name);
    for path in ["/", "/health", asset.as_str()] {
        for (mode, kind) in
            [("no-cors", "image"), ("no-cors", "script"), ("navigate", "iframe"), ("cors", "empty")]
        {
            let headers =
                [("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", kind)];
            assert_eq!(get(path, &headers), 403, "{path} {kind}");
        }
    }
    // A link to the page may be followed from anywhere. It shows the shell, which has no data.
    let link =
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")];
    assert_eq!((get("/", &link), get("/health", &link)), (200, 403));
}

/// @web_policy: every page is the same shell, which loads its own files and nothing else.
#[test]
fn pages_are_one_shell_under_the_strictest_policy() {
    let (machine, _server) = served();
    for path in nudge_web::PAGES.map(|page| page.replace("{id}", "0197c2f4")) {
        let path = path.as_str();
        let page = machine.request("GET", path, &[], "");
        assert_eq!(page.status, 200, "{path}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-opener-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
            "content-type: text/html; charset=utf-8",
            "cache-control: no-cache",
        ] {
            assert!(page.head.contains(header), "{path}: {header}\n{}", page.head);
        }
        assert_eq!(machine.request("POST", path, &[], "").status, 405, "{path}");
    }
    for file in nudge_web::assets() {
        let found = machine.request("GET", &format!("/assets/{}", file.name), &[], "");
        assert_eq!(found.status, 200, "{}", file.name);
        assert!(found.head.contains("immutable") && found.head.contains("nosniff"), "{}", found.head);
    }
    for path in ["/assets/", "/assets/app.js", "/assets/..%2fCargo.toml", "/assets/index.html"] {
        assert_eq!(machine.request("GET", path, &[], "").status, 401, "{path}");
    }
    let host = format!("localhost:{}", port(&machine));
    let elsewhere = machine.request("GET", "/sessions", &[("Host", &host)], "");
    assert_eq!(elsewhere.status, 307);
    assert!(elsewhere.head.contains(&format!("location: http://127.0.0.1:{}/sessions", port(&machine))));
}

/// @web_rights: a browser has the user's rights, but grants none and shows no secret value.
#[test]
fn a_browser_has_the_rights_of_the_user_but_for_a_few() {
    let (machine, _server) = served();
    machine.call("set_hint", hint("build", "make"));
    let mut secret = hint("token", "x1");
    secret["meta"] = json!({"sensitivity": "secret"});
    machine.link().call(&cli(), "set_hint", secret).expect("saved");
    let browser = Browser::sign_in(&machine, false);
    assert!(browser.call("list_proposals", json!({}))["result"]["proposals"].is_array());
    let set = browser.call("set_hint", hint("build", "make all"));
    assert_eq!(set["result"]["hint"]["stated_by"], "the person", "{set}");
    let refused = |answer: Value| answer["error"]["data"]["reason"].as_str().unwrap_or_default().to_owned();
    assert_eq!(refused(browser.call("trust_project", json!({"directory": "/w/p"}))), "cli_only");
    assert_eq!(refused(browser.call("get_hint", at("token"))), "secret_over_mcp");
    let mut saved = hint("other", "x");
    saved["allow_secret"] = json!(true);
    assert_eq!(refused(browser.call("set_hint", saved)), "secret_over_mcp");
}

/// @web_rights: who signed in to read writes nothing.
#[test]
fn a_browser_that_reads_only_writes_nothing() {
    let (machine, _server) = served();
    machine.call("set_hint", hint("build", "make"));
    let browser = Browser::sign_in(&machine, true);
    assert_eq!(browser.ask("GET", "/ui/session", &[], &Value::Null).json["read_only"], json!(true));
    assert_eq!(browser.call("get_hint", at("build"))["result"]["hint"]["value"], "make");
    let set = browser.call("set_hint", hint("build", "rm"));
    assert_eq!(set["error"]["data"]["reason"], "reads_only", "{set}");
    let mut socket = browser.socket();
    assert_eq!(socket.ask("set_hint", hint("build", "rm"))["error"]["data"]["reason"], "reads_only");
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], "make");
}

/// @web_rights: what only the page may call refuses a token, also one with the user's rights.
#[test]
fn a_token_is_no_browser() {
    let (machine, _server) = served();
    for token in [machine.token(), machine.client_token()] {
        let bearer = format!("Bearer {token}");
        for method in ["GET", "DELETE"] {
            let answer = machine.request(method, "/ui/session", &[("Authorization", &bearer)], "");
            assert_eq!((answer.status, reason(&answer)), (403, "browser_only"), "{method}");
        }
    }
    let paths = [
        "/ui/session",
        "/ui/sessions",
        "/ui/sessions/x",
        "/ui/pause",
        "/ui/entries/1",
        "/ui/commands/doctor",
        "/ui/x",
    ];
    for token in [machine.token(), machine.client_token()] {
        let bearer = format!("Bearer {token}");
        for (path, method) in paths
            .iter()
            .flat_map(|path| ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map(|method| (path, method)))
        {
            let answer = machine.request(method, path, &[("Authorization", &bearer)], "");
            assert_eq!(answer.status, 403, "{method} {path}");
        }
        let answer = show(&machine, &code(&machine, false), &[("Authorization", &bearer)]);
        assert_eq!((answer.status, reason(&answer)), (403, "browser_only"), "{answer:?}");
    }
    let bearer = format!("Bearer {}", machine.token());
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "list_proposals"}).to_string();
    let answer = machine.post("/rpc", &[("Authorization", &bearer)], &call);
    assert_eq!(answer.json["error"]["data"]["reason"], "tier", "{answer:?}");
}

/// @web_sign_out: a sign-out, `nudge ui --sign-out` and a new token end sessions and close sockets.
#[test]
fn the_end_of_a_session_closes_its_sockets() {
    let (machine, _server) = served();
    let one = Browser::sign_in(&machine, false);
    let other = Browser::sign_in(&machine, false);
    let (mut first, mut second) = (one.socket(), other.socket());
    let out = one.ask("DELETE", "/ui/session", &[], &Value::Null);
    assert_eq!(out.status, 200, "{out:?}");
    assert!(out.head.contains("max-age=0"), "{}", out.head);
    assert_eq!(one.ask("GET", "/ui/session", &[], &Value::Null).status, 401);
    assert_eq!(first.closed().0, 1008);
    assert_eq!(second.call("ping", json!({}))["status"], "healthy");
    assert_eq!(ui_sessions::end_all(&machine.home).expect("ended"), 1);
    assert_eq!(other.ask("GET", "/ui/session", &[], &Value::Null).status, 401);
    assert_eq!(second.closed().0, 1008);
    let last = Browser::sign_in(&machine, false);
    let mut third = last.socket();
    nudge_client::token::rotate(&machine.home).expect("rotated");
    assert_eq!(last.ask("GET", "/ui/session", &[], &Value::Null).status, 401);
    assert_eq!(third.closed().0, 1008);
}

/// @web_sign_in: a browser stays signed in over a restart, and an unused code does not.
#[test]
fn a_restart_signs_nobody_out() {
    let (machine, mut server) = served();
    let browser = Browser::sign_in(&machine, false);
    let unused = code(&machine, false);
    server.kill();
    let _next: Server = machine.serve_alone(json!({"port": browser.port}));
    assert_eq!(browser.call("ping", json!({}))["result"]["status"], "healthy");
    assert_eq!(reason(&show(&machine, &unused, &[])), "wrong_code");
    let again = browser.ask("GET", "/ui/session", &[], &Value::Null);
    assert!(
        again.head.contains("max-age=2592000") && again.head.contains(&browser.cookie),
        "it is prolonged"
    );
}

/// @web_sign_in: a browser stays signed in over an upgrade, and its next connection says the new
/// version.
#[test]
fn an_upgrade_signs_nobody_out() {
    let machine = Machine::new();
    let mut old = machine.serve_alone(json!({"version": "0.1.0"}));
    let browser = Browser::sign_in(&machine, false);
    let (mut socket, hello) = browser.greeted();
    assert_eq!(hello["version"], json!("0.1.0"), "{hello}");
    let new = machine.serve(json!({"version": "0.2.0"})).greet();
    assert_eq!(socket.closed().0, 1001);
    drop(socket);
    machine.wait_for(|status| status.responding && status.pid == Some(new.pid()) && !status.port_pending);
    assert_eq!(port(&machine), browser.port);
    assert_eq!(browser.call("ping", json!({}))["result"]["status"], "healthy");
    assert_eq!(browser.ask("GET", "/ui/session", &[], &Value::Null).json["version"], json!("0.2.0"));
    let (mut socket, hello) = browser.greeted();
    assert_eq!(hello["version"], json!("0.2.0"), "{hello}");
    assert_eq!(socket.call("ping", json!({}))["status"], "healthy");
    assert_eq!(old.leaves(), Some(0));
}

/// @web_sign_out: a browser sees which are signed in, without anything that opens the page, and
/// signs one of them out; a browser that reads cannot.
#[test]
fn a_browser_lists_the_others_and_ends_one() {
    let (machine, _server) = served();
    let (one, reader) = (Browser::sign_in(&machine, false), Browser::sign_in(&machine, true));
    let list = |browser: &Browser| {
        let answer = browser.ask("GET", "/ui/sessions", &[], &Value::Null);
        assert_eq!(answer.status, 200, "{answer:?}");
        let text = answer.json.to_string();
        assert!(!text.contains(&one.key) && !text.contains(&one.cookie), "{text}");
        answer.json["browsers"].as_array().expect("a list").clone()
    };
    let own = |browser: &Browser| {
        let found: Vec<Value> =
            list(browser).into_iter().filter(|one| one["is_this"] == json!(true)).collect();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    };
    let (this, other) = (own(&one), own(&reader));
    assert_ne!(this["id"], other["id"]);
    assert_eq!((&this["read_only"], &other["read_only"]), (&json!(false), &json!(true)));
    let keys: Vec<&String> = this.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["id", "browser", "read_only", "since", "used", "is_this"]);
    assert!(this["since"].as_i64() <= this["used"].as_i64(), "{this}");
    let path = format!("/ui/sessions/{}", this["id"].as_str().expect("an id"));
    let refused = reader.ask("DELETE", &path, &[], &Value::Null);
    assert_eq!((refused.status, reason(&refused)), (403, "read_only"));
    let mut socket = reader.socket();
    let path = format!("/ui/sessions/{}", other["id"].as_str().expect("an id"));
    assert_eq!(one.ask("DELETE", &path, &[], &Value::Null).status, 200);
    assert_eq!(socket.closed().0, 1008);
    assert_eq!(reader.ask("GET", "/ui/session", &[], &Value::Null).status, 401);
    assert_eq!(list(&one), [own(&one)]);
    let gone = one.ask("DELETE", &path, &[], &Value::Null);
    assert_eq!((gone.status, reason(&gone)), (404, "no_browser"));
    assert_eq!(machine.request("GET", "/ui/sessions", &[], "").status, 401);
}

/// @web_secrecy: no code, cookie or key is in a log or a file, used or not.
#[test]
fn nothing_of_a_sign_in_is_written_down() {
    let machine = Machine::new();
    let _server = machine.serve_alone(json!({"log_level": "debug"}));
    let unused = code(&machine, false);
    let browser = Browser::sign_in(&machine, false);
    show(&machine, &"0".repeat(64), &[]);
    browser.call("no_such_thing", json!({"x": 1}));
    drop(browser.socket());
    machine.request("GET", "/rpc", &[("X-Nudge-Key", &browser.key)], "");
    until(|| {
        let log = std::fs::read_to_string(machine.home.log_dir().join("server.log")).unwrap_or_default();
        log.contains("wrong_code").then_some(())
    });
    let mut files = vec![machine.home.root().to_path_buf()];
    let mut read = 0;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(std::fs::read_dir(&path).expect("listed").flatten().map(|entry| entry.path()));
        } else if let Ok(bytes) = std::fs::read(&path) {
            read += 1;
            let text = String::from_utf8_lossy(&bytes);
            for secret in [&unused, &browser.cookie, &browser.key] {
                assert!(!text.contains(secret.as_str()), "{}", path.display());
            }
        }
    }
    assert!(read > 5, "the files were read");
}

/// @web_live: a page hears of sessions on its one connection, and resumes without a gap.
#[test]
fn the_page_hears_of_sessions() {
    let (machine, _server) = served();
    let browser = Browser::sign_in(&machine, false);
    let mut socket = browser.socket();
    socket.call("subscribe", json!({"sessions": true, "schemes": ["session"]}));
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("round the tax");
    let mut named = |wanted: &str| loop {
        let (name, data) = socket.note();
        if name == wanted {
            return data;
        }
    };
    assert_eq!(named("session.busy")["sessionId"], "s-1");
    agent.stop();
    let stopped = named("session.listChanged");
    let position = stopped["position"].as_i64().expect("a position");
    let found = browser.call("overview", json!({"project": "*"}));
    assert_eq!(found["result"]["stopped"][0]["session_id"], "s-1", "{found}");
    drop(socket);
    let seen = browser.call("update_session", json!({"session": "s-1", "observed": true}));
    assert_eq!(seen["result"]["unobserved"], json!(false), "{seen}");
    std::thread::sleep(Duration::from_millis(60));
    let mut again = browser.socket();
    again.call("subscribe", json!({"sessions": true, "schemes": ["session"], "since": position}));
    let next = loop {
        let (name, data) = again.note();
        if name == "session.listChanged" && data["position"].as_i64() > Some(position) {
            break data;
        }
    };
    assert_eq!((&next["reason"], &next["unobservedCount"]), (&json!("observed"), &json!(0)));
    assert!(browser.call("overview", json!({"project": "*"}))["result"]["stopped"][0].is_null());
}

/// @web_pause: the page pauses capture for a while and ends the pause; a browser that reads cannot.
#[test]
fn the_page_pauses_capture() {
    let (machine, _server) = served();
    let (page, reader) = (Browser::sign_in(&machine, false), Browser::sign_in(&machine, true));
    let ask = |method: &str, path: &str| page.ask(method, path, &[], &Value::Null);
    assert_eq!(ask("GET", "/ui/pause").json["paused"], false);
    for path in ["/ui/pause", "/ui/pause?minutes=0", "/ui/pause?minutes=1441", "/ui/pause?minutes=x"] {
        assert_eq!(ask("POST", path).status, 400, "{path}");
    }
    let refused = reader.ask("POST", "/ui/pause?minutes=60", &[], &Value::Null);
    assert_eq!((refused.status, reason(&refused)), (403, "read_only"));
    let paused = ask("POST", "/ui/pause?minutes=60");
    assert_eq!((paused.status, &paused.json["paused"]), (200, &json!(true)), "{paused:?}");
    let pauses = nudge_memory::capture::pause::Pauses::read(&machine.home, nudge_client::now());
    assert!(pauses.is_everything_paused());
    assert_eq!(reader.ask("GET", "/ui/pause", &[], &Value::Null).json["paused"], true);
    assert_eq!(ask("DELETE", "/ui/pause").json["paused"], false);
    assert_eq!(machine.request("GET", "/ui/pause", &[], "").status, 401);
}

/// @web_delete: an entry is deleted for good, from the database and the index; a browser that reads
/// cannot, and what is no observation or prompt says which command does it.
#[test]
fn the_page_deletes_an_entry_for_good() {
    let (machine, _server) = served();
    let agent = Agent::new(&machine, "s-1");
    agent.start("startup");
    agent.prompt("forget the zebra");
    let (page, reader) = (Browser::sign_in(&machine, false), Browser::sign_in(&machine, true));
    let found = |word: &str| page.call("search", json!({"query": word, "project": "*"}))["result"].clone();
    let id = found("zebra")["results"][0]["id"].as_i64().expect("found");
    let path = format!("/ui/entries/{id}");
    let refused = reader.ask("DELETE", &path, &[], &Value::Null);
    assert_eq!((refused.status, reason(&refused)), (403, "read_only"));
    let deleted = page.ask("DELETE", &path, &[], &Value::Null);
    assert_eq!((deleted.status, &deleted.json["deleted"]), (200, &json!(id)), "{deleted:?}");
    assert_eq!(found("zebra")["results"], json!([]));
    let bytes = std::fs::read(machine.home.db()).expect("read");
    assert!(!bytes.windows(5).any(|part| part == b"zebra"));
    assert_eq!(page.ask("DELETE", &path, &[], &Value::Null).status, 404);
    assert_eq!(page.ask("DELETE", "/ui/entries/x", &[], &Value::Null).status, 400);
}

/// @web_health: of all commands, the page shows what three print; the stories in a browser call
/// those.
#[test]
fn the_page_runs_no_other_command() {
    let (machine, _server) = served();
    let page = Browser::sign_in(&machine, false);
    for other in ["purge", "uninstall", "token", "doctor%20--fix", "--help"] {
        let answer = page.ask("GET", &format!("/ui/commands/{other}"), &[], &Value::Null);
        assert_eq!((answer.status, reason(&answer)), (404, "no_command"), "{other}");
    }
    assert_eq!(machine.request("GET", "/ui/commands/doctor", &[], "").status, 401);
}
