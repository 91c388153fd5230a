//! The transport of a client on stdio: one message per line, and an answer to every invalid line.
//!
//! The library's own transport skips lines that it cannot parse, so a client would wait forever for
//! the answer to a request with half a character in it.

use std::io;
use std::sync::Arc;

use rmcp::model::{ErrorData, NumberOrString, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::JsonRpcMessageCodec;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder;

/// The longest line read; the library's own limit, so that it is the same for all clients.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Messages as lines over a reader and a writer.
pub(super) struct Lines<R, W> {
    reader: BufReader<R>,
    line: BytesMut,
    /// Set while the rest of an overlong line is skipped.
    too_long: Option<IdScanner>,
    writer: Arc<Mutex<Option<W>>>,
    /// The answer to a bad line, being written. Receiving may be cancelled at any time and writing
    /// may not, so it has a separate task; the next line is read when that is done.
    refusing: Option<JoinHandle<()>>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: BytesMut::new(),
            too_long: None,
            writer: Arc::new(Mutex::new(Some(writer))),
            refusing: None,
        }
    }

    /// Reads to the end of a line. If cancelled, it resumes where it was. `None` at the end of
    /// input.
    async fn next(&mut self) -> Option<Result<BytesMut, Refusal>> {
        loop {
            let available = self.reader.fill_buf().await.ok()?;
            if available.is_empty() {
                return None;
            }
            let end = available.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let piece = &available[..end.unwrap_or(available.len())];
            if self.too_long.is_none() && self.line.len() + piece.len() > MAX_LINE {
                let mut scanner = IdScanner::default();
                scanner.feed(&std::mem::take(&mut self.line));
                self.too_long = Some(scanner);
            }
            match &mut self.too_long {
                Some(scanner) => scanner.feed(piece),
                None => self.line.extend_from_slice(piece),
            }
            let taken = piece.len();
            self.reader.consume(taken);
            if end.is_some() {
                return Some(match self.too_long.take() {
                    Some(scanner) => Err(Refusal::too_long(scanner.found())),
                    None => Ok(self.line.split()),
                });
            }
        }
    }

    fn refuse(&mut self, refusal: Refusal) {
        tracing::debug!(code = refusal.error.code.0, "a line of the client is no message");
        let message = TxJsonRpcMessage::<RoleServer>::error(refusal.error, refusal.id);
        let sending = send(self.writer.clone(), message);
        self.refusing = Some(tokio::spawn(async move {
            // A client that no longer reads is noticed when its calls are answered.
            let _ = sending.await;
        }));
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        send(self.writer.clone(), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            match self.next().await? {
                Ok(line) => match read(line) {
                    Ok(Some(message)) => return Some(message),
                    Ok(None) => {}
                    Err(refusal) => self.refuse(refusal),
                },
                Err(refusal) => self.refuse(refusal),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.writer.lock().await.take());
        Ok(())
    }
}

async fn send<W: AsyncWrite + Unpin>(
    writer: Arc<Mutex<Option<W>>>,
    message: TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(&message)?;
    bytes.push(b'\n');
    let mut writer = writer.lock().await;
    let writer = writer.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&bytes).await?;
    writer.flush().await
}

/// The answer to an invalid line.
#[derive(Debug)]
struct Refusal {
    error: ErrorData,
    id: Option<RequestId>,
}

impl Refusal {
    fn too_long(id: Option<RequestId>) -> Self {
        let why = format!("Parse error: a line may have {MAX_LINE} bytes");
        Self { error: ErrorData::parse_error(why, None), id }
    }
}

/// The message of a line; `None` when there is none and no answer is expected.
fn read(line: BytesMut) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Refusal> {
    if line.trim_ascii().is_empty() {
        return Ok(None);
    }
    // The library's parser tolerates known deviations of clients; it consumes its bytes.
    let mut bytes = line.clone();
    match JsonRpcMessageCodec::new().decode(&mut bytes) {
        Ok(message) => Ok(message),
        Err(_) => explain(&line).map_or(Ok(None), Err),
    }
}

fn explain(line: &[u8]) -> Option<Refusal> {
    let mut scanner = IdScanner::default();
    scanner.feed(line);
    let id = scanner.found();
    let value = match serde_json::from_slice::<Value>(line) {
        Ok(value) => value,
        Err(error) => {
            // Only the category and position: the message might be logged, and the line contains
            // values.
            let why = format!("Parse error: no JSON that can be read, at column {}", error.column());
            return Some(Refusal { error: ErrorData::parse_error(why, None), id });
        }
    };
    let is_call = value.get("method").is_some_and(Value::is_string);
    let is_answer = value.get("result").or_else(|| value.get("error")).is_some();
    match (is_call, value.get("id")) {
        // A notification or an answer is not answered.
        (true, None) => None,
        (false, _) if is_answer => None,
        _ => Some(Refusal { error: ErrorData::invalid_request("Invalid request", None), id }),
    }
}

// Finds the id of a request that cannot be parsed.
//
// A client waits for the answer to its id, so a line that is not JSON is searched for one as
// leniently as makes sense: strings and brackets are tracked, everything else is skipped.

/// The longest id considered; no real client uses a longer one.
const MAX_ID: usize = 256;

/// Searches for `"id"` in the outermost object of a line that arrives in pieces.
#[derive(Default)]
struct IdScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// The string or bare word being read at the outermost level.
    word: Vec<u8>,
    state: ScanState,
    found: Option<RequestId>,
}

/// The position within a member of the outermost object.
#[derive(Copy, Clone, Default, PartialEq, Eq)]
enum ScanState {
    #[default]
    Key,
    /// After the colon of a member that is not called `id`.
    Other,
    /// After the colon of `id`.
    Id,
}

impl IdScanner {
    /// Searches the next piece.
    pub(super) fn feed(&mut self, piece: &[u8]) {
        for byte in piece {
            if self.found.is_some() {
                return;
            }
            self.step(*byte);
        }
    }

    /// The id, after the whole line was fed.
    pub(super) fn found(self) -> Option<RequestId> {
        self.found
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.step_in_string(byte);
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.word.clear();
            }
            b'}' | b']' => {
                self.settle();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.state == ScanState::Key => {
                self.state = if self.word == b"\"id\"" { ScanState::Id } else { ScanState::Other };
                self.word.clear();
            }
            b',' if self.depth == 1 => {
                self.settle();
                self.state = ScanState::Key;
            }
            byte if byte.is_ascii_whitespace() => {}
            byte => self.keep(byte),
        }
    }

    fn step_in_string(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.word.len() <= MAX_ID {
            self.word.push(byte);
        }
    }

    /// A value has ended: if it belongs to `id` and is a number or a string, it is found.
    fn settle(&mut self) {
        if self.depth == 1 && self.state == ScanState::Id && self.word.len() <= MAX_ID {
            self.found = serde_json::from_slice::<NumberOrString>(&self.word).ok();
        }
        self.word.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id_of(line: &[u8]) -> Option<RequestId> {
        // In pieces of three, as a pipe might deliver them.
        let mut scanner = IdScanner::default();
        line.chunks(3).for_each(|piece| scanner.feed(piece));
        scanner.found()
    }

    #[test]
    fn the_outermost_id_is_found_wherever_it_stands() {
        let seven = Some(RequestId::Number(7));
        assert_eq!(id_of(br#"{"id":7,"params":{"v":"\ud800"}}"#), seven);
        assert_eq!(id_of(br#"{"params":{"id":1,"v":[1e400,{"id":2}]}, "id" : 7 }"#), seven);
        assert_eq!(id_of(br#"{"method":"\"id\":3,","k":"id","id":7,"#), seven);
        assert_eq!(id_of(b"{\"a\":\"\xff\xfe\",\"id\":\"x\\\"y\"}"), Some(RequestId::String("x\"y".into())));
    }

    #[test]
    fn what_is_no_id_is_not_taken_for_one() {
        for line in [
            &b""[..],
            b"hello",
            b"{",
            br#"["id",7]"#,
            br#"{"id":null,"#,
            br#"{"id":{"id":7}}"#,
            br#"{"id":7"#,
        ] {
            assert_eq!(id_of(line), None, "{}", String::from_utf8_lossy(line));
        }
    }
}
