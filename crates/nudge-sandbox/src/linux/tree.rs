//! The processes of a command: who they are, what they use, and their end.

use std::fs;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions};

/// How long processes are killed that start new ones as fast.
const FIGHT: Duration = Duration::from_secs(5);

/// What the processes of a command use.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Use {
    /// Processes and threads.
    pub(super) processes: u64,
    /// Memory, with what processes share counted for each.
    pub(super) resident_bytes: u64,
}

/// All that descend from a process, without itself.
pub(super) fn descendants(of: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut open = children(of);
    while let Some(pid) = open.pop() {
        found.push(pid);
        open.extend(children(pid));
    }
    found
}

/// The children of all its threads.
fn children(of: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{of}/task")) else { return Vec::new() };
    let mut found = Vec::new();
    for thread in threads.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => found.extend(text.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !has_children_files() => {
                return children_by_parent(of);
            }
            Err(_) => {}
        }
    }
    found
}

/// Whether this kernel lists the children of a thread.
fn has_children_files() -> bool {
    fs::exists("/proc/thread-self/children").unwrap_or(false)
}

fn children_by_parent(of: u32) -> Vec<u32> {
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = all.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|&pid| parent(pid) == Some(of)).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in parentheses and may contain anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// What these use.
pub(super) fn usage(pids: &[u32]) -> Use {
    let mut sum = Use::default();
    for pid in pids {
        sum.processes += fs::read_dir(format!("/proc/{pid}/task")).map_or(1, |tasks| tasks.count() as u64);
        sum.resident_bytes += resident(*pid);
    }
    sum
}

fn resident(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages: u64 = text.split_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * rustix::param::page_size() as u64
}

/// Memory of all of them, with what they share counted once. Slower than [`usage`].
pub(super) fn proportional_bytes(pids: &[u32]) -> u64 {
    pids.iter().map(|&pid| proportional(pid).unwrap_or_else(|| resident(pid))).sum()
}

fn proportional(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Kills all descendants of this process until none is left, and takes their exit statuses.
///
/// This process has adopted orphans, so none of them can leave. `ended` hears of each.
pub(super) fn end_descendants(mut ended: impl FnMut(u32, rustix::process::WaitStatus)) {
    let me = std::process::id();
    let since = Instant::now();
    while since.elapsed() < FIGHT {
        // What has ended is still listed until its status is taken.
        reap(&mut ended);
        let all = descendants(me);
        if all.is_empty() {
            return;
        }
        // Stopped ones cannot start others while the rest is being killed.
        for signal in [Signal::STOP, Signal::KILL] {
            for pid in &all {
                send(*pid, signal);
            }
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Takes the exit status of every child that has ended.
pub(super) fn reap(mut ended: impl FnMut(u32, rustix::process::WaitStatus)) {
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        ended(pid.as_raw_nonzero().get().unsigned_abs(), status);
    }
}

/// Sends a signal to a process that may have ended.
pub(super) fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}
