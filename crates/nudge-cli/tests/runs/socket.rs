//! A small WebSocket client that blocks: text frames, and nothing else.

use std::io::{Read, Write};
use std::net::TcpStream;

use nudge_testkit::raw_http::connect;
use serde_json::{Value, json};

use crate::runs::kit::Scene;

/// The port of the server.
pub(crate) fn port(scene: &Scene) -> u16 {
    let status = scene.run(&["status", "--json"]).json();
    u16::try_from(status["port"].as_u64().expect("a port")).expect("a port")
}

/// A new token with the user's rights.
pub(crate) fn client_token(scene: &Scene, name: &str) -> String {
    let made = scene.run(&["token", "client", name, "--json"]).json();
    made["token"].as_str().expect("a token").to_owned()
}

/// A connection that is bound to the project of a scene.
pub(crate) struct Socket {
    stream: TcpStream,
    last_id: u64,
    /// Notifications in the order in which they came.
    pub(crate) noted: Vec<Value>,
}

impl Socket {
    /// Connects as a program with an agent's rights, and calls `init`. The project is known.
    pub(crate) fn open(scene: &Scene) -> Self {
        scene.run(&["entry", "set", "note://here", "x"]).ok();
        let token = std::fs::read_to_string(scene.home.memory().join("run/token")).expect("a token");
        let mut socket = Self::connect(scene, token.trim());
        socket.call("init", json!({"name": "shop", "projectRoot": scene.dir}));
        socket
    }

    /// Makes a client token, and connects with it.
    pub(crate) fn of_user(scene: &Scene) -> Self {
        Self::connect(scene, &client_token(scene, "editor"))
    }

    /// Connects with a token, and takes the greeting.
    pub(crate) fn connect(scene: &Scene, token: &str) -> Self {
        let port = port(scene);
        let mut stream = connect(port).expect("the server accepts connections");
        let head = format!(
            "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
             Authorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        let mut socket = Self { stream, last_id: 0, noted: Vec::new() };
        assert_eq!(socket.hear()["method"], "nudge/hello");
        socket
    }

    /// Sends a text in one frame. A client masks what it sends; this mask changes nothing.
    fn send(&mut self, text: &str) {
        let length = u16::try_from(text.len()).expect("a short text");
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend(length.to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.stream.write_all(&frame).expect("sent");
    }

    /// The next message.
    pub(crate) fn hear(&mut self) -> Value {
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head).expect("a frame in time");
            let length = match head[1] & 0x7f {
                126 => {
                    let mut bytes = [0; 2];
                    self.stream.read_exact(&mut bytes).expect("a length");
                    u64::from(u16::from_be_bytes(bytes))
                }
                127 => {
                    let mut bytes = [0; 8];
                    self.stream.read_exact(&mut bytes).expect("a length");
                    u64::from_be_bytes(bytes)
                }
                short => u64::from(short),
            };
            let mut body = vec![0; usize::try_from(length).expect("a length")];
            self.stream.read_exact(&mut body).expect("a body");
            if head[0] == 0x81 {
                return serde_json::from_slice(&body).expect("JSON");
            }
        }
    }

    /// Calls a method; returns the whole answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let message = self.hear();
            if message["id"] == json!(id) {
                return message;
            }
            self.noted.push(message);
        }
    }

    /// Calls a method that must succeed.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The next notification of this method. It is not heard again.
    pub(crate) fn note(&mut self, method: &str) -> Value {
        loop {
            if let Some(place) = self.noted.iter().position(|note| note["method"] == method) {
                return self.noted.remove(place);
            }
            let message = self.hear();
            self.noted.push(message);
        }
    }

    /// Listens until such a notification comes.
    pub(crate) fn listen_until(&mut self, wanted: impl Fn(&Value) -> bool) {
        while !self.noted.iter().any(&wanted) {
            let message = self.hear();
            self.noted.push(message);
        }
    }
}
