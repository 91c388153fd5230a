//! The MCP transport from before streamable HTTP: a stream, and posts to it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::kit::{Machine, Server};

struct Stream {
    lines: BufReader<TcpStream>,
}

impl Stream {
    /// Opens a stream on a machine's server.
    fn open(machine: &Machine, query: &str) -> Self {
        let port = machine.status().port.expect("a port");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
        let head = format!(
            "GET /sse{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {}\r\n\r\n",
            machine.token()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        Self { lines: BufReader::new(stream) }
    }

    /// The next event and its data; `None` when the stream has ended.
    fn event(&mut self) -> Option<(String, String)> {
        let mut name = None;
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(said) = line.strip_prefix("event: ") {
                name = Some(said.to_owned());
            }
            if let (Some(data), Some(name)) = (line.strip_prefix("data: "), name.clone()) {
                return Some((name, data.to_owned()));
            }
        }
    }

    fn endpoint(&mut self) -> String {
        let (name, data) = self.event().expect("an event");
        assert_eq!(name, "endpoint");
        data
    }

    fn message(&mut self) -> Value {
        let (name, data) = self.event().expect("an event");
        assert_eq!(name, "message");
        serde_json::from_str(&data).expect("JSON")
    }
}

fn served() -> (Machine, Server) {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({}));
    (machine, server)
}

fn post(machine: &Machine, path: &str, body: &Value) -> u16 {
    let bearer = format!("Bearer {}", machine.token());
    machine.post(path, &[("Authorization", &bearer)], &body.to_string()).status
}

/// @mcp_sse The first event names where to post; each stream gets only the answers to what was
/// posted to it.
#[test]
fn answers_come_on_the_stream_they_were_posted_to() {
    let (machine, _server) = served();
    let (mut one, mut other) = (Stream::open(&machine, ""), Stream::open(&machine, "?profile=full"));
    let (first, second) = (one.endpoint(), other.endpoint());
    assert!(first.starts_with("/messages?session_id=") && first != second, "{first} {second}");
    let list = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
    assert_eq!(post(&machine, &second, &list(2)), 202);
    assert_eq!(post(&machine, &first, &list(1)), 202);
    let (few, all) = (one.message(), other.message());
    assert_eq!((&few["id"], &all["id"]), (&json!(1), &json!(2)));
    let count = |answer: &Value| answer["result"]["tools"].as_array().expect("tools").len();
    assert_eq!(count(&few), 4);
    assert!(count(&all) > 30, "{}", count(&all));
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "ping", "arguments": {}}});
    assert_eq!(post(&machine, &first, &call), 202);
    assert_eq!(one.message()["result"]["structuredContent"]["server"], "nudge");
}

/// @mcp_sse A stream needs the token like everything else, a post needs an open stream, and an
/// invalid message is answered on it.
#[test]
fn strangers_and_the_lost_are_turned_away() {
    let (machine, _server) = served();
    assert_eq!(machine.request("GET", "/sse", &[], "").status, 401);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for path in
        ["/messages", "/messages?session_id=1", "/messages?session_id=00000000-0000-4000-8000-000000000000"]
    {
        assert_eq!(post(&machine, path, &list), 404, "{path}");
    }
    let mut stream = Stream::open(&machine, "");
    let endpoint = stream.endpoint();
    assert_eq!(machine.post(&endpoint, &[], &list.to_string()).status, 401);
    assert_eq!(post(&machine, &endpoint, &json!([list])), 400);
    assert_eq!(stream.message()["error"]["code"], -32600);
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&machine, &endpoint, &notification), 202);
}

/// @mcp_sse The number of streams is limited, closing one frees a slot, and all end with the
/// server.
#[test]
fn streams_are_bounded_and_end_with_the_server() {
    let (machine, server) = served();
    let mut open: Vec<Stream> = (0..32).map(|_| Stream::open(&machine, "")).collect();
    open.iter_mut().for_each(|stream| assert!(stream.endpoint().starts_with("/messages")));
    let bearer = format!("Bearer {}", machine.token());
    assert_eq!(machine.request("GET", "/sse", &[("Authorization", &bearer)], "").status, 503);
    open.truncate(28);
    let again = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        Stream::open(&machine, "").event().is_some_and(|(name, _)| name == "endpoint")
    });
    assert!(again, "no room for another stream");
    server.signal("-TERM");
    assert_eq!(open[0].event(), None, "the stream ends");
}
