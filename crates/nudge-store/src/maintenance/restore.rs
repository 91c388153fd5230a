//! Copies a store into a backup, and replaces a store with one, even while other processes have it
//! open.
//!
//! The backup is first checked, upgraded and prepared in a temporary copy. Then its pages replace
//! those of the live database within SQLite's own locking, in one transaction: others see all of
//! the old store, then all of the new one.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::db::connection::DbConnection;
use crate::db::copies::CopyDir;
use crate::db::error::StoreError;
use crate::db::files::beside;
use crate::db::integrity::{self, MAX_NUMBER};
use crate::db::options::{Access, Location, OpenOptions};
use crate::db::schema::{APPLICATION_ID, LATEST};
use crate::db::store::Store;
use crate::db::{backup_file, made, migrate, open, open_read, retry};

/// How far beyond all known numbers a restored store continues its feed positions, so that no
/// reader of the old feed mistakes a new change for one it has seen. Entry ids go on where they
/// were, unless the replaced store could not be read: then nobody knows which ids it used.
const NUMBER_GAP: i64 = 1_000_000;

/// How often a restore starts over because entries were written meanwhile.
const MAX_STARTS: usize = 20;

/// How many problems of a file an error lists.
const MAX_NAMED: usize = 3;

impl Store {
    /// Replaces the store at `into` with the backup `from`, after checking it. The old store is
    /// kept as a dated backup.
    ///
    /// Readers of the change feed find their position gone and start over.
    pub fn restore(from: &Path, into: &OpenOptions) -> Result<(), StoreError> {
        let Location::File(path) = &into.location else {
            let why = "a memory without a file has no place for it".to_owned();
            return Err(StoreError::NotAMemory { path: from.to_owned(), why });
        };
        let prepared = Prepared::from(from, into)?;
        match overwrite(&prepared, path, into, Present::BackedUp) {
            // It cannot be opened, read or backed up, so its files are kept as they are.
            Err(error) if error.is_loss() => {
                set_aside(path, into)?;
                overwrite(&prepared, path, into, Present::SetAside)
            }
            done => done,
        }
    }

    /// Creates an empty store in place of one with a lost database; the remains go to the backups.
    pub fn replace_lost_store(options: &OpenOptions) -> Result<(), StoreError> {
        if let Location::File(path) = &options.location {
            set_aside(path, options)?;
        }
        Self::open(options).map(|_| ())
    }
}

/// Whether a file is a backup that could replace a store. Reads all of it, and changes nothing.
pub fn is_restorable(from: &Path) -> bool {
    let is_file = fs::symlink_metadata(from).is_ok_and(|found| found.is_file());
    is_file && open_read::foreign(from, Duration::ZERO).and_then(|connection| check(connection.raw())).is_ok()
}

/// How the replaced store is kept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Present {
    /// It is backed up.
    BackedUp,
    /// It was already moved aside; its replacement is empty.
    SetAside,
}

/// A checked and upgraded copy of a backup.
struct Prepared {
    // Dropped in this order: the connection closes before its copy is removed.
    conn: Connection,
    _dir: CopyDir,
    from: PathBuf,
}

impl Prepared {
    fn from(from: &Path, options: &OpenOptions) -> Result<Self, StoreError> {
        if !fs::metadata(from).map_err(|e| StoreError::io(from, e))?.is_file() {
            return Err(refused(from, "it is not a file"));
        }
        let (dir, copied) = crate::db::read_only::copy(from)?;
        dir.remove_stale();
        let conn = open::read_write(&copied, options.busy)?;
        check(&conn).map_err(|error| backup_error(from, error))?;
        let mut connection = DbConnection::live(conn);
        migrate::upgrade(&mut connection, None, options).map_err(|error| backup_error(from, error))?;
        // From here on the upgraded copy is only read. It is reopened because a backup's source
        // must not have open statements.
        drop(connection);
        Ok(Self { conn: open::read_write(&copied, options.busy)?, _dir: dir, from: from.to_owned() })
    }

    /// Empties the feed and continues all numbers beyond those of the replaced store, as far as
    /// possible. Also gives it a new identity: data derived from the store it was copied from does
    /// not fit it.
    fn continue_after(&self, water: &HighWater, present: Present) -> Result<(), StoreError> {
        let own: HighWater = self.conn.query_row(
            "SELECT max(ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = 'feed'), 0),
                        ifnull((SELECT max(position) FROM feed), 0),
                        ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'feed_floor'), 0)),
                    max(ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = 'entry'), 0),
                        ifnull((SELECT max(id) FROM entry), 0))",
            [],
            |row| Ok(HighWater { feed: row.get(0)?, entries: row.get(1)? }),
        )?;
        let beyond = |highest: i64, gap: i64| highest.saturating_add(gap).min(MAX_NUMBER);
        let id_gap = if present == Present::BackedUp { 0 } else { NUMBER_GAP };
        let feed = beyond(own.feed.max(water.feed), NUMBER_GAP);
        let entries = beyond(own.entries.max(water.entries), id_gap);
        self.conn.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             DELETE FROM feed;
             DELETE FROM feed_reader;
             DELETE FROM sqlite_sequence WHERE name IN ('feed', 'entry');
             INSERT INTO sqlite_sequence (name, seq) VALUES ('feed', {feed}), ('entry', {entries});
             INSERT INTO meta (key, value) VALUES ('feed_floor', '{feed}')
             ON CONFLICT (key) DO UPDATE SET value = excluded.value;
             INSERT INTO meta (key, value) VALUES ('lineage', CAST(abs(random() % 9007199254740991) AS TEXT))
             ON CONFLICT (key) DO UPDATE SET value = excluded.value;
             COMMIT;"
        ))?;
        Ok(())
    }
}

/// Rejects a file that is not Nudge's store, is newer than this program, is damaged, or contains
/// what Nudge never writes.
fn check(conn: &Connection) -> Result<(), StoreError> {
    let pragma = |name: &str| -> Result<i64, StoreError> {
        Ok(conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))?)
    };
    let unfit = |why: String| StoreError::NotAMemory { path: PathBuf::new(), why };
    if pragma("application_id")? != APPLICATION_ID {
        return Err(unfit("it is not a memory of nudge".to_owned()));
    }
    let version = pragma("user_version")?;
    if version > LATEST {
        return Err(unfit(format!(
            "it has schema {version} and this program knows up to {LATEST}; update nudge"
        )));
    }
    if version < 1 {
        return Err(unfit("it is empty".to_owned()));
    }
    let findings = integrity::findings(conn)?;
    if !findings.is_empty() {
        let more = findings.len().saturating_sub(MAX_NAMED);
        let mut why = findings[..findings.len().min(MAX_NAMED)].join(", ");
        if more > 0 {
            why.push_str(&format!(", and {more} more"));
        }
        return Err(unfit(why));
    }
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Damaged { source: None }) }
}

/// Replaces the store at `path`, after reading its numbers and making a backup.
fn overwrite(
    prepared: &Prepared,
    path: &Path,
    options: &OpenOptions,
    present: Present,
) -> Result<(), StoreError> {
    let store = Store::open(options)?;
    if let Access::ReadOnly { reason } = store.access() {
        return Err(StoreError::ReadOnly { path: path.to_owned(), reason: reason.clone() });
    }
    for _ in 0..MAX_STARTS {
        let water = store.read(|reader| reader.high_water())?;
        prepared.continue_after(&water, present).map_err(|error| backup_error(&prepared.from, error))?;
        if replace(&prepared.conn, &store, &water, path, options, present)? {
            return Ok(());
        }
    }
    Err(StoreError::Busy { waited: options.busy, source: None })
}

/// Moves an unusable store to the backups.
fn set_aside(path: &Path, options: &OpenOptions) -> Result<(), StoreError> {
    let aside = backup_file::dated(&backups_of(path, options), "damaged", options.now)?;
    for suffix in ["-wal", "-shm", ""] {
        let file = beside(path, suffix);
        match fs::rename(&file, beside(&aside, suffix)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::io(file, e)),
            _ => {}
        }
    }
    made::remove_marker(path)
}

/// Takes the write lock, backs up the present store, and replaces it, as one transaction. Returns
/// false and changes nothing if entries were written after `water` was read: their ids would be
/// used again.
fn replace(
    from: &Connection,
    store: &Store,
    water: &HighWater,
    path: &Path,
    options: &OpenOptions,
    present: Present,
) -> Result<bool, StoreError> {
    let old = store.connection()?;
    let mut target = store.connection()?;
    let pages = Backup::new(from, target.raw_mut())?;
    let step = |count: i32| match pages.step(count)? {
        StepResult::Busy | StepResult::Locked => {
            Err(StoreError::Busy { waited: Duration::ZERO, source: None })
        }
        done => Ok(done),
    };
    // The first page takes the write lock; nothing is visible before the last one.
    retry::while_busy(options.busy, || step(1))?;
    if store.read(|reader| reader.high_water())?.entries != water.entries {
        return Ok(false);
    }
    if present == Present::BackedUp && old.version()? > 0 {
        backup_file::copy_to(
            old.raw(),
            &backup_file::dated(&backups_of(path, options), "before-restore", options.now)?,
        )?;
    }
    retry::while_busy(options.busy, || step(-1))?;
    Ok(true)
}

fn backups_of(path: &Path, options: &OpenOptions) -> PathBuf {
    options.backups.clone().unwrap_or_else(|| path.parent().unwrap_or(Path::new(".")).join("backups"))
}

/// Turns a failure with the copy of a backup into an error about the backup.
fn backup_error(from: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::NotAMemory { why, .. } => refused(from, &why),
        StoreError::MigrationChanged { .. } => refused(from, "its record of migrations is not ours"),
        damage if damage.is_damage() => refused(from, "it is not a sound database"),
        other => other,
    }
}

fn refused(path: &Path, why: &str) -> StoreError {
    StoreError::NotAMemory { path: path.to_owned(), why: why.to_owned() }
}

/// The highest feed position and entry id ever assigned.
struct HighWater {
    feed: i64,
    entries: i64,
}

impl crate::db::reader::Reader<'_> {
    /// Numbers that leave no room for a next one were never assigned by Nudge, and are ignored.
    fn high_water(&self) -> Result<HighWater, StoreError> {
        let highest = |sql: &str| -> Result<i64, StoreError> {
            Ok(self
                .sql(sql)?
                .query_row([MAX_NUMBER - NUMBER_GAP], |row| row.get::<_, Option<i64>>(0))?
                .unwrap_or(0))
        };
        let sequence = "SELECT max(seq) FROM sqlite_sequence
                         WHERE name = 'feed' AND typeof(seq) = 'integer' AND seq BETWEEN 0 AND ?1";
        let positions = highest("SELECT max(position) FROM feed WHERE position BETWEEN 0 AND ?1")?;
        let floor =
            integrity::feed_floor(self.conn)?.filter(|floor| *floor <= MAX_NUMBER - NUMBER_GAP).unwrap_or(0);
        let ids = highest("SELECT max(id) FROM entry WHERE id BETWEEN 0 AND ?1")?;
        Ok(HighWater {
            feed: highest(sequence)?.max(positions).max(floor),
            entries: highest(&sequence.replace("'feed'", "'entry'"))?.max(ids),
        })
    }
}

impl Store {
    /// Writes a copy of the current store to `path`. An existing file is replaced only when the
    /// copy is complete. Other processes may keep writing. Half-written backups of the memory are
    /// removed first.
    pub fn backup_to(&self, path: &Path) -> Result<(), StoreError> {
        self.remove_abandoned_drafts();
        let connection = self.connection()?;
        backup_file::copy_to(connection.raw(), path)
    }

    /// Removes half-written backups that killed processes left, and returns how many.
    pub fn remove_abandoned_drafts(&self) -> u64 {
        self.options.backups.as_deref().map_or(0, backup_file::remove_abandoned_drafts)
    }
}
