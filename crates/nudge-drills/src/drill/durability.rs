//! A stated hint is on disk before it is acknowledged. Shows @kernel_durability.
//!
//! `strace` shows the system calls: the write-ahead log is synced after the last write to it and
//! before the reply is sent. Checked once for a command that opens the store itself, and once for
//! PRIMARY answering over its socket.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::stage::Violations;
use crate::stage::{self, Home, Programs};

/// The texts of the hints, which identify the request and the reply in the trace.
const DIRECT_TEXT: &str = "durable-words-of-a-command";

const SERVED_TEXT: &str = "durable-words-over-the-socket";

/// How long PRIMARY may take to start under `strace`, which slows it down a lot.
const READY_WITHIN: Duration = Duration::from_secs(30);

pub(super) fn run() -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let home = Home::of(programs.nudge())?;
    let mut violations = Violations::default();
    // The database already exists, so the trace shows one write and not its creation.
    home.run(&["set", "drill", "first", "cargo build"])?;

    let alone = trace_command(&programs, &home)?;
    judge("nudge set", &alone, ReplyTarget::Stdout, DIRECT_TEXT, &mut violations);
    let served = trace_primary(&programs, &home)?;
    judge("PRIMARY", &served, ReplyTarget::Socket, SERVED_TEXT, &mut violations);
    Ok(violations.close("the log is synced after its last write and before the reply"))
}

fn trace_command(programs: &Programs, home: &Home) -> anyhow::Result<Trace> {
    let file = home.path().join("command.trace");
    let status = traced(home, &file)
        .arg(programs.nudge())
        .args(["set", "drill", "alone", DIRECT_TEXT, "--json"])
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
    while crate::stage::health(port.parse()?).is_none() {
        anyhow::ensure!(Instant::now() < deadline, "no PRIMARY under strace within {READY_WITHIN:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    home.run(&["set", "drill", "served", SERVED_TEXT])?;
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

fn judge(who: &str, trace: &Trace, reply: ReplyTarget, words: &str, violations: &mut Violations) {
    match trace.check_order(reply, words) {
        Ok(story) => println!("{who}: {story}"),
        Err(problem) => violations.unless(false, format!("{who}: {problem}")),
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

// The system calls of a process, in the order in which they ended.

/// The destination of a reply.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum ReplyTarget {
    Stdout,
    Socket,
}

/// The meaning of a trace line, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    /// Something was written to the write-ahead log.
    LogWrite,
    /// The write-ahead log was synced.
    LogSync,
    /// Data was sent to a reader outside.
    Reply(ReplyTarget, String),
}

/// All events of one trace.
#[derive(Debug)]
struct Trace(Vec<Event>);

/// How many events were between write, sync and reply: a summary of the proof.
#[derive(Debug, PartialEq, Eq)]
struct WriteOrder {
    writes: usize,
    syncs: usize,
}

impl Trace {
    fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| format!("no trace at {}", file.display()))?;
        Ok(Self::parse(&String::from_utf8_lossy(&text)))
    }

    /// Reads lines of `strace -f -y`. A call that another interrupts counts at its beginning if it
    /// writes, and at its end if it syncs: a sync only counts once it is done.
    fn parse(text: &str) -> Self {
        let mut unfinished: BTreeMap<&str, &str> = BTreeMap::new();
        let mut events = Vec::new();
        for line in text.lines() {
            let Some((pid, call)) = line.split_once(char::is_whitespace) else { continue };
            let call = call.trim_start();
            if let Some(begun) = call.strip_suffix("<unfinished ...>") {
                unfinished.insert(pid, begun);
                events.extend(event(begun).filter(|event| *event != Event::LogSync));
            } else if call.starts_with("<... ") {
                let begun = unfinished.remove(pid).unwrap_or_default();
                let done = call.trim_end().ends_with("= 0");
                events.extend(event(begun).filter(|event| *event == Event::LogSync && done));
            } else {
                let done = call.trim_end().ends_with("= 0");
                events.extend(event(call).filter(|event| *event != Event::LogSync || done));
            }
        }
        Self(events)
    }

    /// Checks that the reply with these words was sent after the log was written and synced.
    fn check_order(&self, to: ReplyTarget, words: &str) -> Result<WriteOrder, String> {
        let is_reply = |event: &Event| matches!(event, Event::Reply(where_to, text) if *where_to == to && text.contains(words));
        let reply = self.0.iter().position(is_reply).ok_or("the reply is not in the trace")?;
        let before = &self.0[..reply];
        let last_write = before
            .iter()
            .rposition(|event| *event == Event::LogWrite)
            .ok_or("nothing was written to the log")?;
        let syncs = before[last_write..].iter().filter(|event| **event == Event::LogSync).count();
        if syncs == 0 {
            return Err("the reply left before the log was synced".to_owned());
        }
        Ok(WriteOrder { writes: before.iter().filter(|event| **event == Event::LogWrite).count(), syncs })
    }
}

impl fmt::Display for WriteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} writes to the log, {} sync(s) after the last, then the reply", self.writes, self.syncs)
    }
}

/// The meaning of a call `name(fd<target>, …`.
fn event(call: &str) -> Option<Event> {
    let (name, rest) = call.split_once('(')?;
    let (fd, rest) = rest.split_once('<')?;
    let (target, rest) = rest.split_once('>')?;
    let log = target.ends_with("-wal");
    match name {
        "fsync" | "fdatasync" => log.then_some(Event::LogSync),
        "write" | "writev" | "pwrite64" | "pwritev" if log => Some(Event::LogWrite),
        "write" | "writev" if fd == "1" => Some(Event::Reply(ReplyTarget::Stdout, rest.to_owned())),
        "write" | "writev" | "sendto" | "sendmsg"
            if target.contains("socket:") || target.starts_with("UNIX") =>
        {
            Some(Event::Reply(ReplyTarget::Socket, rest.to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: &str = "7 pwrite64(5</h/nudge.db-wal>, \"x\", 4096, 0) = 4096\n";
    const SYNC: &str = "7 fdatasync(5</h/nudge.db-wal>) = 0\n";
    const REPLY: &str = "7 write(1</dev/null>, \"kept the words\", 14) = 14\n";

    #[test]
    fn a_reply_after_the_sync_is_durable() {
        let trace = Trace::parse(&[WRITE, WRITE, SYNC, REPLY].concat());
        assert_eq!(
            trace.check_order(ReplyTarget::Stdout, "the words"),
            Ok(WriteOrder { writes: 2, syncs: 1 })
        );
    }

    #[test]
    fn a_reply_before_the_sync_is_caught() {
        let early = Trace::parse(&[WRITE, REPLY, SYNC].concat());
        assert!(early.check_order(ReplyTarget::Stdout, "the words").is_err());
        let stale = Trace::parse(&[WRITE, SYNC, WRITE, REPLY].concat());
        assert!(stale.check_order(ReplyTarget::Stdout, "the words").is_err());
    }

    #[test]
    fn a_sync_counts_when_it_ends() {
        let begun = "7 fdatasync(5</h/nudge.db-wal> <unfinished ...>\n";
        let socket = "8 sendto(9<socket:[11]>, \"the words\", 9, 0, NULL, 0) = 9\n";
        let ended = "7 <... fdatasync resumed>) = 0\n";
        let early = Trace::parse(&[WRITE, begun, socket, ended].concat());
        assert!(early.check_order(ReplyTarget::Socket, "the words").is_err());
        let durable = Trace::parse(&[WRITE, begun, ended, socket].concat());
        assert_eq!(
            durable.check_order(ReplyTarget::Socket, "the words"),
            Ok(WriteOrder { writes: 1, syncs: 1 })
        );
    }
}
