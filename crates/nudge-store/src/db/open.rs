//! The only file that opens a connection.
//!
//! It opens the given file and applies the settings that every connection needs.
//! [`open_store`](super::open_write), [`open_write`](super::open_write) and
//! [`open_read`](super::read_only) decide how to open it.

#![allow(clippy::disallowed_methods, reason = "this is the one door")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::db::error::StoreError;
use crate::db::retry;

/// How many prepared statements a connection caches: slightly more than this crate has.
const CACHED_STATEMENTS: usize = 128;

/// The longest full path of a database, in bytes: SQLite has room for 512, and appends `-journal`.
const MAX_PATH_BYTES: usize = 504;

/// Opens a database for reading and writing as it is: not created, not upgraded, whatever its
/// version.
pub(crate) fn read_write(path: &Path, busy: Duration) -> Result<Connection, StoreError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, busy)
}

/// Opens a database for reading; SQLite may create the files it shares between processes.
pub(crate) fn read_only(path: &Path, busy: Duration) -> Result<Connection, StoreError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, busy)
}

/// Opens a database for reading, with existing shared memory that must not be written.
pub(crate) fn shared(path: &Path, busy: Duration) -> Result<Connection, StoreError> {
    connect_uri(path, "mode=ro&readonly_shm=1", busy)
}

/// Opens a file that SQLite may treat as immutable: no locks, no WAL, no shared memory.
pub(crate) fn immutable(path: &Path, busy: Duration) -> Result<Connection, StoreError> {
    connect_uri(path, "immutable=1", busy)
}

/// An empty database in memory.
pub(crate) fn memory(busy: Duration) -> Result<Connection, StoreError> {
    let mut conn = blank()?;
    configure(&mut conn, busy)?;
    Ok(conn)
}

/// An empty in-memory database without any settings, for comparing schemas.
pub(crate) fn blank() -> Result<Connection, StoreError> {
    Ok(Connection::open_in_memory()?)
}

fn connect_uri(path: &Path, parameters: &str, busy: Duration) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect(&address(path, parameters), flags, busy)
}

/// `NO_MUTEX`: a connection is only used by the thread that borrowed it.
fn connect(path: &Path, flags: OpenFlags, busy: Duration) -> Result<Connection, StoreError> {
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let mut conn = opened.map_err(|error| {
        let error = StoreError::from(error);
        let named = !flags.contains(OpenFlags::SQLITE_OPEN_URI) && error.is_unwritable();
        // SQLite only reports that it cannot open the file.
        if named { too_long(path).unwrap_or(error) } else { error }
    })?;
    configure(&mut conn, busy)?;
    Ok(conn)
}

/// The error for a path that is too long for SQLite, which uses the full path.
fn too_long(path: &Path) -> Option<StoreError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = match (fs::canonicalize(dir), path.file_name()) {
        (Ok(dir), Some(name)) => dir.join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    };
    let bytes = full.as_os_str().len();
    let too_long = cfg!(unix) && bytes > MAX_PATH_BYTES;
    too_long.then(|| StoreError::PathTooLong { path: path.to_owned(), bytes, most: MAX_PATH_BYTES })
}

/// The settings of every connection; none of them changes the file.
fn configure(conn: &mut Connection, busy: Duration) -> Result<(), StoreError> {
    conn.busy_handler(Some(retry::busy_handler(busy)))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // Views and triggers in an untrusted file must not call our functions.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Query plans do not depend on bound values, so a cached statement is never prepared again.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(())
}

fn address(path: &Path, parameters: &str) -> PathBuf {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    PathBuf::from(format!("file:{text}?{parameters}"))
}
