//! Sizes, counts and integrity of a store.

use std::fs;

use rusqlite::Connection;

use crate::db::error::StoreError;
use crate::db::files::beside;
use crate::db::integrity;
use crate::db::options::Location;
use crate::db::store::Store;

/// The size of a store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct StoreStats {
    /// Entries of all kinds.
    pub entries: i64,
    /// Hints among them, including expired ones that are not swept yet.
    pub hints: i64,
    /// The position of the newest change.
    pub feed_head: i64,
    /// The position up to which the feed was trimmed.
    pub feed_floor: i64,
    /// Bytes of the database.
    pub database_bytes: u64,
    /// Bytes of the WAL next to it.
    pub wal_bytes: u64,
    /// The schema version.
    pub schema_version: i64,
}

impl Store {
    /// Counts the rows. The time grows with the store: some 30 ms per million entries.
    pub fn stats(&self) -> Result<StoreStats, StoreError> {
        let (database_bytes, wal_bytes) = self.bytes()?;
        self.read(|reader| {
            let count = |sql: &str| -> Result<i64, StoreError> {
                Ok(reader.sql(sql)?.query_row([], |row| row.get(0))?)
            };
            Ok(StoreStats {
                entries: count("SELECT count(*) FROM entry")?,
                hints: count("SELECT count(*) FROM hint")?,
                feed_head: reader.feed_head()?,
                feed_floor: reader.feed_floor()?,
                database_bytes,
                wal_bytes,
                schema_version: count("PRAGMA user_version")?,
            })
        })
    }

    /// The problems of the database; none if it is intact. Reads all of it.
    ///
    /// Besides damaged pages, these are things that this program would not have written: another
    /// schema, numbers out of range, an unreadable session.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let connection = self.connection()?;
        connection.begin_read()?;
        let mut findings: Vec<String> = connection
            .raw()
            .prepare("PRAGMA integrity_check(20)")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        findings.retain(|finding| finding != "ok");
        for look in [dangling, integrity::findings] {
            match look(connection.raw()) {
                Ok(more) => findings.extend(more),
                // Damaged pages cannot be examined, and are already listed.
                Err(error) if error.is_damage() && !findings.is_empty() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(findings)
    }

    fn bytes(&self) -> Result<(u64, u64), StoreError> {
        match &self.options.location {
            Location::File(path) => {
                let size = |path| fs::metadata(path).map_or(0, |found| found.len());
                Ok((size(path.clone()), size(beside(path, "-wal"))))
            }
            Location::Memory => {
                let connection = self.connection()?;
                let pragma = |name| connection.raw().query_row(name, [], |row| row.get::<_, i64>(0));
                Ok(((pragma("PRAGMA page_count")? * pragma("PRAGMA page_size")?).unsigned_abs(), 0))
            }
        }
    }
}

/// References to missing rows.
fn dangling(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut dangling = conn.prepare("PRAGMA foreign_key_check")?;
    let findings = dangling.query_map([], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        Ok(format!("a row of {table} refers to a missing row of {parent}"))
    })?;
    Ok(findings.collect::<Result<_, _>>()?)
}
