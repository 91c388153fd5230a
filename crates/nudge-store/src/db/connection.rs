//! One connection, with what must be remembered about it.

use std::cell::Cell;
use std::time::Duration;

use rusqlite::Connection;

use crate::db::copies::CopyDir;
use crate::db::error::StoreError;
use crate::db::read_only::Watched;
use crate::db::retry;
use crate::db::schema;

/// How safe a write must be before it is acknowledged.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On disk: survives a power cut. For what a person or an agent states.
    Stated,
    /// In the WAL: survives the death of any process; a power cut may cost the last moments. For
    /// passive capture, which must not wait for a disk.
    Passive,
}

/// How large the WAL may stay on disk after it was written back, in bytes: four times what SQLite
/// lets it grow to before it writes back, so it is seldom cut and never stays huge.
const WAL_KEEP_BYTES: u32 = 16 * 1024 * 1024;

/// How much of the database a writer, or whoever reads again and again, may keep in memory, in KiB:
/// enough for the upper levels of all indexes at ten million entries. It is taken page by page, so
/// a small store never uses it.
const CACHE_KIB: u32 = 16 * 1024;

/// After so many reads a connection is not that of a command that asks one thing and ends.
const READS_OF_ONE: u8 = 3;

/// A connection on loan from the pool.
pub(crate) struct DbConnection {
    // Dropped in this order: the connection closes before its temporary copy goes.
    conn: Connection,
    durability: Cell<Option<Durability>>,
    reads: Cell<u8>,
    watched: Option<Watched>,
    _copy: Option<CopyDir>,
}

impl DbConnection {
    /// A connection to a database whose changes SQLite notices by itself.
    pub(crate) fn live(conn: Connection) -> Self {
        Self { conn, durability: Cell::new(None), reads: Cell::new(0), watched: None, _copy: None }
    }

    /// A connection that sees the database as it was at opening.
    pub(crate) fn still(conn: Connection, watched: Watched, copy: Option<CopyDir>) -> Self {
        Self { conn, durability: Cell::new(None), reads: Cell::new(0), watched: Some(watched), _copy: copy }
    }

    pub(crate) fn raw(&self) -> &Connection {
        &self.conn
    }

    pub(crate) fn raw_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }

    /// Whether the database has moved on in a way this connection cannot see.
    pub(crate) fn is_stale(&self) -> bool {
        self.watched.as_ref().is_some_and(Watched::has_changed)
    }

    /// Starts reading: everything until [`Self::finish`] comes from one snapshot.
    pub(crate) fn begin_read(&self) -> Result<(), StoreError> {
        let before = self.reads.get();
        if before == READS_OF_ONE {
            // A wish: without it reading is slower, and nothing else.
            let _ = self.conn.execute_batch(&format!("PRAGMA cache_size = -{CACHE_KIB};"));
        }
        self.reads.set(before.saturating_add(1));
        self.run("BEGIN")
    }

    /// Takes the write lock, waiting for it up to `busy`.
    ///
    /// Immediate, because a transaction that reads first and writes later can be refused for good.
    pub(crate) fn begin_write(&self, durability: Durability, busy: Duration) -> Result<(), StoreError> {
        self.make(durability)?;
        retry::while_busy(busy, || self.run("BEGIN IMMEDIATE"))
    }

    /// Commits; what was acknowledged is then as safe as was asked for.
    pub(crate) fn commit(&self, busy: Duration) -> Result<(), StoreError> {
        retry::while_busy(busy, || self.run("COMMIT"))
    }

    /// Ends whatever is under way without keeping it, and says whether the connection is usable.
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

    /// Settings only a writer needs, made once; and the sync level, changed only when it differs.
    fn make(&self, durability: Durability) -> Result<(), StoreError> {
        let before = self.durability.get();
        if before.is_none() {
            // `secure_delete = FAST`: a deleted text is overwritten where that costs no extra
            // write.
            self.conn.execute_batch(&format!(
                "PRAGMA journal_size_limit = {WAL_KEEP_BYTES};
                 PRAGMA cache_size = -{CACHE_KIB};
                 PRAGMA secure_delete = FAST;"
            ))?;
            if cfg!(target_os = "macos") {
                // Elsewhere a sync reaches the disk; there only this one does.
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
