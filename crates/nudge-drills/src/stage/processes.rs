//! A server in the background of a home, and a WebSocket to it.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::{Home, free_port};

/// Longer than any call takes on a busy machine.
const WITHIN: Duration = Duration::from_secs(60);

/// A server in the background of a home. It ends with the value.
pub(crate) struct Daemon {
    home: Home,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Daemon {
    pub(crate) fn start(home: &Home) -> anyhow::Result<Self> {
        let home = Home::at(home.path().to_owned(), home.binary().to_owned())?;
        let port = free_port()?;
        home.run(&["serve", "--daemon", "--port", &port.to_string()])?;
        let token = std::fs::read_to_string(home.memory().join("run/token"))?.trim().to_owned();
        Ok(Self { home, port, token })
    }

    /// Opens a WebSocket to it.
    pub(crate) fn connect(&self) -> anyhow::Result<Socket> {
        let mut request = format!("ws://127.0.0.1:{}/ws", self.port).into_client_request()?;
        let bearer = HeaderValue::from_str(&format!("Bearer {}", self.token))?;
        request.headers_mut().insert("Authorization", bearer);
        let stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(WITHIN))?;
        let (socket, _) = client(request, stream).context("/ws does not accept the handshake")?;
        Ok(Socket { socket, last_id: 0 })
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
