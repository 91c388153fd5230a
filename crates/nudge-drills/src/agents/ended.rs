//! Runs an agent to its end, with a time limit for the session.

use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::Context;

/// A session takes about two seconds; an overloaded machine takes longer.
pub(super) const WITHIN: Duration = Duration::from_secs(120);

/// Runs a command to its end, or kills it when the time is up.
pub(super) fn run_to_end(mut command: Command) -> anyhow::Result<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?} cannot be started"))?;
    let pid = rustix::process::Pid::from_child(&child);
    let (done, over) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        let late = over.recv_timeout(WITHIN).is_err();
        if late {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        late
    });
    // Both pipes are read while it runs: an agent may print more than fits into a pipe.
    let stderr = child.stderr.take().context("standard error is piped")?;
    let reader = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
    let stdout = std::io::read_to_string(child.stdout.take().context("standard output is piped")?)?;
    let status = child.wait()?;
    let _ = done.send(());
    let late = watch.join().unwrap_or(true);
    let stderr = reader.join().unwrap_or_default();
    anyhow::ensure!(!late, "the agent did not end within {WITHIN:?}: {stdout}\n{stderr}");
    Ok(Output { status, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() })
}

/// What it printed, for debugging.
pub(super) fn shown(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}: {out}\n{err}", output.status)
}
