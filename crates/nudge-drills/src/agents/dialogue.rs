//! An agent that exchanges lines of JSON with the test while it runs.

use std::collections::VecDeque;
use std::io::Write;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use anyhow::Context;
use serde_json::Value;

use super::ended::WITHIN;
use crate::stage::lines_of;

/// How many of its last lines are shown when it fails.
const REMEMBERED: usize = 8;

/// The running agent; dropping it ends the process.
pub(super) struct Dialogue {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last: VecDeque<String>,
}

impl Dialogue {
    pub(super) fn start(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("{command:?} cannot be started"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("standard output is piped")?;
        let lines = lines_of(stdout);
        Ok(Self { child, stdin, lines, last: VecDeque::new() })
    }

    pub(super) fn say(&mut self, message: &Value) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("its input is open until the end")?;
        let line = format!("{message}\n");
        let said = stdin.write_all(line.as_bytes()).and_then(|()| stdin.flush());
        said.with_context(|| format!("the agent no longer listens; it said last: {:?}", self.last))
    }

    /// Skips messages until the wanted one arrives.
    pub(super) fn hear(&mut self, wanted: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        loop {
            let line = self.lines.recv_timeout(WITHIN).map_err(|why| {
                let why = match why {
                    RecvTimeoutError::Timeout => "said nothing more",
                    RecvTimeoutError::Disconnected => "ended",
                };
                anyhow::anyhow!("the agent {why}; it said last: {:?}", self.last)
            })?;
            let heard = serde_json::from_str(&line).ok().filter(|value| wanted(value));
            if self.last.len() == REMEMBERED {
                self.last.pop_front();
            }
            self.last.push_back(line);
            if let Some(heard) = heard {
                return Ok(heard);
            }
        }
    }

    /// Closes its input and waits for it to exit by itself.
    pub(super) fn end(mut self) -> anyhow::Result<()> {
        self.stdin = None;
        while self.lines.recv_timeout(WITHIN).is_ok() {}
        let status = self.child.wait()?;
        anyhow::ensure!(status.success(), "the agent ended with {status}; it said last: {:?}", self.last);
        Ok(())
    }
}

impl Drop for Dialogue {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
