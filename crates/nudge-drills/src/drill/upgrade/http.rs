//! A minimal HTTP client on the server's port.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::drill::client::COMPONENT;

/// Longer than any handover.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// How often it connects.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Connect {
    /// Once, and again only after the server announced that it closes.
    Once,
    /// For every request.
    EachTime,
}

/// One HTTP client.
pub(super) struct Caller {
    port: u16,
    token: String,
    key: &'static str,
    connect: Connect,
    open: Option<TcpStream>,
}

impl Caller {
    pub(super) fn new(port: u16, token: &str, key: &'static str, connect: Connect) -> Self {
        Self { port, token: token.to_owned(), key, connect, open: None }
    }

    /// Bumps its key over `/rpc`.
    pub(super) fn bump(&mut self) -> Result<(), String> {
        let mut stream = match self.open.take() {
            Some(stream) => stream,
            None => self.connected()?,
        };
        let (head, answer) = self.exchange(&mut stream).map_err(|error| format!("a request: {error}"))?;
        if self.connect == Connect::Once && !head.contains("connection: close") {
            self.open = Some(stream);
        }
        match answer["result"]["hint"]["use_count"].as_u64() {
            Some(_) => Ok(()),
            None => Err(format!("{head} {answer}")),
        }
    }

    /// A connection. If the server asked the client to reconnect, it retries for a short time, as
    /// clients do.
    fn connected(&self) -> Result<TcpStream, String> {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        let attempts = if self.connect == Connect::Once { 100 } else { 1 };
        let mut last = String::new();
        for _ in 0..attempts {
            match TcpStream::connect_timeout(&address, ANSWER_WITHIN) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = format!("a connection: {error}"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(last)
    }

    fn exchange(&self, stream: &mut TcpStream) -> std::io::Result<(String, Value)> {
        let params = json!({"component": COMPONENT, "key": self.key});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "bump", "params": params}).to_string();
        let flags = if self.connect == Connect::Once { "keep-alive" } else { "close" };
        let head = format!(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nConnection: {flags}\r\n\
             Content-Length: {}\r\n\r\n",
            self.port,
            self.token,
            body.len()
        );
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
        loop {
            let read = stream.read(&mut bytes)?;
            if read == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            text.extend_from_slice(&bytes[..read]);
            let so_far = String::from_utf8_lossy(&text);
            if let Some((head, body)) = so_far.split_once("\r\n\r\n")
                && let Ok(answer) = serde_json::from_str(body)
            {
                return Ok((head.to_ascii_lowercase(), answer));
            }
        }
    }
}
