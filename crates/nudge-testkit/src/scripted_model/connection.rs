//! One connection to a scripted model.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::protocol::{Protocol, lookup};
use super::seen::SeenRequest;
use super::shared::Shared;
use super::step::{Say, Step};

/// How often a waiting connection looks whether the server closes.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The longest request that is read.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

struct Request {
    method: String,
    path: String,
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> Option<String> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    }
}

/// Reads one request and answers it. A failure to write means that the client has left.
pub(super) fn serve(mut stream: TcpStream, shared: &Shared) {
    let prepared = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(POLL_INTERVAL)));
    if prepared.is_err() {
        return;
    }
    let Some(request) = read(&mut stream, shared) else { return };
    if answer(&mut stream, &request, shared).is_err() {
        shared.change(|state| state.left += 1);
    }
    drop(stream.shutdown(Shutdown::Both));
}

fn answer(stream: &mut TcpStream, request: &Request, shared: &Shared) -> io::Result<()> {
    let path = request.path.split('?').next().unwrap_or_default();
    if let Some(found) = lookup(&request.method, path) {
        shared.change(|state| state.lookups.push(path.to_owned()));
        return whole(stream, 200, &[], &found.to_string());
    }
    let protocol = Protocol::of(path).filter(|_| request.method == "POST");
    let Some(protocol) = protocol else { return whole(stream, 404, &[], r#"{"error":"no such path"}"#) };
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return whole(stream, 400, &[], r#"{"error":"the body is not JSON"}"#);
    };
    let seen = SeenRequest::new(protocol, path, &|name| request.header(name), body);
    play(stream, protocol, &shared.step(seen), shared)
}

fn play(stream: &mut TcpStream, protocol: Protocol, step: &Step, shared: &Shared) -> io::Result<()> {
    match step {
        Step::Say(say) => speak(stream, protocol, say, shared),
        Step::Fail { status, body, headers } => whole(stream, *status, headers, body),
        Step::HangUp => Ok(()),
        Step::Garbage => whole(stream, 200, &[], "<html><body>It works!</body></html>"),
        Step::BreakAfter { text } => begin(stream, protocol, text),
        Step::EndEarly { text } => {
            begin(stream, protocol, text)?;
            stream.write_all(b"0\r\n\r\n")
        }
        Step::Hang { text } => {
            begin(stream, protocol, text)?;
            wait_for_leaving(stream, shared)
        }
        Step::ErrorInside { text, error } => {
            begin(stream, protocol, text)?;
            piece(stream, protocol.error(error).as_bytes())?;
            stream.write_all(b"0\r\n\r\n")
        }
    }
}

/// The start of a stream, and this text as one piece.
fn begin(stream: &mut TcpStream, protocol: Protocol, text: &str) -> io::Result<()> {
    open(stream, protocol)?;
    piece(stream, protocol.start(None).as_bytes())?;
    if text.is_empty() { Ok(()) } else { piece(stream, protocol.text(text).as_bytes()) }
}

fn speak(stream: &mut TcpStream, protocol: Protocol, say: &Say, shared: &Shared) -> io::Result<()> {
    let mut parts = vec![protocol.start(say.tokens)];
    parts.extend(cut(&say.reasoning, say.chunk).iter().map(|text| protocol.reasoning(text)));
    parts.extend(cut(&say.text, say.chunk).iter().map(|text| protocol.text(text)));
    parts.push(protocol.end(&say.finish, say.tokens));
    open(stream, protocol)?;
    if let Some(size) = say.bytes {
        parts.concat().as_bytes().chunks(size).try_for_each(|bytes| piece(stream, bytes))?;
    } else {
        for part in parts {
            pause(say.delay, shared)?;
            piece(stream, part.as_bytes())?;
        }
    }
    stream.write_all(b"0\r\n\r\n")
}

/// Waits, but not longer than the server lives.
fn pause(delay: Duration, shared: &Shared) -> io::Result<()> {
    let mut rest = delay;
    while !rest.is_zero() {
        if shared.is_closing() {
            return Err(ErrorKind::Interrupted.into());
        }
        std::thread::sleep(rest.min(POLL_INTERVAL));
        rest = rest.saturating_sub(POLL_INTERVAL);
    }
    Ok(())
}

/// Reads until the client closes the connection. That is the error which counts as leaving.
fn wait_for_leaving(stream: &mut TcpStream, shared: &Shared) -> io::Result<()> {
    let mut byte = [0];
    while !shared.is_closing() {
        match stream.read(&mut byte) {
            Ok(0) => return Err(ErrorKind::ConnectionAborted.into()),
            Ok(_) => {}
            Err(error) if is_tick(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_tick(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn cut(text: &str, chars: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(chars).map(|part| part.iter().collect()).collect()
}

/// The head of a stream.
fn open(stream: &mut TcpStream, protocol: Protocol) -> io::Result<()> {
    let kind = protocol.content_type();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

/// A chunk of a stream. An empty one would end it.
fn piece(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk)
}

/// A whole answer.
fn whole(stream: &mut TcpStream, status: u16, headers: &[(String, String)], body: &str) -> io::Result<()> {
    let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Connection: close\r\n{more}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// One request; `None` if the client leaves before it is complete, or the server closes.
fn read(stream: &mut TcpStream, shared: &Shared) -> Option<Request> {
    let mut bytes = Vec::new();
    let mut block = [0; 8192];
    loop {
        if let Some(request) = parse(&bytes) {
            return Some(request);
        }
        if shared.is_closing() || bytes.len() > MAX_REQUEST {
            return None;
        }
        match stream.read(&mut block) {
            Ok(0) => return None,
            Ok(count) => bytes.extend_from_slice(&block[..count]),
            Err(error) if is_tick(&error) => {}
            Err(_) => return None,
        }
    }
}

/// The request, once all of it is there.
fn parse(bytes: &[u8]) -> Option<Request> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut words = head.lines().next()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut request = Request { method, path, head, body: Vec::new() };
    let length: usize = request.header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    request.body = bytes.get(end + 4..end + 4 + length)?.to_vec();
    Some(request)
}
