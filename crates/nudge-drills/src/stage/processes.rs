//! Processes that drills and benches talk to: a server in the background with a WebSocket to it,
//! its `/health`, and workers that speak lines of JSON.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::{Home, free_port};

/// Longer than any call takes on a busy machine.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// A server in the background of a home. It ends with the value.
pub(crate) struct Daemon {
    home: Home,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Daemon {
    pub(crate) fn start(home: &Home) -> anyhow::Result<Self> {
        Self::start_with(home, &[])
    }

    /// The same, with more variables.
    pub(crate) fn start_with(home: &Home, variables: &[(&str, &str)]) -> anyhow::Result<Self> {
        let home = Home::at(home.path().to_owned(), home.binary().to_owned())?;
        let port = free_port()?;
        let mut serve = home.nudge(&["serve", "--daemon", "--port", &port.to_string()]);
        let output = serve.envs(variables.iter().copied()).output().context("nudge cannot be started")?;
        anyhow::ensure!(output.status.success(), "no server: {}", String::from_utf8_lossy(&output.stderr));
        let token = std::fs::read_to_string(home.memory().join("run/token"))?.trim().to_owned();
        Ok(Self { home, port, token })
    }

    /// Opens a WebSocket to it.
    pub(crate) fn connect(&self) -> anyhow::Result<Socket> {
        Socket::connect(self.port, &self.token)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A server that is gone already has nothing to stop.
        let _ = self.home.run(&["stop"]);
    }
}

/// A WebSocket that speaks JSON-RPC.
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
    last_id: u64,
}

impl Socket {
    /// Opens one to the server on this port.
    pub(crate) fn connect(port: u16, token: &str) -> anyhow::Result<Self> {
        let mut request = format!("ws://127.0.0.1:{port}/ws").into_client_request()?;
        let bearer = HeaderValue::from_str(&format!("Bearer {token}"))?;
        request.headers_mut().insert("Authorization", bearer);
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(CALL_TIMEOUT))?;
        let (socket, _) = client(request, stream).context("/ws does not accept the handshake")?;
        Ok(Self { socket, last_id: 0 })
    }

    /// Opens one with the user's rights, for a program that works in this directory.
    pub(crate) fn of_user(port: u16, token: &str, dir: &Path) -> anyhow::Result<Self> {
        let mut socket = Self::connect(port, token)?;
        let bound = socket.call("init", &json!({"name": "drill", "projectRoot": dir}))?;
        anyhow::ensure!(bound.get("error").is_none(), "/ws does not bind: {bound}");
        Ok(socket)
    }

    /// Sends a request without waiting; returns its id.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> anyhow::Result<u64> {
        self.last_id += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.socket.send(Message::text(request.to_string()))?;
        Ok(self.last_id)
    }

    /// Sends a request and returns its whole answer. Notifications before it are dropped.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        let id = self.send(method, params)?;
        loop {
            let message = self.next_message()?;
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    pub(crate) fn next_message(&mut self) -> anyhow::Result<Value> {
        loop {
            match self.socket.read()? {
                Message::Text(text) => return Ok(serde_json::from_str(text.as_str())?),
                Message::Close(frame) => anyhow::bail!("/ws was closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// Closes it.
    pub(crate) fn close(mut self) -> anyhow::Result<()> {
        Ok(self.socket.close(None)?)
    }
}

// Asks the recorded port which server is there.

/// The timeout of one request; a server that takes longer is not up yet.
const HEALTH_WITHIN: Duration = Duration::from_millis(250);

/// The answer of `/health` on this port, if there is one.
pub(crate) fn health(port: u16) -> Option<Value> {
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_WITHIN).ok()?;
    stream.set_read_timeout(Some(HEALTH_WITHIN)).ok()?;
    stream.set_write_timeout(Some(HEALTH_WITHIN)).ok()?;
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

// A worker process that communicates in lines of JSON.

/// Longer than a worker takes to start or to exit on a busy machine.
const LINE_WITHIN: Duration = Duration::from_secs(60);

/// One worker. Dropping it kills the process; a server that it started exits when its input ends.
pub(crate) struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Worker {
    pub(crate) fn start(mut command: Command, spec: &Value) -> anyhow::Result<Self> {
        command.arg(spec.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("standard output is piped")?;
        let lines = lines_of(stdout);
        Ok(Self { child, stdin, lines })
    }

    /// The next line it prints.
    pub(crate) fn line(&self) -> anyhow::Result<Value> {
        self.line_within(LINE_WITHIN)
    }

    /// The next line it prints, within this time.
    pub(crate) fn line_within(&self, within: Duration) -> anyhow::Result<Value> {
        match self.lines.recv_timeout(within) {
            Ok(line) => serde_json::from_str(&line).with_context(|| format!("not JSON: {line}")),
            Err(RecvTimeoutError::Timeout) => anyhow::bail!("a worker printed nothing for {within:?}"),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("a worker ended without its report"),
        }
    }

    /// Signals it to start, or to stop.
    pub(crate) fn signal(&mut self) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("the worker's input is open")?;
        stdin.write_all(b"\n").and_then(|()| stdin.flush()).context("a worker no longer reads its input")
    }

    /// Waits for the process to exit by itself.
    pub(crate) fn wait(mut self) -> anyhow::Result<()> {
        self.stdin = None;
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "a worker ended with {status}");
        Ok(())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The output of a process, line by line, read by a separate thread so that no caller blocks on a
/// line that does not come.
pub(crate) fn lines_of(stdout: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
