//! Asks the recorded port which server is there.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// The timeout of one request; a server that takes longer is not up yet.
const WITHIN: Duration = Duration::from_millis(250);

/// The answer of `/health` on this port, if there is one.
pub(crate) fn health(port: u16) -> Option<Value> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, WITHIN).ok()?;
    stream.set_read_timeout(Some(WITHIN)).ok()?;
    stream.set_write_timeout(Some(WITHIN)).ok()?;
    let request = format!("GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 200") {
        return None;
    }
    serde_json::from_str(body.trim()).ok()
}
