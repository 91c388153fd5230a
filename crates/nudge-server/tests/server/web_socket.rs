//! A client of `/ws`, with the library's own handshake and frames.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Error, HandshakeError, Message, WebSocket, client};

use crate::kit::Machine;

/// How long anything may take. Generous, because the machine may be busy building.
const WITHIN: Duration = Duration::from_secs(30);

/// A connected client.
pub struct Socket {
    pub inner: WebSocket<TcpStream>,
    last_id: i64,
    /// Notifications that came before an answer.
    noted: Vec<Value>,
}

/// A handshake with the given headers.
pub fn handshake(port: u16, headers: &[(&'static str, &str)]) -> Request {
    let mut request = format!("ws://127.0.0.1:{port}/ws").into_client_request().expect("a request");
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).expect("a header"));
    }
    request
}

/// Connects, or returns the status of the rejection.
pub fn connect(machine: &Machine, headers: &[(&'static str, &str)]) -> Result<(Socket, Response), u16> {
    let port = machine.status().port.expect("a port");
    let stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
    stream.set_read_timeout(Some(WITHIN)).expect("a time-out");
    match client(handshake(port, headers), stream) {
        Ok((inner, response)) => Ok((Socket { inner, last_id: 0, noted: Vec::new() }, response)),
        Err(HandshakeError::Failure(Error::Http(response))) => Err(response.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

impl Socket {
    /// Connects with the token and takes the greeting.
    #[track_caller]
    pub fn open(machine: &Machine) -> Self {
        let bearer = format!("Bearer {}", machine.token());
        let (mut socket, _) = connect(machine, &[("Authorization", &bearer)]).expect("connected");
        let hello = socket.hear();
        assert_eq!(hello["method"], json!("nudge/hello"), "{hello}");
        socket
    }

    pub fn send(&mut self, text: &str) {
        self.inner.send(Message::text(text)).expect("sent");
    }

    /// The next message that is not a ping.
    #[track_caller]
    pub fn hear(&mut self) -> Value {
        serde_json::from_str(&self.hear_text()).expect("JSON")
    }

    #[track_caller]
    pub fn hear_text(&mut self) -> String {
        loop {
            match self.inner.read().expect("a message in time") {
                Message::Text(text) => return text.to_string(),
                Message::Close(frame) => panic!("closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// Calls a method; returns the whole answer.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
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
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The next notification.
    #[track_caller]
    pub fn note(&mut self) -> (String, Value) {
        let mut note = if self.noted.is_empty() { self.hear() } else { self.noted.remove(0) };
        assert!(note.get("id").is_none(), "{note}");
        (note["method"].as_str().expect("a method").to_owned(), note["params"].take())
    }

    /// How many notifications came before the answers so far.
    pub fn noted(&self) -> usize {
        self.noted.len()
    }

    /// Reads until the server closes the connection; returns the code and the reason.
    #[track_caller]
    pub fn closed(&mut self) -> (u16, String) {
        let began = Instant::now();
        loop {
            match self.inner.read().expect("a close frame") {
                Message::Close(Some(frame)) => return (frame.code.into(), frame.reason.to_string()),
                Message::Close(None) => panic!("closed without a code"),
                _ => assert!(began.elapsed() < WITHIN, "it stays open"),
            }
        }
    }
}
