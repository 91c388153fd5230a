//! Putting a backup in the place of a store, also while other processes have it open.
//!
//! The backup is checked, upgraded and prepared in a temporary copy first. Then its pages replace
//! those of the live database inside SQLite's own locking, in one transaction: others see all of
//! the old store, then all of the new one.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use tempfile::TempDir;

use crate::access::Access;
use crate::error::StoreError;
use crate::line::Line;
use crate::migrate::{self, APPLICATION_ID, LATEST};
use crate::open::{self, Location, OpenOptions};
use crate::shelter::beside;
use crate::store::Store;
use crate::{backup, patience};

/// How far beyond all known numbers a restored store continues its feed positions and entry ids, so
/// that no follower of the old store mistakes a new change for one it has seen.
const GAP: i64 = 1_000_000;

impl Store {
    /// Replaces the store at `into` by the backup `from`, after checking it; the old store is kept
    /// as a dated backup.
    ///
    /// Followers of the change feed find their position gone and start over.
    pub fn restore(from: &Path, into: &OpenOptions) -> Result<(), StoreError> {
        let Location::File(path) = &into.location else {
            let why = "a memory without a file has no place for it".to_owned();
            return Err(StoreError::NotAMemory { path: from.to_owned(), why });
        };
        let prepared = Prepared::from(from, into)?;
        let store = open_or_set_aside(path, into)?;
        if let Access::ReadOnly { reason } = store.access() {
            return Err(StoreError::ReadOnly { path: path.clone(), reason: reason.clone() });
        }
        let (feed, entries) = store.read(|reader| reader.high_water())?;
        prepared.continue_after(feed, entries)?;
        replace(&prepared.conn, &store, path, into)
    }
}

/// A checked and upgraded copy of a backup.
struct Prepared {
    conn: Connection,
    _dir: TempDir,
}

impl Prepared {
    fn from(from: &Path, options: &OpenOptions) -> Result<Self, StoreError> {
        if !fs::metadata(from).map_err(|e| StoreError::io(from, e))?.is_file() {
            return Err(refused(from, "it is not a file"));
        }
        let (dir, copied) = crate::shelter::copy(from)?;
        let conn = open::plain(&copied, options.busy)?;
        check(&conn).map_err(|error| match error {
            StoreError::NotAMemory { why, .. } => refused(from, &why),
            StoreError::Damaged => refused(from, "it is not a sound database"),
            other => other,
        })?;
        let mut line = Line::live(conn);
        migrate::upgrade(&mut line, None, options)?;
        // The upgraded copy is only ever read from here on; reopened, because a backup's source
        // must not hold statements.
        drop(line);
        Ok(Self { conn: open::plain(&copied, options.busy)?, _dir: dir })
    }

    /// Empties the feed and lets all numbers continue beyond those of the store it replaces.
    fn continue_after(&self, feed: i64, entries: i64) -> Result<(), StoreError> {
        self.conn.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             DELETE FROM feed;
             DELETE FROM feed_reader;
             DELETE FROM sqlite_sequence WHERE name = 'feed';
             INSERT INTO sqlite_sequence (name, seq)
             SELECT 'feed', max({feed}, ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'feed_floor'), 0)) + {GAP};
             INSERT INTO meta (key, value)
             SELECT 'feed_floor', CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = 'feed'
             ON CONFLICT (key) DO UPDATE SET value = excluded.value;
             INSERT INTO sqlite_sequence (name, seq)
             SELECT 'entry', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'entry');
             UPDATE sqlite_sequence SET seq = max(seq, {entries}) + {GAP} WHERE name = 'entry';
             COMMIT;"
        ))?;
        Ok(())
    }
}

/// Refuses what is no store of ours, is newer than this program, or is damaged.
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
    let verdict: String = conn.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::Damaged) }
}

/// Opens the store that is to be replaced. One that is too damaged to open is moved to the backups.
fn open_or_set_aside(path: &Path, options: &OpenOptions) -> Result<Store, StoreError> {
    match Store::open(options) {
        Err(StoreError::Damaged | StoreError::MigrationChanged { .. }) => {
            let aside = backup::dated(&backups_of(path, options), "damaged", options.now)?;
            for suffix in ["-wal", "-shm", ""] {
                let file = beside(path, suffix);
                match fs::rename(&file, beside(&aside, suffix)) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        return Err(StoreError::io(file, e));
                    }
                    _ => {}
                }
            }
            Store::open(options)
        }
        opened => opened,
    }
}

/// Takes the write lock, backs up what stands there, and replaces it, as one transaction.
fn replace(from: &Connection, store: &Store, path: &Path, options: &OpenOptions) -> Result<(), StoreError> {
    let old = store.line()?;
    let mut target = store.line()?;
    let pages = Backup::new(from, target.conn_mut())?;
    let step = |count: i32| match pages.step(count)? {
        StepResult::Busy | StepResult::Locked => Err(StoreError::Busy { waited: std::time::Duration::ZERO }),
        done => Ok(done),
    };
    // The first page takes the write lock; nothing is visible before the last one.
    patience::retry(options.busy, || step(1))?;
    if old.version()? > 0 {
        backup::copy_to(
            old.conn(),
            &backup::dated(&backups_of(path, options), "before-restore", options.now)?,
        )?;
    }
    patience::retry(options.busy, || step(-1))?;
    Ok(())
}

fn backups_of(path: &Path, options: &OpenOptions) -> PathBuf {
    options.backups.clone().unwrap_or_else(|| path.parent().unwrap_or(Path::new(".")).join("backups"))
}

fn refused(path: &Path, why: &str) -> StoreError {
    StoreError::NotAMemory { path: path.to_owned(), why: why.to_owned() }
}

impl crate::reader::Reader<'_> {
    /// The highest feed position and entry id ever given out.
    fn high_water(&self) -> Result<(i64, i64), StoreError> {
        let entries: Option<i64> = self
            .sql("SELECT max(seq) FROM sqlite_sequence WHERE name = 'entry'")?
            .query_row([], |row| row.get(0))?;
        Ok((self.feed_head()?, entries.unwrap_or(0)))
    }
}
