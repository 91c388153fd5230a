//! One connection, with its state.

use std::cell::Cell;
use std::time::Duration;

use rusqlite::Connection;

use crate::db::copies::CopyDir;
use crate::db::error::StoreError;
use crate::db::read_only::Watched;
use crate::db::retry;
use crate::db::schema;

/// How durable a write must be before it is acknowledged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On disk: survives a power cut. For what a user or an agent states.
    Stated,
    /// In the WAL: survives the death of any process, but a power cut may lose the last few writes.
    /// For passive capture, which must not wait for a disk.
    Passive,
}

/// The maximum size of the WAL on disk after a checkpoint, in bytes. It is four times the size at
/// which SQLite starts a checkpoint, so the file is seldom truncated and never stays huge.
const WAL_KEEP_BYTES: u32 = 16 * 1024 * 1024;

/// The page cache of a writer or a repeated reader, in KiB: enough for the upper levels of all
/// indexes at ten million entries. It is allocated page by page, so a small store never uses it
/// all.
const CACHE_KIB: u32 = 16 * 1024;

/// After this many reads, a connection does not belong to a command that asks one thing and ends.
const READS_OF_ONE: u8 = 3;

/// A connection borrowed from the pool.
pub(crate) struct DbConnection {
    // Dropped in this order: the connection closes before its temporary copy is removed.
    conn: Connection,
    durability: Cell<Option<Durability>>,
    reads: Cell<u8>,
    watched: Option<Watched>,
    _copy: Option<CopyDir>,
}

impl DbConnection {
    /// A connection to a database in which SQLite notices changes by itself.
    pub(crate) fn live(conn: Connection) -> Self {
        Self { conn, durability: Cell::new(None), reads: Cell::new(0), watched: None, _copy: None }
    }

    /// A connection that sees the database as it was when opened.
    pub(crate) fn still(conn: Connection, watched: Watched, copy: Option<CopyDir>) -> Self {
        Self { conn, durability: Cell::new(None), reads: Cell::new(0), watched: Some(watched), _copy: copy }
    }

    pub(crate) fn raw(&self) -> &Connection {
        &self.conn
    }

    pub(crate) fn raw_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }

    /// Whether the database has changed in a way this connection cannot see.
    pub(crate) fn is_stale(&self) -> bool {
        self.watched.as_ref().is_some_and(Watched::has_changed)
    }

    /// Starts reading: everything until [`Self::finish`] comes from one snapshot.
    pub(crate) fn begin_read(&self) -> Result<(), StoreError> {
        let before = self.reads.get();
        if before == READS_OF_ONE {
            // Optional: without it, reads are only slower.
            let _ = self.conn.execute_batch(&format!("PRAGMA cache_size = -{CACHE_KIB};"));
        }
        self.reads.set(before.saturating_add(1));
        self.run("BEGIN")
    }

    /// Takes the write lock, waiting for it up to `busy`.
    ///
    /// Immediate, because a transaction that reads first and writes later can fail permanently.
    pub(crate) fn begin_write(&self, durability: Durability, busy: Duration) -> Result<(), StoreError> {
        self.make(durability)?;
        retry::while_busy(busy, || self.run("BEGIN IMMEDIATE"))
    }

    /// Commits, with the durability that the caller chose.
    pub(crate) fn commit(&self, busy: Duration) -> Result<(), StoreError> {
        retry::while_busy(busy, || self.run("COMMIT"))
    }

    /// Rolls back any open transaction, and returns whether the connection is usable.
    pub(crate) fn finish(&self) -> bool {
        self.conn.is_autocommit() || self.run("ROLLBACK").is_ok() || self.conn.is_autocommit()
    }

    /// The schema version of the database, from its header.
    pub(crate) fn version(&self) -> Result<i64, StoreError> {
        schema::version(&self.conn)
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// Applies a writer's settings once, and the sync level whenever it differs.
    fn make(&self, durability: Durability) -> Result<(), StoreError> {
        let before = self.durability.get();
        if before.is_none() {
            // `secure_delete = FAST`: deleted text is overwritten if that costs no extra write.
            self.conn.execute_batch(&format!(
                "PRAGMA journal_size_limit = {WAL_KEEP_BYTES};
                 PRAGMA cache_size = -{CACHE_KIB};
                 PRAGMA secure_delete = FAST;"
            ))?;
            if cfg!(target_os = "macos") {
                // On other systems a plain sync reaches the disk; here only this one does.
                self.conn.execute_batch("PRAGMA fullfsync = ON;")?;
            }
        }
        if before != Some(durability) {
            self.conn.execute_batch(match durability {
                Durability::Stated => "PRAGMA synchronous = FULL;",
                Durability::Passive => "PRAGMA synchronous = NORMAL;",
            })?;
            self.durability.set(Some(durability));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nudge_core::Timestamp;
    use tempfile::TempDir;

    use super::*;
    use crate::db::options::{HostIdentity, Location, OpenOptions};
    use crate::db::store::Store;

    fn store(dir: &TempDir) -> Store {
        Store::open(&OpenOptions {
            location: Location::File(dir.path().join("nudge.db")),
            read_only: false,
            host: HostIdentity::default(),
            now: Timestamp::from_millis(1),
            busy: Duration::from_secs(1),
            backups: None,
        })
        .expect("opens")
    }

    #[test]
    fn each_write_has_the_sync_level_it_asked_for() {
        let dir = TempDir::new().expect("a temporary directory");
        let store = store(&dir);
        let level = |durability| -> i64 {
            store
                .write(durability, |writer| {
                    Ok::<_, StoreError>(writer.sql("PRAGMA synchronous")?.query_row([], |row| row.get(0))?)
                })
                .expect("written")
        };
        let (normal, full) = (1, 2);
        let asked = [Durability::Stated, Durability::Passive, Durability::Passive, Durability::Stated];
        assert_eq!(asked.map(level), [full, normal, normal, full]);
    }

    #[test]
    fn one_thread_uses_one_connection() {
        let dir = TempDir::new().expect("a temporary directory");
        let store = store(&dir);
        store.write(Durability::Stated, |_| Ok::<_, StoreError>(())).expect("written");
        store.read(|_| Ok::<_, StoreError>(())).expect("read");
        assert_eq!(store.idle(), 1);
        store.read(|_| store.read(|_| Ok::<_, StoreError>(()))).expect("read");
        assert_eq!(store.idle(), 2);
    }
}
