//! Opening a database to write it: made if there is none, upgraded if it is older.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::MAIN_DB;

use crate::db::access::ReadOnlyReason;
use crate::db::connection::{DbConnection, Durability};
use crate::db::error::StoreError;
use crate::db::options::OpenOptions;
use crate::db::schema::LATEST;
use crate::db::{files, made, memory_session, migrate, open, retry};

/// For how long a refusal is taken for a neighbour that makes or removes a file: that takes
/// milliseconds, so whatever lasts this long has another reason.
const REFUSALS: Duration = Duration::from_secs(1);

/// A connection that can write, upgraded to the newest schema; the database is made if there is
/// none.
///
/// `None` when the database was written by a newer program, which is not to be written at all.
pub(super) fn upgraded(path: &Path, options: &OpenOptions) -> Result<Option<DbConnection>, StoreError> {
    repeat(path, options, try_upgraded)
}

/// The same, of a database that has the newest schema already or is not there yet.
pub(super) fn as_it_is(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    repeat(path, options, try_as_it_is)
}

/// Brings a database to the newest schema and writes the session down that is in force.
pub(super) fn upgrade(
    connection: &mut DbConnection,
    path: Option<&Path>,
    options: &OpenOptions,
) -> Result<(), StoreError> {
    migrate::upgrade(connection, path, options)?;
    // So that the first reader finds a session. Lost in a crash, the first writer makes it up.
    connection.begin_write(Durability::Passive, options.busy)?;
    memory_session::settle(connection.raw(), options)?;
    connection.commit(options.busy)
}

/// Repeats an attempt at a connection that can write, while the refusal may be a neighbour's doing.
fn repeat<T>(
    path: &Path,
    options: &OpenOptions,
    attempt: fn(&Path, &OpenOptions) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut refused_since: Option<Instant> = None;
    retry::while_busy(options.busy, || {
        attempt(path, options).map_err(|error| {
            if !error.is_unwritable() || !files::is_writable(path) {
                return error;
            }
            // Refused where writing is allowed: a neighbour was making or removing a file just
            // then.
            if refused_since.get_or_insert_with(Instant::now).elapsed() < REFUSALS {
                return StoreError::Busy { waited: Duration::ZERO, source: None };
            }
            let why = "SQLite cannot open it or a file beside it, although they can be written";
            StoreError::io(path, std::io::Error::other(why))
        })
    })
}

fn try_upgraded(path: &Path, options: &OpenOptions) -> Result<Option<DbConnection>, StoreError> {
    let mut connection = writable(path, options)?;
    let version = connection.version()?;
    if version > LATEST {
        return Ok(None);
    }
    if version < LATEST {
        upgrade(&mut connection, Some(path), options)?;
    }
    made::note(path);
    Ok(Some(connection))
}

fn try_as_it_is(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let mut connection = writable(path, options)?;
    match connection.version()? {
        0 => upgrade(&mut connection, Some(path), options)?,
        LATEST => {}
        found if found < LATEST => return Err(StoreError::NeedsMigration { found, known: LATEST }),
        found => {
            let reason = ReadOnlyReason::NewerSchema { found, known: LATEST };
            return Err(StoreError::ReadOnly { path: path.to_owned(), reason });
        }
    }
    made::note(path);
    Ok(connection)
}

/// A connection that can write, whatever the schema; an empty database is made if there is none.
fn writable(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let conn = match open::read_write(path, options.busy) {
        Err(error) if error.is_unwritable() => {
            // Whether we make the file or another process was quicker, it is there now.
            create(path)?;
            open::read_write(path, options.busy)?
        }
        other => other?,
    };
    // SQLite falls back to reading by itself when the file may not be written.
    if conn.is_readonly(MAIN_DB)? {
        let source = std::io::Error::from(ErrorKind::PermissionDenied);
        return Err(StoreError::io(path, source));
    }
    Ok(DbConnection::live(conn))
}

/// Sees to it that there is a file, for the owner alone, and a directory for it. Another process
/// may be quicker at either.
///
/// The files that SQLite puts beside it take over its mode.
fn create(path: &Path) -> Result<(), StoreError> {
    files::private_dir(path.parent().unwrap_or(path))?;
    match files::private_file(path) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map(|_| ()),
    }
}
