//! Opens the connections of a store: a database for writing is created if missing, upgraded if
//! older; further connections go to the same file.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::MAIN_DB;

use crate::db::connection::{DbConnection, Durability};
use crate::db::error::StoreError;
use crate::db::files::FileId;
use crate::db::options::{Access, Location, OpenOptions, ReadOnlyReason};
use crate::db::schema::LATEST;
use crate::db::{files, made, memory_session, migrate, open, open_read, retry};

/// How long a permission error may be due to another process that creates or removes a file. That
/// takes milliseconds, so an error that lasts this long has another reason.
const RETRY_TIME: Duration = Duration::from_secs(1);

/// A writing connection with the newest schema; the database is created if missing.
///
/// `None` if a newer program wrote the database, which must not be written at all.
pub(super) fn upgraded(path: &Path, options: &OpenOptions) -> Result<Option<DbConnection>, StoreError> {
    repeat(path, options, try_upgraded)
}

/// Like [`upgraded`], for a database that already has the newest schema or does not exist yet.
fn as_it_is(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    repeat(path, options, try_as_it_is)
}

/// Upgrades a database to the newest schema and stores the current session.
pub(super) fn upgrade(
    connection: &mut DbConnection,
    path: Option<&Path>,
    options: &OpenOptions,
) -> Result<(), StoreError> {
    migrate::upgrade(connection, path, options)?;
    // So that the first reader finds a session. If a crash loses it, the first writer restores it.
    connection.begin_write(Durability::Passive, options.busy)?;
    memory_session::settle(connection.raw(), options)?;
    connection.commit(options.busy)
}

/// Retries to open a writing connection, while another process may have caused the error.
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
            // Failed although writing is allowed: another process was just creating or removing a
            // file.
            if refused_since.get_or_insert_with(Instant::now).elapsed() < RETRY_TIME {
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
    made::create_marker(path);
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
    made::create_marker(path);
    Ok(connection)
}

/// A writing connection, whatever the schema; an empty database is created if missing.
fn writable(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let conn = match open::read_write(path, options.busy) {
        Err(error) if error.is_unwritable() => {
            // Created by this process or a faster one, the file exists now.
            create(path)?;
            open::read_write(path, options.busy)?
        }
        other => other?,
    };
    // SQLite falls back to read-only when the file may not be written.
    if conn.is_readonly(MAIN_DB)? {
        let source = std::io::Error::from(ErrorKind::PermissionDenied);
        return Err(StoreError::io(path, source));
    }
    Ok(DbConnection::live(conn))
}

/// Makes sure that the file exists, for the owner only, and a directory for it. Another process may
/// be faster at either.
///
/// The files that SQLite creates next to it inherit its mode.
fn create(path: &Path) -> Result<(), StoreError> {
    files::private_dir(path.parent().unwrap_or(path))?;
    match files::private_file(path) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map(|_| ()),
    }
}

// The common case does little: open the file and read the schema version from its header.
// Everything else handles a missing database, one that is older or newer than this program, and a
// directory that cannot be written.

/// Opens the first connection of a store and returns its access.
pub(crate) fn first(options: &OpenOptions) -> Result<(DbConnection, Access), StoreError> {
    let asked = Access::ReadOnly { reason: ReadOnlyReason::Asked };
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => {
            let connection = in_memory(options)?;
            Ok((connection, if options.read_only { asked } else { Access::ReadWrite }))
        }
        Location::File(path) if options.read_only => open_read::reading(path, options),
        Location::File(path) => match upgraded(path, options) {
            Ok(Some(connection)) => Ok((connection, Access::ReadWrite)),
            Ok(None) => open_read::reading(path, options),
            Err(error) if error.is_unwritable() => {
                let connection = open_read::without_writing(path, options)?;
                let access = open_read::access_of(&connection, ReadOnlyReason::HomeNotWritable)?;
                Ok((connection, access))
            }
            Err(error) => Err(error),
        },
    }
}

/// Opens the first connection of a store for a caller in a hurry: nothing is upgraded or copied,
/// and a database that cannot be written as it is gives an error. Only a missing database is
/// created, which takes milliseconds.
pub(crate) fn promptly(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => in_memory(options),
        Location::File(path) => as_it_is(path, options),
    }
}

/// Opens another connection to the file of an open store.
pub(crate) fn another(
    options: &OpenOptions,
    access: &Access,
    file: Option<FileId>,
) -> Result<DbConnection, StoreError> {
    let Location::File(path) = &options.location else {
        return in_memory(options);
    };
    if let Some(file) = file {
        made::ensure_same_file(file, path)?;
    }
    match access {
        Access::ReadWrite => {
            retry::while_busy(options.busy, || open::read_write(path, options.busy).map(DbConnection::live))
        }
        Access::ReadOnly { reason: ReadOnlyReason::HomeNotWritable } => {
            open_read::without_writing(path, options)
        }
        Access::ReadOnly { .. } => open_read::reading(path, options).map(|(connection, _)| connection),
    }
}

/// Fails if the database existed and is gone, before SQLite creates an empty one in its place.
fn refuse_lost(location: &Location) -> Result<(), StoreError> {
    match location {
        Location::Memory => Ok(()),
        Location::File(path) => made::is_made(path).map(|_| ()),
    }
}

fn in_memory(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let mut connection = DbConnection::live(open::memory(options.busy)?);
    upgrade(&mut connection, None, options)?;
    Ok(connection)
}
