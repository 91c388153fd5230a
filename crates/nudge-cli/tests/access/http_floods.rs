//! Floods, slow senders and old protocol versions.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use nudge_testkit::raw_http::{Reply, Request, connect, exchange, provoke};
use serde_json::json;

use crate::access::doors::{HttpServer, call, home};

/// @server_http_limits
#[test]
fn a_flood_of_headers_is_refused() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let many =
        (0..5_000).fold(doors.request("GET", "/health"), |request, n| request.header(&format!("X-{n}"), "y"));
    let long = doors.request("GET", "/health").header("X-Long", &"y".repeat(1_000_000));
    let line = Request::bare(&format!("GET /{} HTTP/1.1", "y".repeat(1_000_000)));
    for request in [many, long, line] {
        let reply = Reply::read(&provoke(doors.port, &request.bytes()));
        assert!(reply.as_ref().is_none_or(|reply| [400, 414, 431].contains(&reply.status)), "{reply:?}");
    }
    doors.assert_alive();
}

/// @server_http_limits
#[test]
fn bytes_that_are_no_http_end_the_connection_only() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let tls = [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0, 0, 0, 0, 0];
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    for bytes in [
        &tls[..],
        preface,
        b"\r\n\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        &[0; 4096],
        b"GET /\0 HTTP/1.1\r\n\r\n",
    ] {
        let reply = Reply::read(&provoke(doors.port, bytes));
        assert!(reply.as_ref().is_none_or(|reply| (400..506).contains(&reply.status)), "{reply:?}");
    }
    doors.assert_alive();
}

/// Two lengths for one body could hide a second request in it. @server_http_limits
#[test]
fn a_body_of_two_lengths_hides_no_second_request() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let hidden = Request::new("POST", "/rpc", doors.port).token(&doors.token);
    let hidden = hidden
        .body(call("set_hint", &json!({"component": "smuggled", "key": "k", "value": "v"})).to_string())
        .bytes();
    let host = format!("127.0.0.1:{}", doors.port);
    let outer = Request::bare("POST /health HTTP/1.1").header("Host", &host);
    for request in [
        outer.clone().header("Content-Length", "0").header("Content-Length", &hidden.len().to_string()),
        outer.clone().header("Content-Length", &hidden.len().to_string()).header("Content-Length", "0"),
    ] {
        let mut bytes = request.bytes();
        bytes.extend_from_slice(&hidden);
        let statuses: Vec<_> =
            Reply::read_all(&exchange(doors.port, &bytes)).iter().map(|reply| reply.status).collect();
        assert_eq!(statuses, [400]);
    }
    assert_eq!(home.run(["ls", "--json"]).json(), json!({"components": []}));
}

/// @server_http_limits
#[test]
fn requests_in_one_write_are_answered_in_order_and_each_shows_its_own_token() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let host = format!("127.0.0.1:{}", doors.port);
    let body = call("list_components", &json!({})).to_string();
    let rpc = || Request::bare("POST /rpc HTTP/1.1").header("Host", &host);
    let mut bytes = Vec::new();
    bytes.extend(Request::bare("GET /health HTTP/1.1").header("Host", &host).bytes());
    bytes.extend(rpc().token(&doors.token).body(body.clone()).bytes());
    bytes.extend(rpc().body(body.clone()).bytes());
    bytes.extend(rpc().token(&doors.token).header("Connection", "close").body(body).bytes());
    let statuses: Vec<_> =
        Reply::read_all(&exchange(doors.port, &bytes)).iter().map(|reply| reply.status).collect();
    assert_eq!(statuses, [200, 200, 401, 200]);
}

/// @server_http_limits
#[test]
fn http_1_0_is_answered_under_the_same_rules() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let host = format!("127.0.0.1:{}", doors.port);
    let body = call("list_components", &json!({})).to_string();
    let ask = |line: &str| Request::bare(line).header("Host", &host);
    assert_eq!(ask("GET /health HTTP/1.0").send(doors.port).status, 200);
    assert_eq!(ask("POST /rpc HTTP/1.0").body(body.clone()).send(doors.port).status, 401);
    assert_eq!(ask("POST /rpc HTTP/1.0").token(&doors.token).body(body).send(doors.port).status, 200);
}

/// How long other callers may wait for an answer, whatever strangers do to the port.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

/// Opens `count` connections, sends these bytes on each and leaves them open.
fn open_connections(doors: &HttpServer, count: usize, bytes: &[u8]) -> Vec<TcpStream> {
    let open = (0..count).map(|_| connect(doors.port).expect("the port accepts connections"));
    open.inspect(|mut stream| {
        // The server has closed some of them for others; writing to those fails.
        let _ = stream.write_all(bytes);
    })
    .collect()
}

/// Asserts that new connections are answered in time, with and without a token.
#[track_caller]
fn answers_in_time(doors: &HttpServer, what: &str) {
    for _ in 0..5 {
        let began = Instant::now();
        let health = Reply::read(&exchange(doors.port, &doors.request("GET", "/health").bytes()));
        assert_eq!(health.map(|reply| reply.status), Some(200), "{what}");
        let body = call("list_components", &json!({})).to_string();
        let listed = doors.request("POST", "/rpc").token(&doors.token).body(body).send(doors.port);
        assert_eq!(listed.status, 200, "{what}");
        assert!(began.elapsed() < ANSWERED_WITHIN, "{what}: {:?}", began.elapsed());
    }
}

/// A client that opens connections and sends nothing, or never finishes a request, does not shut
/// others out. @http_waiting_connections
#[test]
fn connections_that_wait_give_up_their_place_to_a_request() {
    let half: &[u8] = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    for (what, count, bytes) in [
        ("128 silent", 128, &b""[..]),
        ("500 silent", 500, b""),
        ("128 unfinished heads", 128, half),
        ("500 unfinished heads", 500, half),
    ] {
        let home = home();
        let doors = HttpServer::open(&home, &[]);
        let held = open_connections(&doors, count, bytes);
        answers_in_time(&doors, what);
        drop(held);
    }
}

/// The same for connections that were used once and then left open or left in the middle of a
/// second request. @http_waiting_connections
#[test]
fn connections_that_were_used_once_give_up_their_place_too() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let request = Request::bare("GET /health HTTP/1.1").header("Host", &format!("127.0.0.1:{}", doors.port));
    let mut used = open_connections(&doors, 150, &request.bytes());
    for stream in &mut used {
        let mut start = [0; 15];
        let _ = stream.read_exact(&mut start);
    }
    answers_in_time(&doors, "used and idle");
    for stream in &mut used {
        let _ = stream.write_all(b"GET /health HTTP/1.1\r\nX-Slow: ");
    }
    answers_in_time(&doors, "used and unfinished");
}

/// Streams last as long as their clients like, so all of them together leave room for requests.
/// @http_waiting_connections
#[test]
fn streams_leave_room_for_requests() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let open = |path: &str| {
        let mut stream = connect(doors.port).expect("the port accepts connections");
        let request = doors.request("GET", path).token(&doors.token).bytes();
        let mut line = [0; 12];
        let said = stream.write_all(&request).and_then(|()| stream.read_exact(&mut line));
        (said.is_ok() && line == *b"HTTP/1.1 200").then_some(stream)
    };
    let held: Vec<TcpStream> = (0..100).flat_map(|_| [open("/events"), open("/sse")]).flatten().collect();
    answers_in_time(&doors, "streams");
    assert_eq!(held.len(), 96);
}

/// A connection in use stays open while silent ones come and go. @http_waiting_connections
#[test]
fn silent_connections_go_before_one_that_is_used() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let mut used = connect(doors.port).expect("the port accepts connections");
    let host = format!("127.0.0.1:{}", doors.port);
    let request = Request::bare("GET /health HTTP/1.1").header("Host", &host).bytes();
    let mut ask = || {
        used.write_all(&request).expect("the connection is open");
        let mut said = vec![0; 4096];
        let length = used.read(&mut said).expect("the connection is open");
        assert_eq!(Reply::read(&said[..length]).map(|reply| reply.status), Some(200));
    };
    ask();
    let silent = open_connections(&doors, 400, b"");
    ask();
    drop(silent);
}

/// Connections that never finish their headers are closed after a while, even when no other needs
/// the slot. @server_http_limits
#[test]
fn slow_senders_are_put_out_in_the_end() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    let began = Instant::now();
    let mut slow = open_connections(&doors, 100, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    doors.assert_alive();
    home.run(["set", "a", "b", "c"]).ok();
    assert_eq!(home.run(["get", "a", "b", "--json"]).json()["hint"]["value"], "c");
    let mut end = Vec::new();
    let ended = slow.first_mut().expect("one was opened").read_to_end(&mut end);
    assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    assert!(began.elapsed() < Duration::from_secs(25), "a slow sender was kept for {:?}", began.elapsed());
    doors.assert_alive();
}
