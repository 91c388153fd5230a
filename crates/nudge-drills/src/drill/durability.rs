//! A stated hint is on disk before it is acknowledged. Shows @kernel_durability.
//!
//! `strace` shows the system calls: the write-ahead log is synced after the last write to it and
//! before the reply is sent. Checked once for a command that opens the store itself, and once for
//! PRIMARY answering over its socket.

mod trace;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::verdict::Verdict;
use crate::stage::{self, Home, Programs};
use trace::{ReplyTarget, Trace};

/// The texts of the hints, which identify the request and the reply in the trace.
const ALONE: &str = "durable-words-of-a-command";
const SERVED: &str = "durable-words-over-the-socket";

/// How long PRIMARY may take to start under `strace`, which slows it down a lot.
const READY_WITHIN: Duration = Duration::from_secs(30);

pub(super) fn run() -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let home = Home::temporary(&programs)?;
    let mut verdict = Verdict::default();
    // The database already exists, so the trace shows one write and not its creation.
    home.run(&["set", "drill", "first", "cargo build"])?;

    let alone = trace_command(&programs, &home)?;
    judge("nudge set", &alone, ReplyTarget::Stdout, ALONE, &mut verdict);
    let served = trace_primary(&programs, &home)?;
    judge("PRIMARY", &served, ReplyTarget::Socket, SERVED, &mut verdict);
    Ok(verdict.close("the log is synced after its last write and before the reply"))
}

fn trace_command(programs: &Programs, home: &Home) -> anyhow::Result<Trace> {
    let file = home.path().join("command.trace");
    let status = traced(home, &file)
        .arg(programs.nudge())
        .args(["set", "drill", "alone", ALONE, "--json"])
        .stdout(Stdio::null())
        .status()
        .context("strace cannot be started")?;
    anyhow::ensure!(status.success(), "nudge set failed under strace");
    Trace::read(&file)
}

fn trace_primary(programs: &Programs, home: &Home) -> anyhow::Result<Trace> {
    let file = home.path().join("primary.trace");
    let port = stage::free_port()?.to_string();
    let mut command = traced(home, &file);
    command
        .arg(programs.nudge())
        .args(["serve", "--port", &port])
        .stdin(Stdio::piped())
        .stdout(Stdio::null());
    let primary = ServerGuard(command.spawn().context("strace cannot be started")?);
    let deadline = Instant::now() + READY_WITHIN;
    while stage::health(port.parse()?).is_none() {
        anyhow::ensure!(Instant::now() < deadline, "no PRIMARY under strace within {READY_WITHIN:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    home.run(&["set", "drill", "served", SERVED])?;
    // Its input ends, it exits, and the trace is complete.
    primary.end()?;
    Trace::read(&file)
}

fn traced(home: &Home, file: &Path) -> Command {
    let mut command = home.program(Path::new("strace"));
    let calls = "trace=fsync,fdatasync,write,writev,pwrite64,pwritev,sendto,sendmsg,read,recvfrom,recvmsg";
    command.args(["-f", "-y", "-s", "65536", "-e", calls, "-o"]).arg(file).arg("--");
    command
}

fn judge(who: &str, trace: &Trace, reply: ReplyTarget, words: &str, verdict: &mut Verdict) {
    match trace.check_order(reply, words) {
        Ok(story) => println!("{who}: {story}"),
        Err(problem) => verdict.demand(false, format!("{who}: {problem}")),
    }
}

/// A server that exits when its input ends, and at the latest when this value is dropped.
struct ServerGuard(Child);

impl ServerGuard {
    fn end(mut self) -> anyhow::Result<()> {
        drop(self.0.stdin.take());
        let status = self.0.wait()?;
        anyhow::ensure!(status.success(), "PRIMARY ended with {status}");
        Ok(())
    }
}

impl Drop for ServerGuard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
