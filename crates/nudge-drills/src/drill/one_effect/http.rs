//! `POST /rpc`, one request for each verb.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::surface::Surface;
use super::verb::Verb;
use crate::stage::{Daemon, Home};

/// Longer than any call takes on a busy machine.
const WITHIN: Duration = Duration::from_secs(60);

/// A server in the background, and its token.
pub(super) struct Rpc(Daemon);

impl Rpc {
    pub(super) fn open(home: &Home) -> anyhow::Result<Self> {
        Ok(Self(Daemon::start(home)?))
    }

    fn post(&self, body: &str) -> anyhow::Result<Value> {
        let Daemon { port, token, .. } = &self.0;
        let mut stream = TcpStream::connect(("127.0.0.1", *port))?;
        stream.set_read_timeout(Some(WITHIN))?;
        let length = body.len();
        write!(
            stream,
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("the server answers no HTTP")?;
        anyhow::ensure!(head.starts_with("HTTP/1.1 200"), "/rpc answers {head}");
        serde_json::from_str(body.trim()).with_context(|| format!("not JSON: {body}"))
    }
}

impl Surface for Rpc {
    fn name(&self) -> &'static str {
        "/rpc"
    }

    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": verb.name, "params": verb.in_session()});
        Ok(self.post(&request.to_string())?.get("error").is_some())
    }

    fn close(self: Box<Self>) -> anyhow::Result<()> {
        Ok(())
    }
}
