//! The faults during the drill: PRIMARY dies again and again, a migration locks the store, the disk
//! fills.

use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use serde_json::json;

use super::plan::Random;
use crate::stage::{self, Home, Programs, Worker};
use nudge_testkit::SmallDisk;

/// How long the migration locks the store.
const LOCK_TIME: Duration = Duration::from_secs(2);

/// The disk stays full at least this long, until this many processes have run into it, and until
/// something was dropped: writes into space that a file already had still fit.
const FULL_FOR: Duration = Duration::from_secs(1);
const FULL_EVENTS: usize = 200;

/// And no longer than this, however slow the machine is.
const MAX_FULL: Duration = Duration::from_secs(15);

/// How long a server may take to answer before it is killed anyway.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// A period of time.
#[derive(Copy, Clone, Debug)]
pub(super) struct Span {
    pub(super) from: Instant,
    pub(super) to: Instant,
}

impl Span {
    /// Whether any part of something that began then and took this long is in the period.
    pub(super) fn touches(&self, began: Instant, took: Duration) -> bool {
        began <= self.to && began + took >= self.from
    }
}

/// The periods of the faults.
#[derive(Copy, Clone, Debug)]
pub(super) struct FaultSpans {
    pub(super) migration: Span,
    pub(super) full: Span,
}

/// The progress of the sessions.
pub(super) struct Progress<'d> {
    pub(super) sent: &'d AtomicUsize,
    pub(super) all: usize,
    pub(super) over: &'d AtomicBool,
}

impl Progress<'_> {
    /// Waits until this share of all processes has run; fails if the sessions end before that.
    fn wait_for_share(&self, percent: usize) -> anyhow::Result<()> {
        while self.sent.load(Ordering::Relaxed) * 100 < self.all * percent {
            anyhow::ensure!(!self.over(), "the sessions ended early");
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// Locks the store for a while, and later fills the disk for a while.
pub(super) fn inject_faults(
    programs: &Programs,
    home: &Home,
    disk: &SmallDisk,
    course: &Progress<'_>,
) -> anyhow::Result<FaultSpans> {
    course.wait_for_share(25)?;
    let migration = migrate(programs, home)?;
    course.wait_for_share(50)?;
    let full = fill(disk, home, course)?;
    Ok(FaultSpans { migration, full })
}

fn migrate(programs: &Programs, home: &Home) -> anyhow::Result<Span> {
    let spec = json!({"databases": [home.database()], "exclusive_ms": LOCK_TIME.as_millis() as u64});
    let worker = Worker::start(programs.command(home, "hold-store"), &spec)?;
    worker.line().context("the migration did not get the store")?;
    let from = Instant::now();
    worker.line().context("the migration did not end")?;
    let to = Instant::now();
    worker.wait()?;
    Ok(Span { from, to })
}

fn fill(disk: &SmallDisk, home: &Home, course: &Progress<'_>) -> anyhow::Result<Span> {
    let (from, clock) = (Instant::now(), SystemTime::now());
    let sent = course.sent.load(Ordering::Relaxed);
    let mut ballast = disk.fill();
    let enough = || {
        let met = course.sent.load(Ordering::Relaxed) - sent;
        let long = from.elapsed() >= FULL_FOR && met >= FULL_EVENTS && is_noted_since(home, clock);
        long || from.elapsed() >= MAX_FULL || course.over()
    };
    while !enough() {
        ballast.top_up();
        std::thread::sleep(Duration::from_millis(2));
    }
    drop(ballast);
    Ok(Span { from, to: Instant::now() })
}

/// Whether anything was written to the drop record since then.
fn is_noted_since(home: &Home, since: SystemTime) -> bool {
    let record = std::fs::metadata(home.memory().join("run/drops"));
    record.and_then(|found| found.modified()).is_ok_and(|modified| modified > since)
}

/// Starts PRIMARY, kills it, and starts it again until the sessions are over. Returns when it was
/// killed.
pub(super) fn kill_servers(home: &Home, course: &Progress<'_>) -> anyhow::Result<Vec<Span>> {
    let port = stage::free_port()?;
    let mut random = Random::new(77);
    let mut kills = Vec::new();
    while !course.over() {
        let mut server = serve(home, port)?;
        let started = Instant::now();
        let life = Duration::from_millis(100 + random.below(900));
        let mut ready = None;
        loop {
            if ready.is_none() && crate::stage::health(port).is_some() {
                ready = Some(Instant::now());
            }
            let lived = ready.is_some_and(|since| since.elapsed() >= life);
            // With a full disk it may exit by itself.
            let left = server.try_wait()?.is_some();
            if lived || left || course.over() || (ready.is_none() && started.elapsed() >= READY_WITHIN) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let from = Instant::now();
        server.kill()?;
        server.wait()?;
        if ready.is_some() {
            kills.push(Span { from, to: Instant::now() });
        }
        // For a while there is no server.
        std::thread::sleep(Duration::from_millis(random.below(300)));
    }
    Ok(kills)
}

fn serve(home: &Home, port: u16) -> anyhow::Result<Child> {
    let mut command = home.nudge(&["serve", "--port", &port.to_string()]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().context("nudge serve cannot be started")
}

/// Imports the events that hooks left in the spool.
pub(super) fn drain_spool(home: &Home) -> anyhow::Result<()> {
    home.run(&["maintain"])?;
    let spool = home.memory().join("run/spool");
    let left = std::fs::read_dir(&spool).into_iter().flatten().count();
    anyhow::ensure!(left == 0, "{left} files are left in {} after `nudge maintain`", spool.display());
    Ok(())
}
