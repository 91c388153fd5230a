//! A server of models on this machine.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Place;
use crate::stage::{free_port, health};

/// How long a server may take to load its model.
const READY_WITHIN: Duration = Duration::from_secs(180);

/// A server. One that was started here ends with the value.
pub(super) struct ModelServer {
    /// The address, without a path.
    pub(super) url: String,
    child: Option<Child>,
}

impl ModelServer {
    /// Starts a server and waits until it has loaded the model; one that runs already is only
    /// named.
    pub(super) fn start(place: &Place) -> anyhow::Result<Self> {
        let (gguf, serve) = match place {
            Place::Url(url) => return Ok(Self { url: url.clone(), child: None }),
            Place::File { gguf, serve } => (gguf, serve),
        };
        anyhow::ensure!(gguf.exists(), "{} is missing", gguf.display());
        let port = free_port()?;
        let filled = |word: &str| {
            word.replace("{model}", &gguf.to_string_lossy()).replace("{port}", &port.to_string())
        };
        let words: Vec<String> = serve.split_whitespace().map(filled).collect();
        let (program, rest) = words.split_first().context("--serve is empty")?;
        let mut command = Command::new(program);
        command.args(rest).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("{program} cannot be started"))?;
        let mut server = Self { url: format!("http://127.0.0.1:{port}"), child: Some(child) };
        server.wait(port)?;
        Ok(server)
    }

    fn wait(&mut self, port: u16) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_WITHIN;
        while health(port).is_none() {
            if let Some(status) = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                anyhow::bail!("the server ended with {status}");
            }
            anyhow::ensure!(Instant::now() < deadline, "the server is not ready after {READY_WITHIN:?}");
            std::thread::sleep(Duration::from_millis(200));
        }
        Ok(())
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
