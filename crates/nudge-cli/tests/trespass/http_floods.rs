//! Floods, slow senders and old ways of speaking.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use nudge_testkit::raw_http::{Reply, Request, connect, exchange, provoke};
use serde_json::json;

use crate::doors::{Doors, call, home};

/// How long the server waits for a request's head.
const HEAD_WITHIN: Duration = Duration::from_secs(10);

/// @server_http_limits
#[test]
fn a_flood_of_headers_is_refused() {
    let home = home();
    let doors = Doors::open(&home, &[]);
    let many =
        (0..5_000).fold(doors.request("GET", "/health"), |request, n| request.header(&format!("X-{n}"), "y"));
    let long = doors.request("GET", "/health").header("X-Long", &"y".repeat(1_000_000));
    let line = Request::bare(&format!("GET /{} HTTP/1.1", "y".repeat(1_000_000)));
    for request in [many, long, line] {
        let reply = Reply::read(&provoke(doors.port, &request.bytes()));
        assert!(reply.as_ref().is_none_or(|reply| [400, 414, 431].contains(&reply.status)), "{reply:?}");
    }
    doors.is_well();
}

/// @server_http_limits
#[test]
fn bytes_that_are_no_http_end_the_connection_only() {
    let home = home();
    let doors = Doors::open(&home, &[]);
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
    doors.is_well();
}

/// Two lengths for one body could hide a second request in it. @server_http_limits
#[test]
fn a_body_of_two_lengths_hides_no_second_request() {
    let home = home();
    let doors = Doors::open(&home, &[]);
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
    let doors = Doors::open(&home, &[]);
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
    let doors = Doors::open(&home, &[]);
    let host = format!("127.0.0.1:{}", doors.port);
    let body = call("list_components", &json!({})).to_string();
    let ask = |line: &str| Request::bare(line).header("Host", &host);
    assert_eq!(ask("GET /health HTTP/1.0").send(doors.port).status, 200);
    assert_eq!(ask("POST /rpc HTTP/1.0").body(body.clone()).send(doors.port).status, 401);
    assert_eq!(ask("POST /rpc HTTP/1.0").token(&doors.token).body(body).send(doors.port).status, 200);
}

/// Heads that never end hold a connection each; others are served meanwhile, our own programs always, and the
/// slow ones are put out in the end. @server_http_limits
#[test]
fn slow_senders_do_not_keep_others_waiting() {
    let home = home();
    let doors = Doors::open(&home, &[]);
    let began = Instant::now();
    let slow = |count: usize| -> Vec<_> {
        let open = (0..count).filter_map(|_| connect(doors.port).ok());
        open.map(|mut stream| {
            let _ = stream.write_all(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
            stream
        })
        .collect()
    };
    let mut first = slow(100);
    doors.is_well();
    let second = Instant::now();
    let mut rest = slow(200);
    // The port has 128 places, fewer than these alone: the last of them was closed unanswered, and so is who comes now.
    let mut nothing = Vec::new();
    let _ = rest.last_mut().expect("one was opened").read_to_end(&mut nothing);
    assert!(nothing.is_empty() && second.elapsed() < HEAD_WITHIN, "{:?} {nothing:?}", second.elapsed());
    let health = || Reply::read(&provoke(doors.port, &doors.request("GET", "/health").bytes()));
    assert!(health().is_none(), "there was room for one more");
    assert!(second.elapsed() < HEAD_WITHIN, "the slow ones were put out before this was seen");
    home.run(["set", "a", "b", "c"]).ok();
    assert_eq!(home.run(["get", "a", "b", "--json"]).json()["hint"]["value"], "c");
    let mut end = Vec::new();
    let ended = first.first_mut().expect("one was opened").read_to_end(&mut end);
    assert!(ended.is_ok() || ended.is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset));
    assert!(began.elapsed() < Duration::from_secs(25), "a slow sender was kept for {:?}", began.elapsed());
    let deadline = Instant::now() + Duration::from_secs(10);
    while health().is_none() {
        assert!(Instant::now() < deadline, "the port stays closed after the flood");
        std::thread::sleep(Duration::from_millis(20));
    }
    doors.is_well();
    drop((first, rest));
}
