//! A worker process that communicates in lines of JSON.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

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
            Err(RecvTimeoutError::Timeout) => anyhow::bail!("a worker said nothing for {within:?}"),
            Err(RecvTimeoutError::Disconnected) => anyhow::bail!("a worker ended without its report"),
        }
    }

    /// Signals it to start, or to stop.
    pub(crate) fn signal(&mut self) -> anyhow::Result<()> {
        let stdin = self.stdin.as_mut().context("the worker's input is open")?;
        stdin.write_all(b"\n").and_then(|()| stdin.flush()).context("a worker no longer listens")
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
