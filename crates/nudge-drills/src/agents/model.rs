//! The scripted model: a server on this machine that follows the script in a prompt.

use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::requests::Requests;
use crate::{repository, stage};

/// Next to the checkout, where every developer and CI have it.
const SCRIPT: &str = "../shared/harness/kit/fake_llm.py";

/// Longer than Python takes to start on a busy machine.
const UP_WITHIN: Duration = Duration::from_secs(20);

/// The running server; dropping it ends the process.
pub(super) struct Model {
    child: Child,
    port: u16,
    requests: Requests,
}

impl Model {
    /// Starts the server, which writes each request below `log`.
    pub(super) fn start(log: &Path) -> anyhow::Result<Self> {
        let script = repository::root().join(SCRIPT);
        anyhow::ensure!(script.is_file(), "the scripted model is missing: {}", script.display());
        std::fs::create_dir_all(log)?;
        let port = stage::free_port()?;
        let mut command = Command::new("python3");
        command.arg("-B").arg(&script).args(["--port", &port.to_string(), "--log"]).arg(log);
        let child = command.stdin(Stdio::null()).spawn().context("python3 cannot be started")?;
        let mut model = Self { child, port, requests: Requests::below(log) };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = model.child.try_wait()? {
                anyhow::bail!("the scripted model ended at once: {status}");
            }
            anyhow::ensure!(began.elapsed() < UP_WITHIN, "the scripted model does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(model)
    }

    /// The address for the agents.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests that it received.
    pub(super) const fn requests(&self) -> &Requests {
        &self.requests
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Its message at the end of every script.
pub(super) const FINAL_MESSAGE: &str = "All done.";

/// A prompt that makes the model call these tools in order and then say that it is done.
pub(super) fn prompt(words: &str, calls: &[Value]) -> String {
    let mut script = calls.to_vec();
    script.push(serde_json::json!({"text": FINAL_MESSAGE}));
    format!("{words} <<SCRIPT {} SCRIPT>>", Value::from(script))
}
