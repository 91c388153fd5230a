//! Web pages that make a browser call the server: foreign names, foreign origins, DNS rebinding.

use nudge_testkit::raw_http::{Reply, Request, provoke};
use serde_json::json;

use crate::access::doors::{HttpServer, call, home};

const PATHS: [(&str, &str); 4] = [("GET", "/"), ("GET", "/health"), ("POST", "/rpc"), ("POST", "/mcp")];

/// A rebinding page reaches 127.0.0.1 under its own name, and would even send a token if it had
/// one. @server_http_auth
#[test]
fn a_request_under_another_name_is_refused_everywhere() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let port = doors.port;
    let other = port ^ 1;
    let foreign = [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("127.0.0.1:{port}.evil.example"),
        format!("evil.example@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}@evil.example"),
        format!("127.0.0.1:{other}"),
        "127.0.0.1".to_owned(),
        "localhost".to_owned(),
        format!("0.0.0.0:{port}"),
        format!("127.0.0.2:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.1:{port}"),
        format!("localhost.:{port}"),
        format!("::1:{port}"),
        format!(":{port}"),
        String::new(),
    ];
    for (method, path) in PATHS {
        for host in &foreign {
            let request = doors.request(method, path).instead("Host", host).token(&doors.token).body("{}");
            let status = request.send(port).status;
            assert!([400, 403].contains(&status), "{method} {path} for {host:?}: {status}");
        }
        for host in [
            format!("127.0.0.1:{port}"),
            format!("localhost:{port}"),
            format!("LOCALHOST:{port}"),
            format!("[::1]:{port}"),
        ] {
            let body = call("list_components", &json!({})).to_string();
            let reply =
                doors.request(method, path).instead("Host", &host).token(&doors.token).body(body).send(port);
            assert!(![401, 403].contains(&reply.status), "{method} {path} for {host}: {reply:?}");
        }
    }
    doors.assert_alive();
}

/// @server_http_auth
#[test]
fn a_request_without_a_name_or_with_two_is_refused() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let ours = format!("127.0.0.1:{}", doors.port);
    for version in ["HTTP/1.1", "HTTP/1.0"] {
        for (method, path) in PATHS {
            let bare = Request::bare(&format!("{method} {path} {version}"))
                .header("Connection", "close")
                .token(&doors.token);
            let status = bare.clone().body("{}").send(doors.port).status;
            assert!([400, 403].contains(&status), "{method} {path} {version}: {status}");
            let twice = bare.header("Host", &ours).header("Host", "evil.example").body("{}");
            let status = twice.send(doors.port).status;
            assert!([400, 403].contains(&status), "{method} {path} {version} with two names: {status}");
        }
    }
}

/// @server_http_auth
#[test]
fn a_request_of_a_foreign_page_is_refused_everywhere() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let port = doors.port;
    let foreign = [
        "null".to_owned(),
        String::new(),
        "https://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        "http://localhost".to_owned(),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://127.0.0.1:{port} https://evil.example"),
        "file://".to_owned(),
        "chrome-extension://abcdefghijklmnop".to_owned(),
    ];
    for (method, path) in PATHS {
        for origin in &foreign {
            let request = doors.request(method, path).header("Origin", origin).token(&doors.token).body("{}");
            let reply = request.send(port);
            assert_eq!(reply.status, 403, "{method} {path} from {origin:?}");
            assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")));
        }
        let both = doors
            .request(method, path)
            .header("Origin", &format!("http://127.0.0.1:{port}"))
            .header("Origin", "null");
        assert_eq!(both.token(&doors.token).body("{}").send(port).status, 403);
    }
    let ours = doors
        .request("POST", "/rpc")
        .header("Origin", &format!("http://localhost:{port}"))
        .token(&doors.token);
    assert_eq!(ours.body(call("list_components", &json!({})).to_string()).send(port).status, 200);
}

/// A page's preflight request gets no permission. @server_http_auth
#[test]
fn a_preflight_is_granted_nothing() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    for path in ["/", "/health", "/rpc", "/mcp"] {
        let request = doors.request("OPTIONS", path).header("Origin", "https://evil.example");
        let request = request
            .header("Access-Control-Request-Method", "POST")
            .header("Access-Control-Request-Headers", "authorization");
        let reply = request.header("Access-Control-Request-Private-Network", "true").send(doors.port);
        assert_eq!(reply.status, 403, "{path}");
        assert!(!reply.headers.iter().any(|(name, _)| name.starts_with("access-control")), "{reply:?}");
    }
}

/// @server_http_auth
#[test]
fn a_request_written_for_a_proxy_must_name_us_twice() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let port = doors.port;
    let ours = format!("127.0.0.1:{port}");
    for (target, host, wanted) in [
        (format!("http://{ours}/health"), ours.clone(), 200),
        ("http://evil.example/health".to_owned(), ours.clone(), 403),
        (format!("http://evil.example:{port}/"), ours.clone(), 403),
        (format!("http://{ours}/health"), "evil.example".to_owned(), 403),
        ("http://evil.example/rpc".to_owned(), "evil.example".to_owned(), 403),
    ] {
        let request = Request::bare(&format!("GET {target} HTTP/1.1"))
            .header("Host", &host)
            .header("Connection", "close");
        assert_eq!(request.token(&doors.token).send(port).status, wanted, "{target} for {host}");
    }
    for line in ["CONNECT evil.example:443 HTTP/1.1", "OPTIONS * HTTP/1.1"] {
        let request = Request::bare(line).header("Host", &ours).header("Connection", "close");
        let reply = Reply::read(&provoke(port, &request.bytes()));
        assert!(reply.is_none_or(|reply| (400..500).contains(&reply.status)), "{line}");
    }
    doors.assert_alive();
}
