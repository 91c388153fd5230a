//! What clients on the port see when a newer server takes over.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::{Machine, at, hint};

/// A connection that stays open between requests.
struct KeptAlive {
    stream: TcpStream,
    port: u16,
    token: String,
}

impl KeptAlive {
    fn open(machine: &Machine) -> Self {
        let port = machine.status().port.expect("a port");
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("time-out");
        Self { stream, port, token: machine.token() }
    }

    /// Calls an operation over `/rpc`; returns the head of the answer and its result.
    #[track_caller]
    fn call(&mut self, method: &str, params: Value) -> (String, Value) {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let head = format!(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
            self.port,
            self.token,
            body.len()
        );
        self.stream.write_all(format!("{head}{body}").as_bytes()).expect("it is read");
        let mut text = String::new();
        let mut bytes = [0; 4096];
        loop {
            let read = self.stream.read(&mut bytes).expect("an answer");
            assert!(read > 0, "the connection was closed without an answer: {text}");
            text.push_str(std::str::from_utf8(&bytes[..read]).expect("text"));
            if let Some((head, body)) = text.split_once("\r\n\r\n")
                && let Ok(Value::Object(answer)) = serde_json::from_str(body)
            {
                return (head.to_ascii_lowercase(), answer["result"].clone());
            }
        }
    }

    /// Whether the server has closed it.
    fn is_closed(&mut self) -> bool {
        matches!(self.stream.read(&mut [0; 1]), Ok(0))
    }
}

/// An open connection to the old PRIMARY is answered once more, from the new one's memory, and then
/// closed. New connections reach the new PRIMARY. @upgrade_http
#[test]
fn an_open_connection_gets_its_answer_and_is_closed() {
    let machine = Machine::new();
    let mut old = machine.serve_alone(json!({"version": "0.1.0"}));
    machine.call("set_hint", hint("build", "make"));
    let mut open = KeptAlive::open(&machine);
    let (head, answer) = open.call("get_hint", at("build"));
    assert_eq!(answer["hint"]["value"], json!("make"));
    assert!(!head.contains("connection: close"), "{head}");
    let mut unused = KeptAlive::open(&machine);
    let new = machine.serve(json!({"version": "0.2.0"})).greet();
    let status = machine.wait_for(|status| status.responding && status.pid == Some(new.pid()));
    for connection in [&mut open, &mut unused] {
        let (head, answer) = connection.call("bump", at("build"));
        assert!(head.contains("connection: close"), "{head}");
        assert!(answer["hint"]["use_count"].is_u64(), "{answer}");
        assert!(connection.is_closed());
    }
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["use_count"], json!(2));
    // Nothing keeps the old one running any more.
    assert_eq!(old.leaves(), Some(0));
    machine.wait_for(|status| !status.port_pending);
    let health = machine.request("GET", "/health", &[], "").json;
    assert_eq!((&health["instance"], &health["version"]), (&json!(status.instance), &json!("0.2.0")));
}

/// The port is refused only for an instant. @upgrade_http
#[test]
fn the_port_is_served_again_at_once() {
    let machine = Machine::new();
    let _old = machine.serve(json!({"version": "0.1.0"})).greet();
    let port = machine.wait_for(|status| status.responding).port.expect("a port");
    let (mut longest, mut refused_since) = (Duration::ZERO, None::<Instant>);
    let new = machine.serve(json!({"version": "0.2.0"}));
    let began = Instant::now();
    let mut done = None::<Instant>;
    while done.is_none_or(|at| at.elapsed() < Duration::from_millis(200)) {
        match TcpStream::connect(("127.0.0.1", port)) {
            Ok(_) => longest = longest.max(refused_since.take().map_or(Duration::ZERO, |at| at.elapsed())),
            Err(_) => drop(refused_since.get_or_insert_with(Instant::now)),
        }
        // Without a pause the connections would fill the port's queue, and the system would drop
        // one.
        std::thread::sleep(Duration::from_millis(1));
        if done.is_none() && machine.status().pid == Some(new.pid()) {
            done = Some(Instant::now());
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the newer server does not take over");
    }
    assert!(refused_since.is_none() && longest < Duration::from_secs(1), "{longest:?}");
}
