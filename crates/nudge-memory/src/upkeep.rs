//! Upkeep of a memory as a whole: copies of it, and whether it is sound.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_store::{Access, LATEST, Location, OpenOptions, Store, StoreStats};

use crate::home::Home;
use crate::host;
use crate::memory::Memory;
use crate::settings::Settings;

/// How long upkeep waits for other processes. A person is watching, and copies are worth waiting for.
const BUSY: Duration = Duration::from_secs(10);

/// What an examination found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Why the memory can only be read here, if so.
    pub read_only: Option<String>,
    /// The schema version of the file.
    pub schema: i64,
    /// The newest schema version this program knows.
    pub known_schema: i64,
    /// Entries of all kinds.
    pub entries: i64,
    /// Hints that are alive.
    pub hints: i64,
    /// Size of the database with its log.
    pub bytes: u64,
    /// What the integrity check says; empty when the file is sound.
    pub damage: Vec<String>,
}

/// Examines the memory; `None` when there is none yet. Nothing is created.
pub fn examine(home: &Home, now: Timestamp) -> Result<Option<Health>, Fault> {
    if !home.db().exists() {
        return Ok(None);
    }
    let store = Store::open(&options(home, now))?;
    let damage = store.check()?;
    let stats = match store.stats() {
        Ok(stats) => stats,
        // What is wrong is known already; that it cannot be counted adds nothing.
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

/// Copies the memory to a file that must not exist, and returns the size of the copy.
pub fn backup(home: &Home, to: &Path, now: Timestamp) -> Result<u64, Fault> {
    if !home.db().exists() {
        return Err(no_memory(home));
    }
    if to.symlink_metadata().is_ok() {
        return Err(Fault::invalid("file_exists", format!("{} exists already", to.display()))
            .next("choose another name, or move that file away"));
    }
    if let Some(dir) = to.parent().filter(|dir| *dir == home.backups_dir()) {
        crate::home::private_dir::create(dir).map_err(|error| unwritable(to, &error))?;
    }
    let store = Store::open(&options(home, now))?;
    store.backup_to(to)?;
    let size = std::fs::metadata(to).map_err(|error| unwritable(to, &error))?.len();
    Ok(size)
}

/// Opens the memory to keep house in it, whether or not a server has it open too.
pub fn open(home: &Home, settings: &Settings, now: Timestamp) -> Result<Memory, Fault> {
    if !home.db().exists() {
        return Err(no_memory(home));
    }
    let store = Store::open(&options(home, now))?;
    Ok(Memory::open(store, settings.clone()))
}

/// Opens the memory to look at it; `None` when there is none yet. Nothing is created.
pub fn look(home: &Home, now: Timestamp) -> Result<Option<Memory>, Fault> {
    if !home.db().exists() {
        return Ok(None);
    }
    let store = Store::open(&OpenOptions { read_only: true, ..options(home, now) })?;
    Ok(Some(Memory::open(store, Settings::default())))
}

/// Where a backup goes that was given no name: dated to the second, in the memory's own directory, where nothing lies yet.
pub fn dated_backup(home: &Home, now: Timestamp) -> PathBuf {
    let stamp: String = now.to_string().chars().take(19).map(|c| if c == ':' { '-' } else { c }).collect();
    let named = |more: &str| home.backups_dir().join(format!("nudge-{stamp}{more}.db"));
    let again = (2..100).map(|number| named(&format!("-{number}")));
    // Two within a second are two.
    std::iter::once(named(""))
        .chain(again)
        .find(|path| path.symlink_metadata().is_err())
        .unwrap_or_else(|| named(""))
}

/// Puts a backup in the place of the memory, after checking it; others may have the memory open.
/// Returns where the memory that was there is kept, if there was one.
pub fn restore(home: &Home, from: &Path, now: Timestamp) -> Result<Option<PathBuf>, Fault> {
    home.prepare()?;
    let before = backups(home);
    Store::restore(from, &options(home, now))?;
    Ok(backups(home).into_iter().find(|file| !before.contains(file)))
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
        busy: BUSY,
        backups: Some(home.backups_dir()),
    }
}

fn no_memory(home: &Home) -> Fault {
    let why = format!("there is no memory at {}", home.db().display());
    Fault::new(FaultKind::NotFound, "no_memory", why).next("leave a hint first with `nudge set`")
}

fn unwritable(path: &Path, error: &std::io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
        .next("choose a file in a directory that you can write")
}
