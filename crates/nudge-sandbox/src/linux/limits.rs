//! Limits: those that the kernel enforces, and those that are measured while a command runs.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::tree;
use crate::ended::Stop;
use crate::level::Level;
use crate::plan::Limits;

/// Open files of a process. Some programs close every possible number before they start another.
const OPEN_FILES: u64 = 8192;

/// The stages run as the same user and are counted with the command.
const STAGES: u64 = 2;

/// Numbers that a PID namespace never gives out again once it has counted to its end.
const RESERVED_PIDS: u64 = 300;

/// How many entries of the project are looked at to find what is new.
const ENTRIES: usize = 50_000;

/// Growth is measured again after this many times what measuring took.
const REST: u32 = 20;

/// Sets the limits that the kernel knows, for this process and all that it starts.
pub(super) fn set(limits: &Limits, level: Level) -> std::io::Result<()> {
    let largest_file = limits.growth_bytes.max(limits.temporary_bytes);
    lower(Resource::Core, 0)?;
    lower(Resource::Fsize, largest_file)?;
    lower(Resource::Nofile, OPEN_FILES)?;
    // Counted per user namespace. Without one, everything that the person runs would count. For the
    // system's root it is never enforced: the PID namespace and measuring do it.
    if level == Level::Full {
        lower(Resource::Nproc, limits.processes + STAGES)?;
    }
    Ok(())
}

fn lower(resource: Resource, to: u64) -> std::io::Result<()> {
    let most = getrlimit(resource).maximum.map_or(to, |most| most.min(to));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

/// How far the PID namespace counts. Since Linux 6.14 each has an end of its own, which holds for
/// root, too. It is a bound for the time between two measurements: the reserved numbers can be used
/// once.
pub(super) fn last_pid(limits: &Limits) -> u64 {
    RESERVED_PIDS + STAGES + limits.processes
}

/// Measures what a command uses.
pub(super) struct Meter {
    limits: Limits,
    growth: Option<Growth>,
}

impl Meter {
    pub(super) fn new(limits: &Limits, root: &Path) -> Self {
        Self { limits: limits.clone(), growth: Growth::new(root, limits.growth_bytes) }
    }

    /// Why the descendants of a process must be stopped, if they must.
    pub(super) fn measure(&mut self, of: u32) -> Option<Stop> {
        let pids = tree::descendants(of);
        let sum = tree::usage(&pids);
        if sum.processes > self.limits.processes {
            return Some(Stop::Processes);
        }
        let memory = self.limits.memory_bytes;
        if sum.resident_bytes > memory && tree::proportional_bytes(&pids) > memory {
            return Some(Stop::Memory);
        }
        self.growth.as_mut().is_some_and(Growth::is_too_much).then_some(Stop::Growth)
    }
}

/// How much a project has grown.
///
/// The file system's own count is asked first, which costs nothing. Only if it has grown as much is
/// the project read; a file that changed since the start counts as a whole. Both must exceed the
/// limit, so that neither other programs nor an old large file stop a command. What is no longer in
/// a directory, and what is among too many files, is in the file system's count alone: at four
/// times the limit that decides.
struct Growth {
    root: PathBuf,
    limit: u64,
    used: u64,
    /// In seconds, as files have it.
    since: i64,
    next: Instant,
}

impl Growth {
    fn new(root: &Path, limit: u64) -> Option<Self> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        let used = used_bytes(root)?;
        Some(Self {
            root: root.to_owned(),
            limit,
            used,
            since: i64::try_from(since).ok()?,
            next: Instant::now(),
        })
    }

    fn is_too_much(&mut self) -> bool {
        let grown = used_bytes(&self.root).unwrap_or(0).saturating_sub(self.used);
        if grown < self.limit || Instant::now() < self.next {
            return false;
        }
        let begin = Instant::now();
        let new_bytes = new_bytes(&self.root, self.since);
        self.next = Instant::now() + (begin.elapsed() * REST).min(Duration::from_secs(5));
        new_bytes >= self.limit || grown >= self.limit.saturating_mul(4)
    }
}

fn used_bytes(root: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(root).ok()?;
    Some(stat.f_blocks.saturating_sub(stat.f_bfree) * stat.f_frsize)
}

/// Bytes of files that changed since then, of as many as are looked at.
fn new_bytes(root: &Path, since: i64) -> u64 {
    let mut open = vec![root.to_owned()];
    let (mut bytes, mut entries) = (0, 0);
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES {
                return bytes;
            }
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => open.push(entry.path()),
                Ok(metadata) if metadata.ctime() >= since => bytes += metadata.blocks() * 512,
                _ => {}
            }
        }
    }
    bytes
}
