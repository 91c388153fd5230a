//! Bringing a database to the newest schema, one dated step at a time.
//!
//! The checksum of each step is recorded in the database, so one that was built by other steps is
//! noticed before anything is done to it.

use std::path::Path;

use rusqlite::Connection;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::file_id::Loss;
use crate::db::options::OpenOptions;
use crate::db::schema::{APPLICATION_ID, LATEST, STEPS, Step, version};
use crate::db::{backup_file, made, open, retry};

/// An empty database of that schema version in memory, to compare others with.
pub(crate) fn fresh(version: i64) -> Result<Connection, StoreError> {
    let conn = open::blank()?;
    found(&conn)?;
    let steps = usize::try_from(version).unwrap_or(0);
    STEPS.iter().take(steps).try_for_each(|step| conn.execute_batch(step.sql))?;
    Ok(conn)
}

/// Applies the steps that are missing. An existing database on `path` is first copied to the
/// backups.
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
    // So that the file itself, and not the WAL beside it, says whether anything changed since a
    // copy was made.
    let _ = conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    let mut copied = false;
    for (index, step) in STEPS.iter().enumerate() {
        in_transaction(conn, options, |conn| {
            // Another process may have been faster; whoever holds the lock looks again.
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

/// Refuses a database without a schema where one with a schema was. Whoever makes it just now is
/// waited for.
fn refuse_emptied(conn: &Connection, path: Option<&Path>, options: &OpenOptions) -> Result<(), StoreError> {
    if !path.is_some_and(made::is_noted) {
        return Ok(());
    }
    in_transaction(conn, options, |conn| match version(conn)? {
        0 => Err(StoreError::Gone { loss: Loss::Emptied }),
        _ => Ok(()),
    })
}

/// What must be settled before the first table: it cannot be changed afterwards without a rebuild.
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

/// Refuses a database whose recorded steps are not ours.
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
    // A step that fails is tried again by every command; the copy that was made at first is as
    // good.
    let why = format!("schema{index}");
    let state = state(&conn, path)?;
    if backup_file::is_there(dir, &why, &state) {
        return Ok(());
    }
    let target = backup_file::dated(dir, &why, options.now)?;
    backup_file::copy_to(&conn, &target.with_extension(format!("{state}.db")))
}

/// Eight letters that change with what is stored, and with the version it is upgraded to.
///
/// Asked under the write lock. The file's size and time tell of all that was written back to it;
/// the highest numbers of entries and changes tell of what an older program has written to the WAL
/// since.
fn state(conn: &Connection, path: &Path) -> Result<String, StoreError> {
    let found = std::fs::metadata(path).map_err(|e| StoreError::io(path, e))?;
    let numbers: Option<i64> =
        conn.query_row("SELECT sum(seq) FROM sqlite_sequence", [], |row| row.get(0))?;
    let told = format!("{LATEST} {} {:?} {numbers:?}", found.len(), found.modified().ok());
    Ok(blake3::hash(told.as_bytes()).to_hex()[..8].to_owned())
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
