//! Raw HTTP: the test controls every byte of a request.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// How long a reply may take. Generous, because the machine may be busy building.
const ANSWER_WITHIN: Duration = Duration::from_secs(40);

/// A loopback port that is free right now.
pub fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port is free");
    listener.local_addr().expect("a bound listener has an address").port()
}

/// Opens a connection to a loopback port.
pub fn connect(port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    stream.set_write_timeout(Some(ANSWER_WITHIN))?;
    Ok(stream)
}

/// A request being written. Has Host and `Connection: close` unless they are left out.
#[derive(Clone, Debug)]
pub struct Request {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request with this request line, such as `GET /health HTTP/1.1`, and no headers.
    pub fn bare(line: &str) -> Self {
        Self { line: line.to_owned(), headers: Vec::new(), body: Vec::new() }
    }

    /// A valid request to the server on this port.
    pub fn new(method: &str, path: &str, port: u16) -> Self {
        Self::bare(&format!("{method} {path} HTTP/1.1"))
            .header("Host", &format!("127.0.0.1:{port}"))
            .header("Connection", "close")
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces a header.
    #[must_use]
    pub fn instead(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.header(name, value)
    }

    /// Adds this token.
    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// Adds a body and its length.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.header("Content-Length", &length)
    }

    /// The bytes on the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{}\r\n", self.line);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Sends it to the server on this port; there must be a reply.
    #[track_caller]
    pub fn send(&self, port: u16) -> Reply {
        let said = exchange(port, &self.bytes());
        Reply::read(&said)
            .unwrap_or_else(|| panic!("no reply to {}: {:?}", self.line, String::from_utf8_lossy(&said)))
    }
}

/// Sends bytes on a new connection and reads until the server closes it.
#[track_caller]
pub fn exchange(port: u16, bytes: &[u8]) -> Vec<u8> {
    converse(port, bytes, |_| {})
}

/// The same with an incomplete request: closes the sending half after the bytes, so that the server
/// does not wait for the rest.
#[track_caller]
pub fn provoke(port: u16, bytes: &[u8]) -> Vec<u8> {
    converse(port, bytes, |stream| {
        let _ = stream.shutdown(Shutdown::Write);
    })
}

#[track_caller]
fn converse(port: u16, bytes: &[u8], at_the_end: fn(&TcpStream)) -> Vec<u8> {
    let mut stream = connect(port).expect("the server accepts connections");
    let mut writing = stream.try_clone().expect("a socket can be shared");
    let bytes = bytes.to_vec();
    // A server that rejects a request early stops reading; only its answer counts.
    let writer = std::thread::spawn(move || {
        let _ = writing.write_all(&bytes);
        at_the_end(&writing);
    });
    let mut said = Vec::new();
    let mut piece = [0; 64 * 1024];
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        said.extend_from_slice(&piece[..length]);
    }
    drop(stream);
    writer.join().expect("the thread that sends does not panic");
    said
}

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// Names in lowercase.
    pub headers: Vec<(String, String)>,
    /// The body; bytes that are not text are replaced.
    pub body: String,
}

impl Reply {
    /// Reads the first reply in these bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Self::read_all(bytes).into_iter().next()
    }

    /// Reads every reply in these bytes, in order.
    pub fn read_all(mut bytes: &[u8]) -> Vec<Self> {
        let mut replies = Vec::new();
        while let Some((reply, rest)) = Self::split(bytes) {
            replies.push(reply);
            bytes = rest;
        }
        replies
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]);
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let rest = &bytes[end + 4..];
        let length =
            headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, text)| text.parse().ok());
        let (body, rest) = rest.split_at(length.unwrap_or(rest.len()).min(rest.len()));
        Some((Self { status, headers, body: String::from_utf8_lossy(body).into_owned() }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_distinguished_by_their_length() {
        let wire =
            b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 401 Unauthorized\r\nX-A: b\r\n\r\n";
        let replies = Reply::read_all(wire);
        assert_eq!(
            replies.iter().map(|reply| (reply.status, reply.body.as_str())).collect::<Vec<_>>(),
            [(200, "{}"), (401, "")]
        );
        assert_eq!(replies[1].header("x-a"), Some("b"));
    }

    #[test]
    fn a_request_is_written_as_it_was_put_together() {
        let request = Request::bare("POST / HTTP/1.0").header("Host", "a").instead("host", "b").body("x");
        assert_eq!(request.bytes(), b"POST / HTTP/1.0\r\nhost: b\r\nContent-Length: 1\r\n\r\nx");
    }
}
