//! Migrates a database to the newest schema, one dated step at a time.
//!
//! The checksum of each step is stored in the database, so a database built by other steps is
//! detected before anything is changed.

use std::path::Path;

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::files::Loss;
use crate::db::options::OpenOptions;
use crate::db::schema::{APPLICATION_ID, LATEST, STEPS, Step, version};
use crate::db::{backup_file, made, open, retry};

/// An empty in-memory database with this schema version, for comparison.
pub(crate) fn fresh(version: i64) -> Result<Connection, StoreError> {
    let conn = open::blank()?;
    found(&conn)?;
    let steps = usize::try_from(version).unwrap_or(0);
    STEPS.iter().take(steps).try_for_each(|step| conn.execute_batch(step.sql))?;
    Ok(conn)
}

/// Applies the missing steps. An existing database at `path` is first copied to the backups.
pub(crate) fn upgrade(
    connection: &mut DbConnection,
    path: Option<&Path>,
    options: &OpenOptions,
) -> Result<(), StoreError> {
    let conn = connection.raw();
    if version(conn)? == 0 {
        refuse_emptied(conn, path, options)?;
        prepare_file(conn)?;
        return in_transaction(conn, options, |conn| {
            if version(conn)? == 0 {
                found(conn)?;
                STEPS.iter().enumerate().try_for_each(|(index, step)| apply(conn, index, step, options))?;
            }
            Ok(())
        });
    }
    check_applied(conn)?;
    // So that the file itself, and not the WAL next to it, shows whether anything changed since the
    // copy.
    let _ = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    let mut copied = false;
    for (index, step) in STEPS.iter().enumerate() {
        in_transaction(conn, options, |conn| {
            // Another process may have been faster, so check again with the lock.
            if version(conn)? > index as i64 {
                return Ok(());
            }
            if let (false, Some(path)) = (copied, path) {
                copy_before(path, index, options)?;
                copied = true;
            }
            apply(conn, index, step, options)
        })?;
    }
    Ok(())
}

/// Rejects a database that lost its schema. Waits if another process is just creating it.
fn refuse_emptied(conn: &Connection, path: Option<&Path>, options: &OpenOptions) -> Result<(), StoreError> {
    if !path.is_some_and(made::has_marker) {
        return Ok(());
    }
    in_transaction(conn, options, |conn| match version(conn)? {
        0 => Err(StoreError::Gone { loss: Loss::Emptied }),
        _ => Ok(()),
    })
}

/// Settings that must be made before the first table: changing them later requires a rebuild.
fn prepare_file(conn: &Connection) -> Result<(), StoreError> {
    conn.execute_batch("PRAGMA auto_vacuum = INCREMENTAL;")?;
    conn.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    Ok(())
}

fn found(conn: &Connection) -> Result<(), StoreError> {
    conn.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID};
         CREATE TABLE migration (
             version    INTEGER PRIMARY KEY,
             name       TEXT NOT NULL,
             checksum   TEXT NOT NULL,
             applied_at INTEGER NOT NULL
         ) STRICT;"
    ))?;
    Ok(())
}

fn apply(conn: &Connection, index: usize, step: &Step, options: &OpenOptions) -> Result<(), StoreError> {
    let number = index as i64 + 1;
    conn.execute_batch(step.sql)?;
    conn.execute(
        "INSERT INTO migration (version, name, checksum, applied_at) VALUES (?1, ?2, ?3, ?4)",
        (number, step.name, step.checksum(), options.now.as_millis()),
    )?;
    conn.execute_batch(&format!("PRAGMA user_version = {number};"))?;
    Ok(())
}

/// Rejects a database with other migration steps than ours.
fn check_applied(conn: &Connection) -> Result<(), StoreError> {
    let mut recorded = conn.prepare("SELECT version, name, checksum FROM migration ORDER BY version")?;
    let mut rows = recorded.query([])?;
    while let Some(row) = rows.next()? {
        let (number, name, recorded): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let ours = usize::try_from(number - 1).ok().and_then(|index| STEPS.get(index));
        if ours.is_some_and(|step| step.name != name || step.checksum() != recorded) {
            return Err(StoreError::MigrationChanged { name });
        }
    }
    Ok(())
}

/// Copies the database while its write lock is held, so that the copy is exactly what is upgraded.
fn copy_before(path: &Path, index: usize, options: &OpenOptions) -> Result<(), StoreError> {
    let Some(dir) = &options.backups else {
        return Ok(());
    };
    let conn = open::read_write(path, options.busy)?;
    // Every command retries a failed step; the first copy is enough.
    let why = format!("schema{index}");
    let state = state(&conn, path)?;
    if backup_file::is_there(dir, &why, &state) {
        return Ok(());
    }
    let target = backup_file::dated(dir, &why, options.now)?;
    backup_file::copy_to(&conn, &target.with_extension(format!("{state}.db")))
}

/// Eight characters that change with the stored data and with the target version.
///
/// Computed under the write lock. The file's size and time cover everything checkpointed into it;
/// the highest ids of entries and changes cover what an older program has written to the WAL since.
fn state(conn: &Connection, path: &Path) -> Result<String, StoreError> {
    let found = std::fs::metadata(path).map_err(|e| StoreError::io(path, e))?;
    let numbers: Option<i64> =
        conn.query_row("SELECT sum(seq) FROM sqlite_sequence", [], |row| row.get(0))?;
    let reported = format!("{LATEST} {} {:?} {numbers:?}", found.len(), found.modified().ok());
    Ok(blake3::hash(reported.as_bytes()).to_hex()[..8].to_owned())
}

fn in_transaction(
    conn: &Connection,
    options: &OpenOptions,
    work: impl FnOnce(&Connection) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    retry::while_busy(options.busy, || Ok(conn.execute_batch("BEGIN IMMEDIATE")?))?;
    let done = work(conn).and_then(|()| Ok(conn.execute_batch("COMMIT")?));
    if done.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
    }
    done
}

#[cfg(test)]
mod tests;
