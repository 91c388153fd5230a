//! The state of the database, its storage, who has it open, and how to recover it.

use std::fs;
use std::path::Path;

use nudge_client::open;
use nudge_client::status::ServerStatus;
use nudge_core::Fault;
use nudge_harness::install::quoted;
use nudge_home::Home;
use nudge_memory::upkeep::{self, Health};

use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::words::count;

const STORE_CHECK: &str = "store";

/// Whether the database is intact. A problem comes with the steps to fix it: every other failure
/// sends the user to this check, so this check must not send them to itself.
pub(super) fn check_store(home: &Home, is_deep: bool) -> Finding {
    match upkeep::examine(home, now(), is_deep) {
        Ok(None) => Finding::ok(STORE_CHECK, "empty"),
        Ok(Some(health)) => examined(home, &health),
        Err(fault) => {
            let way_out = way_out(home, &fault);
            Finding::fail(STORE_CHECK, fault.message, way_out)
        }
    }
}

fn examined(home: &Home, health: &Health) -> Finding {
    if let Some(first) = health.damage.first() {
        let more = health.damage.len() - 1;
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        return Finding::fail(STORE_CHECK, format!("damaged: {first}{rest}"), recovery_steps(home, true));
    }
    let facts = format!(
        "intact: {}, {}, {} KiB, schema {}",
        count(health.hints, "hint"),
        if health.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", health.entries) },
        health.bytes.div_ceil(1024),
        health.schema
    );
    match &health.read_only {
        None => check_write_access(home, facts),
        Some(why) => {
            let way_out = if health.schema > health.known_schema {
                "update nudge: a newer one wrote this memory".to_owned()
            } else {
                let dir = home.root().display();
                format!("make {dir} and its files writable for you, or run this where they are")
            };
            Finding::warn(STORE_CHECK, format!("{facts}; it can be read but not written: {why}"), way_out)
        }
    }
}

/// An intact memory, and whether other processes let us write to it.
fn check_write_access(home: &Home, facts: String) -> Finding {
    match open::wait_for_write_lock(home) {
        Ok(()) => Finding::ok(STORE_CHECK, facts),
        Err(fault) => {
            let is_held = fault.reason == Fault::BUSY;
            let why = if is_held { "another process holds the write lock" } else { &fault.message };
            Finding::warn(STORE_CHECK, format!("{facts}; {why}"), way_out(home, &fault))
        }
    }
}

fn way_out(home: &Home, fault: &Fault) -> String {
    match fault.reason.as_str() {
        Fault::BUSY => {
            let users =
                processes_with_open(&home.db()).map_or_else(String::new, |users| format!(" ({users})"));
            format!("wait for the process that is writing{users}, or end it; `server` below names ours")
        }
        Fault::FILE => "make the file readable and writable for you, or pass --home".to_owned(),
        Fault::MEMORY_GONE => recovery_steps(home, false),
        Fault::DAMAGED | Fault::MIGRATION_CHANGED | Fault::DATABASE => recovery_steps(home, true),
        _ => match &fault.next {
            Some(next) if !next.contains("nudge doctor") => next.clone(),
            _ => recovery_steps(home, true),
        },
    }
}

/// The steps to recover a memory, with the name of the backup to use.
fn recovery_steps(home: &Home, is_there: bool) -> String {
    let readable =
        if is_there { " `nudge export --output FILE` saves the hints that can still be read." } else { "" };
    match upkeep::newest_intact_backup(home) {
        Some(file) => format!(
            "restore the newest intact backup: `nudge restore {} --yes`; the present files are saved in backups",
            quoted(&file.to_string_lossy())
        ),
        None => format!(
            "there is no intact backup in {}. If you have one elsewhere: `nudge restore FILE --yes`.\
             {readable} To start with an empty memory: \
             `nudge restore --anew --yes`, which saves the present files in backups",
            home.backups_dir().display()
        ),
    }
}

// Which other processes have the memory open.

/// The other processes that have this file open, as far as the system shows them to us. `None` if
/// it shows none.
fn processes_with_open(file: &Path) -> Option<String> {
    // The links of open files point to the real path.
    let file = file.canonicalize().ok()?;
    let mut pids: Vec<u32> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id() && has_open(*pid, &file))
        .collect();
    pids.sort_unstable();
    let pids: Vec<String> = pids.iter().map(|pid| format!("pid {pid}")).collect();
    (!pids.is_empty()).then(|| pids.join(", "))
}

fn has_open(pid: u32, file: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.into_iter().any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|path| path == file))
}

// Checks the storage of the memory: a local disk, a network, or a layer of a container.

const DISK_CHECK: &str = "disk";

/// File systems on which locks and memory maps do not work between machines, by their Linux magic
/// number.
const NETWORK_FILESYSTEMS: [(u64, &str); 7] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x6573_5546, "FUSE, perhaps over a network"),
    (0x0102_1997, "9p, shared by a host"),
    (0x0161_1970, "a network (virtiofs or 9p)"),
];

/// The writable layer of a container. It is deleted with the container.
const OVERLAY_MAGIC: u64 = 0x794c_7630;

/// Whether the memory's storage is safe.
pub(super) fn check_storage(home: &Home, server: &ServerStatus) -> Finding {
    let nearest = home.root().ancestors().find(|dir| dir.exists()).unwrap_or(home.root());
    let kind = kind_of(nearest);
    let container = container();
    if let Some((_, name)) = NETWORK_FILESYSTEMS.iter().find(|(number, _)| Some(*number) == kind) {
        return Finding::warn(
            DISK_CHECK,
            format!("{} is on {name}: two machines that write it at once can damage it", nearest.display()),
            "put it on a disk of this machine: set NUDGE_HOME, or pass --home to `nudge install`",
        );
    }
    if let Some(pid) = server.pid.filter(|pid| server.running && !is_visible(*pid)) {
        return Finding::warn(
            DISK_CHECK,
            format!(
                "the server (pid {pid}) is no process that can be seen here: a container shares this memory"
            ),
            "give each container its own memory with NUDGE_HOME, or run all agents on one side",
        );
    }
    match container {
        Some(name) if kind == Some(OVERLAY_MAGIC) => Finding::warn(
            DISK_CHECK,
            format!("{} is inside {name} and goes with it", nearest.display()),
            "mount a volume there, or set NUDGE_HOME to a directory that stays",
        ),
        Some(name) => Finding::ok(DISK_CHECK, format!("in {name}, on storage that stays")),
        None => Finding::ok(DISK_CHECK, "on this machine"),
    }
}

#[cfg(target_os = "linux")]
fn kind_of(path: &Path) -> Option<u64> {
    // The numbers have 32 bits; some systems store them in signed fields.
    rustix::fs::statfs(path).ok().map(|facts| facts.f_type as u64 & 0xffff_ffff)
}

#[cfg(not(target_os = "linux"))]
fn kind_of(_: &Path) -> Option<u64> {
    None
}

/// The container that this process runs in, detected by the marks of the usual container tools.
fn container() -> Option<&'static str> {
    let is_set = std::env::var_os("container").is_some_and(|value| !value.is_empty());
    let is_docker = Path::new("/.dockerenv").exists();
    let is_podman = Path::new("/run/.containerenv").exists();
    (is_set || is_docker || is_podman).then_some("a container")
}

fn is_visible(pid: u32) -> bool {
    !Path::new("/proc/self").exists() || Path::new("/proc").join(pid.to_string()).exists()
}
