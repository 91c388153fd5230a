//! The run time of a command that must succeed.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

/// Runs a command and times it from start to exit.
pub(super) fn timed(command: &mut Command) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().context("a command cannot be started")?;
    anyhow::ensure!(status.success(), "{command:?} ended with {status}");
    Ok(start.elapsed())
}
