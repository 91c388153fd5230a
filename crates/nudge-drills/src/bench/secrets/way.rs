//! The ways in which events reach the memory, each in its own home.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use nudge_testkit::TEST_DEADLINE;
use serde_json::{Value, json};

use super::case::{Case, Part};
use super::entry_points::{Session, transcript_lines};
use crate::stage::{Home, Programs, Worker, free_port, health};

/// Concurrent hook processes. With the store locked, each waits for its deadline, so more of them
/// cost nothing.
pub(super) const AT_ONCE: usize = 4;
const AT_ONCE_WAITING: usize = 16;

/// How often a hook is run again if it had no time to read.
const MAX_TRIES: usize = 5;

/// The deadline of hooks in seconds. This bench checks what is stored and not how fast, so hooks
/// may take their time where the store is free.
const HOOK_DEADLINE: &str = "10";

/// The longest time that the store stays locked; it is released as soon as the hooks are done.
const LOCKED_MS: u64 = 300_000;

/// How long PRIMARY may take to answer.
const READY_WITHIN: Duration = Duration::from_secs(20);

/// Sends every case as the hooks of an agent would, with nothing else running.
pub(super) fn alone(home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    home.run(&["set", "bench", "first", "cargo build"])?;
    hooks(home, cases, AT_ONCE, &["hook", "claude"], false)?;
    hooks(home, cases, AT_ONCE, &["record"], true)
}

/// The same while PRIMARY runs.
pub(super) fn with_server(home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    home.run(&["set", "bench", "first", "cargo build"])?;
    let mut server = serve(home)?;
    let sent = hooks(home, cases, AT_ONCE, &["hook", "claude"], false);
    home.run(&["stop"])?;
    server.wait()?;
    sent
}

/// The same while another process has the store's lock: everything goes through the spool.
/// `spooled` is called before the spool is imported.
pub(super) fn spooled(
    home: &Home,
    programs: &Programs,
    cases: &[Case],
    mut spooled: impl FnMut(),
) -> anyhow::Result<()> {
    home.run(&["set", "bench", "first", "cargo build"])?;
    let holder = Worker::start(
        programs.command(home, "hold-store"),
        &json!({"databases": [home.database()], "exclusive_ms": LOCKED_MS}),
    )?;
    ensure!(holder.line()?["held"] == true, "the store is not locked");
    hooks(home, cases, AT_ONCE_WAITING, &["hook", "claude"], false)?;
    let waiting = std::fs::read_dir(home.memory().join("run/spool")).into_iter().flatten().count();
    ensure!(waiting > 0, "nothing went through the spool");
    spooled();
    drop(holder);
    home.run(&["maintain"])?;
    Ok(())
}

/// Writes transcripts of all cases and imports them.
pub(super) fn imported(home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    let project = home.path().join("project");
    std::fs::create_dir_all(&project)?;
    let place = home.path().join("transcripts/-project");
    std::fs::create_dir_all(&place)?;
    for (number, chunk) in cases.chunks(100).enumerate() {
        let session = format!("00000000-0000-4000-8000-{number:012}");
        let lines = chunk
            .iter()
            .enumerate()
            .flat_map(|(at, case)| transcript_lines(case, &session, &project, number * 100 + at));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        std::fs::write(place.join(format!("{session}.jsonl")), text)?;
    }
    home.run(&["import", "claude", &place.to_string_lossy()])?;
    Ok(())
}

/// Sets every text as a hint; returns which were rejected as credentials.
pub(super) fn stated(home: &Home, cases: &[Case]) -> anyhow::Result<Vec<bool>> {
    /// Fewer than the limit of a component.
    const IN_COMPONENT: usize = 100;
    let refused = each(cases, AT_ONCE, |number, case| {
        let component = format!("bench-{}-{}", case.part.name(), number / IN_COMPONENT);
        let output = home.nudge(&["set", &component, &case.id, "--json", "--", &case.text]).output()?;
        let said = [output.stdout, output.stderr].concat();
        // Other reasons for a rejection, such as a text that is too long for a hint, do not concern
        // this bench.
        let refused = String::from_utf8_lossy(&said).contains("E_SECRET_REJECTED");
        ensure!(
            refused || output.status.success() || is_other(&said),
            "nudge set says nothing of {}",
            case.id
        );
        Ok(refused || !case.is_look_alike() && !output.status.success())
    })?;
    Ok(refused)
}

fn is_other(said: &[u8]) -> bool {
    String::from_utf8_lossy(said).contains("\"error\"")
}

fn serve(home: &Home) -> anyhow::Result<Child> {
    let port = free_port()?;
    let mut command = home.nudge(&["serve", "--port", &port.to_string()]);
    let log = std::fs::File::create(home.path().join("server.log"))?;
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(log);
    let server = command.spawn().context("nudge serve cannot be started")?;
    let started = Instant::now();
    while health(port).is_none() {
        ensure!(started.elapsed() < READY_WITHIN, "nudge serve does not answer");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(server)
}

/// Runs the hooks of all cases: each case in order, several cases at once.
fn hooks(
    home: &Home,
    cases: &[Case],
    at_once: usize,
    entry_point: &[&str],
    first_only: bool,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(home.path().join("project/.git"))?;
    std::fs::create_dir_all(home.path().join("transcripts"))?;
    each(cases, at_once, |number, case| {
        let session =
            Session { id: format!("{}{number:08}", if first_only { "r" } else { "h" }), home: home.path() };
        if case.part == Part::Thinking {
            let lines = transcript_lines(case, &session.id, &home.path().join("project"), number);
            std::fs::write(session.transcript(), format!("{}\n{}\n", lines[0], lines[1]))?;
        }
        let payloads = session.payloads(case);
        for payload in payloads.iter().take(if first_only { 1 } else { usize::MAX }) {
            fire(home, entry_point, payload, at_once == AT_ONCE).with_context(|| case.id.clone())?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Runs one hook. On a busy machine its time can run out before it has read anything; then it is
/// run again.
pub(super) fn fire(
    home: &Home,
    entry_point: &[&str],
    payload: &Value,
    unhurried: bool,
) -> anyhow::Result<()> {
    for _ in 0..MAX_TRIES {
        let mut command = home.nudge(entry_point);
        if unhurried {
            command.env(TEST_DEADLINE, HOOK_DEADLINE);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().context("nudge cannot be started")?;
        let reported =
            child.stdin.take().context("its input is piped")?.write_all(payload.to_string().as_bytes());
        let output = child.wait_with_output()?;
        ensure!(
            output.status.success() && output.stderr.is_empty(),
            "the hook failed or wrote to standard error"
        );
        if reported.is_ok() {
            return Ok(());
        }
    }
    anyhow::bail!("no hook had the time to read its event")
}

/// Runs a function for each case on several threads, and keeps the order of the results.
pub(super) fn each<T: Send>(
    cases: &[Case],
    at_once: usize,
    act: impl Fn(usize, &Case) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number) else { return Ok(done) };
            done.push((number, act(number, case)?));
        }
    };
    let parts: Vec<anyhow::Result<Vec<(usize, T)>>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("a thread panicked")))
            .collect()
    });
    let mut all: Vec<(usize, T)> =
        parts.into_iter().collect::<anyhow::Result<Vec<_>>>()?.into_iter().flatten().collect();
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, result)| result).collect())
}
