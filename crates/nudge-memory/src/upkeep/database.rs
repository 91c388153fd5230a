//! Upkeep of a whole memory: backups of it, and whether it is intact.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_home::Home;
use nudge_home::Settings;
use nudge_home::host;
use nudge_store::{Access, LATEST, Location, OpenOptions, Store, StoreStats};

use crate::memory::Memory;

/// How long upkeep waits for other processes. The user is watching, and backups are worth the wait.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The result of an examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Why the memory can only be read here, if so.
    pub read_only: Option<String>,
    /// The schema version of the file.
    pub schema: i64,
    /// The newest schema version that this program knows.
    pub known_schema: i64,
    /// Entries of all kinds.
    pub entries: i64,
    /// Live hints.
    pub hints: i64,
    /// The size of the database with its log, in bytes.
    pub bytes: u64,
    /// The findings of the integrity check; empty if the file is intact.
    pub damage: Vec<String>,
}

/// Examines the memory; `None` if there is none yet. Creates nothing. A deep examination also
/// compares every index with its table, row by row.
pub fn examine(home: &Home, now: Timestamp, is_deep: bool) -> Result<Option<Health>, Fault> {
    if !memory_exists(home)? {
        return Ok(None);
    }
    let store = Store::open(&options(home, now))?;
    let damage = if is_deep { store.check()? } else { store.check_quickly()? };
    let stats = match store.stats() {
        Ok(stats) => stats,
        // The damage is already known; failing to count adds nothing.
        Err(_) if !damage.is_empty() => StoreStats::default(),
        Err(error) => return Err(error.into()),
    };
    Ok(Some(Health {
        read_only: match store.access() {
            Access::ReadWrite => None,
            Access::ReadOnly { reason } => Some(reason.to_string()),
        },
        schema: stats.schema_version,
        known_schema: LATEST,
        entries: stats.entries,
        hints: stats.hints,
        bytes: stats.database_bytes + stats.wal_bytes,
        damage,
    }))
}

/// Copies the memory to a new file, and returns the size of the copy. The file must not exist.
pub fn backup(home: &Home, to: &Path, now: Timestamp) -> Result<u64, Fault> {
    if !memory_exists(home)? {
        return Err(no_memory(home));
    }
    if to.symlink_metadata().is_ok() {
        return Err(Fault::invalid("file_exists", format!("{} already exists", to.display()))
            .next("choose another name, or move that file"));
    }
    if let Some(dir) = to.parent().filter(|dir| *dir == home.backups_dir()) {
        nudge_home::home::private_dir::secure(dir)?;
    }
    let store = Store::open(&options(home, now))?;
    store.backup_to(to)?;
    let size = std::fs::metadata(to).map_err(|error| unwritable(to, error))?.len();
    Ok(size)
}

/// Opens the memory for upkeep, even while a server has it open.
pub fn open(home: &Home, settings: &Settings, now: Timestamp) -> Result<Memory, Fault> {
    if !memory_exists(home)? {
        return Err(no_memory(home));
    }
    let store = Store::open(&options(home, now))?;
    Ok(Memory::open(store, settings.clone()))
}

/// Opens the memory for reading; `None` if there is none yet. Creates nothing.
pub fn open_for_reading(home: &Home, now: Timestamp) -> Result<Option<Memory>, Fault> {
    if !memory_exists(home)? {
        return Ok(None);
    }
    let store = Store::open(&OpenOptions { read_only: true, ..options(home, now) })?;
    Ok(Some(Memory::open(store, Settings::default())))
}

/// The path of a backup without a given name: dated to the second, in the memory's own directory,
/// and not taken yet.
pub fn dated_backup(home: &Home, now: Timestamp) -> PathBuf {
    let stamp: String = now.to_string().chars().take(19).map(|c| if c == ':' { '-' } else { c }).collect();
    let named = |more: &str| home.backups_dir().join(format!("nudge-{stamp}{more}.db"));
    let again = (2..100).map(|number| named(&format!("-{number}")));
    // Two backups within a second get two names.
    std::iter::once(named(""))
        .chain(again)
        .find(|path| path.symlink_metadata().is_err())
        .unwrap_or_else(|| named(""))
}

/// Replaces the memory with a backup, after checking it. Other processes may have the memory open.
/// Returns the path that the old memory was moved to, if there was one.
pub fn restore(home: &Home, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, Fault> {
    home.prepare()?;
    let before = backups(home);
    ensure_replaceable(home)?;
    Store::restore(from, &options(home, now))?;
    import_pending_spool(home, now)?;
    // A removed memory may leave an empty file behind, which does not count.
    let holds_something = |file: &PathBuf| file.metadata().is_ok_and(|found| found.len() > 0);
    Ok(backups(home).into_iter().find(|file| !before.contains(file) && holds_something(file)))
}

/// Refuses to replace anything but a file: it is not Nudge's, and is not moved away.
fn ensure_replaceable(home: &Home) -> Result<(), Fault> {
    let db = home.db();
    if db.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        let why = format!("{} is a directory where the memory should be", db.display());
        return Err(Fault::invalid("not_a_file", why).next("move it, then restore again"));
    }
    Ok(())
}

/// Imports what hooks could not store in the meantime.
fn import_pending_spool(home: &Home, now: Timestamp) -> Result<(), Fault> {
    let memory = Memory::open(Store::open(&options(home, now))?, Settings::default());
    // Whatever cannot be imported now stays in the spool.
    let _ = memory.import_spool(home, now, None);
    Ok(())
}

/// Creates an empty memory in place of one that is gone or damaged; its remains are moved to the
/// backups.
pub fn create_empty(home: &Home, now: Timestamp) -> Result<(), Fault> {
    home.prepare()?;
    ensure_replaceable(home)?;
    let is_sound = match Store::open(&options(home, now)).and_then(|store| store.check()) {
        Ok(findings) => findings.is_empty(),
        Err(error) if error.is_loss() => false,
        Err(error) => return Err(error.into()),
    };
    if is_sound {
        let why = "the memory is intact, so it is not replaced";
        return Err(
            Fault::invalid("memory_sound", why).next("to delete what it contains, see `nudge purge --help`")
        );
    }
    Store::replace_lost_store(&options(home, now))?;
    import_pending_spool(home, now)
}

/// The newest backup next to the memory that can be restored. Reads backups until one is intact.
pub fn newest_intact_backup(home: &Home) -> Option<PathBuf> {
    let is_backup = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.ends_with(".db") && !name.starts_with("nudge-damaged-")
    };
    let age = |path: &PathBuf| path.symlink_metadata().and_then(|found| found.modified()).ok();
    let mut found: Vec<PathBuf> = backups(home).into_iter().filter(is_backup).collect();
    found.sort_by_key(age);
    found.into_iter().rev().find(|path| nudge_store::is_restorable(path))
}

/// Whether there is a memory. Fails if there was one and it is gone.
fn memory_exists(home: &Home) -> Result<bool, Fault> {
    Ok(nudge_store::is_made(&home.db())?)
}

fn backups(home: &Home) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.backups_dir()).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

fn options(home: &Home, now: Timestamp) -> OpenOptions {
    OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: host::identity(),
        now,
        busy: BUSY_TIMEOUT,
        backups: Some(home.backups_dir()),
    }
}

fn no_memory(home: &Home) -> Fault {
    let why = format!("there is no memory at {}", home.db().display());
    Fault::new(FaultKind::NotFound, "no_memory", why).next("set a hint first with `nudge set`")
}

fn unwritable(path: &Path, error: std::io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
        .because(error)
        .next("choose a file in a directory that you can write to")
}
