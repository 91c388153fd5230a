//! Opens a database for reading, even if nothing can be written.
//!
//! [`read_only`] decides how; this file does it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::options::{Access, OpenOptions, ReadOnlyReason};
use crate::db::read_only::{self, ReadMode, Surroundings, Watched};
use crate::db::schema::{self, LATEST};
use crate::db::{open, open_write, retry};

/// A connection that only reads. The home may be writable, or the disk full: even a reader creates
/// a small file that it shares with others, but does without if it cannot.
pub(super) fn reading(path: &Path, options: &OpenOptions) -> Result<(DbConnection, Access), StoreError> {
    let attempt = retry::while_busy(options.busy, || {
        let connection = DbConnection::live(open::read_only(path, options.busy)?);
        let version = connection.version()?;
        Ok((connection, version))
    });
    let connection = match attempt {
        Ok((connection, version)) if version >= LATEST => connection,
        Ok((connection, version)) => {
            drop(connection);
            if version > 0 { upgraded_for_reading(path, options)? } else { without_writing(path, options)? }
        }
        Err(error) if error.wants_read_only() => without_writing(path, options)?,
        Err(error) => return Err(error),
    };
    let access = access_of(&connection, ReadOnlyReason::Asked)?;
    Ok((connection, access))
}

/// A reading connection that writes nothing.
pub(super) fn without_writing(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let opened = retry::while_busy(options.busy, || {
        let around = Surroundings::of(path)?;
        let mut mode = around.mode();
        let mut opened = in_mode(path, mode, &around, options);
        if mode == ReadMode::Shared && opened.as_ref().is_err_and(StoreError::wants_read_only) {
            mode = around.mode_without_shared();
            opened = in_mode(path, mode, &around, options);
        }
        let connection = opened?;
        match connection.version()? {
            0 if mode != ReadMode::Absent => in_mode(path, ReadMode::Absent, &around, options),
            version if version < LATEST => {
                // The original must not be upgraded here, so upgrade a copy.
                let mut copied = in_mode(path, ReadMode::Copied, &around, options)?;
                open_write::upgrade(&mut copied, None, options)?;
                Ok(copied)
            }
            _ => Ok(connection),
        }
    });
    // SQLite only reports that it cannot open the file; the system gives the reason.
    opened.map_err(|error| match fs::File::open(path) {
        Err(source) if error.is_unwritable() => StoreError::io(path, source),
        _ => error,
    })
}

/// Opens another program's database for reading, without changing it or any file next to it.
pub(crate) fn foreign(path: &Path, busy: Duration) -> Result<DbConnection, StoreError> {
    let around = Surroundings::of(path)?;
    let mut mode = around.mode();
    if mode == ReadMode::Shared {
        let shared = open::shared(path, busy);
        match shared.and_then(|conn| schema::version(&conn).map(|_| conn)) {
            Ok(conn) => return Ok(DbConnection::live(conn)),
            // Abandoned shared memory that cannot be used as it is.
            Err(_) => mode = around.mode_without_shared(),
        }
    }
    let watched = Watched::new(path, around);
    match mode {
        ReadMode::Absent => Err(StoreError::io(path, std::io::Error::from(ErrorKind::NotFound))),
        ReadMode::Immutable => Ok(DbConnection::still(open::immutable(path, busy)?, watched, None)),
        ReadMode::Shared | ReadMode::Copied => {
            let (dir, copied) = read_only::copy(path)?;
            let conn = open::read_write(&copied, busy)?;
            Ok(DbConnection::still(conn, watched, Some(dir)))
        }
    }
}

/// The access to a database that is only read, with the reason.
pub(super) fn access_of(connection: &DbConnection, otherwise: ReadOnlyReason) -> Result<Access, StoreError> {
    let found = connection.version()?;
    let newer = ReadOnlyReason::NewerSchema { found, known: LATEST };
    Ok(Access::ReadOnly { reason: if found > LATEST { newer } else { otherwise } })
}

/// A reading connection to a database written by an older program.
fn upgraded_for_reading(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    match open_write::upgraded(path, options) {
        Ok(_upgraded) => Ok(DbConnection::live(open::read_only(path, options.busy)?)),
        Err(error) if error.is_unwritable() => without_writing(path, options),
        Err(error) => Err(error),
    }
}

fn in_mode(
    path: &Path,
    mode: ReadMode,
    around: &Surroundings,
    options: &OpenOptions,
) -> Result<DbConnection, StoreError> {
    let watched = Watched::new(path, around.clone());
    match mode {
        ReadMode::Absent => {
            let conn = open::memory(options.busy)?;
            let mut connection = DbConnection::still(conn, watched, None);
            open_write::upgrade(&mut connection, None, options)?;
            Ok(connection)
        }
        ReadMode::Shared => {
            let conn = open::read_only(path, options.busy)?;
            schema::version(&conn)?;
            Ok(DbConnection::live(conn))
        }
        ReadMode::Immutable => Ok(DbConnection::still(open::immutable(path, options.busy)?, watched, None)),
        ReadMode::Copied => {
            let (dir, copied) = read_only::copy(path)?;
            let conn = open::read_write(&copied, options.busy)?;
            Ok(DbConnection::still(conn, watched, Some(dir)))
        }
    }
}
