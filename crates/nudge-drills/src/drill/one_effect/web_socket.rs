//! `/ws`: one connection, one message for each verb.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::surface::{Daemon, Surface};
use super::verb::Verb;
use crate::stage::Home;

/// Longer than any call takes on a busy machine.
const WITHIN: Duration = Duration::from_secs(60);

/// A server in the background, and a connection to it. The connection is closed first.
pub(super) struct Ws {
    socket: WebSocket<TcpStream>,
    _daemon: Daemon,
    last_id: u64,
}

impl Ws {
    pub(super) fn open(home: &Home) -> anyhow::Result<Self> {
        let daemon = Daemon::start(home)?;
        let mut request = format!("ws://127.0.0.1:{}/ws", daemon.port).into_client_request()?;
        let bearer = HeaderValue::from_str(&format!("Bearer {}", daemon.token))?;
        request.headers_mut().insert("Authorization", bearer);
        let stream = TcpStream::connect(("127.0.0.1", daemon.port))?;
        stream.set_read_timeout(Some(WITHIN))?;
        let (socket, _) = client(request, stream).context("/ws does not accept the handshake")?;
        Ok(Self { socket, _daemon: daemon, last_id: 0 })
    }

    fn hear(&mut self) -> anyhow::Result<Value> {
        loop {
            match self.socket.read()? {
                Message::Text(text) => return Ok(serde_json::from_str(text.as_str())?),
                Message::Close(frame) => anyhow::bail!("/ws was closed: {frame:?}"),
                _ => {}
            }
        }
    }
}

impl Surface for Ws {
    fn name(&self) -> &'static str {
        "/ws"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": verb.name, "params": verb.params});
        self.socket.send(Message::text(request.to_string()))?;
        loop {
            let message = self.hear()?;
            if message["id"] == id {
                return Ok(message.get("error").is_some());
            }
        }
    }

    fn close(mut self: Box<Self>) -> anyhow::Result<()> {
        Ok(self.socket.close(None)?)
    }
}
