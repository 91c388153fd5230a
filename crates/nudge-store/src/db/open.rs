//! The one door: the only place that opens a connection.
//!
//! The common case does little: open the file, read the schema version from its header, done.
//! Everything else here is what happens when there is no database yet, when it is older or newer
//! than this program, or when its directory cannot be written.

#![allow(clippy::disallowed_methods, reason = "this is the one door")]

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nudge_core::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, OpenFlags};

use crate::db::access::{Access, ReadOnlyReason};
use crate::db::connection::{DbConnection, Durability};
use crate::db::error::StoreError;
use crate::db::file_id::FileId;
use crate::db::made;
use crate::db::migrate::{self, LATEST};
use crate::db::read_only::{self, ReadMode, Surroundings, Watched};
use crate::db::retry;
use crate::db::session;

/// Where a store lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In a database file.
    File(PathBuf),
    /// In this process alone; gone when the store is dropped.
    Memory,
}

/// This machine and its present boot, as far as they can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostIdentity {
    /// The machine's id.
    pub machine: Option<String>,
    /// The id of its present boot.
    pub boot: Option<String>,
}

/// How to open a store.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Where it lives.
    pub location: Location,
    /// Whether it will only be read. An older schema is still upgraded where that can be done.
    pub read_only: bool,
    /// Where we are: a changed boot ends the memory session.
    pub host: HostIdentity,
    /// Now.
    pub now: Timestamp,
    /// How long to wait for a lock before giving up.
    pub busy: Duration,
    /// Where a copy goes before the schema is upgraded; nowhere means no copy.
    pub backups: Option<PathBuf>,
}

/// How many prepared statements a connection keeps: somewhat more than this crate has.
const STATEMENTS: usize = 128;

/// For how long a refusal is taken for a neighbour that makes or removes a file: that takes
/// milliseconds, so whatever lasts this long has another reason.
const REFUSALS: Duration = Duration::from_secs(1);

/// The longest full path of a database, in bytes: SQLite has room for 512, and appends `-journal`.
const LONGEST_PATH: usize = 504;

/// Opens the first connection of a store and says what it may be used for.
pub(crate) fn first(options: &OpenOptions) -> Result<(DbConnection, Access), StoreError> {
    let asked = Access::ReadOnly { reason: ReadOnlyReason::Asked };
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => {
            let connection = in_memory(options)?;
            Ok((connection, if options.read_only { asked } else { Access::ReadWrite }))
        }
        Location::File(path) if options.read_only => reading(path, options),
        Location::File(path) => match writing(path, options, try_writing) {
            Ok(Some(connection)) => Ok((connection, Access::ReadWrite)),
            Ok(None) => reading(path, options),
            Err(error) if error.is_unwritable() => {
                let connection = read_only(path, options)?;
                let access = access_of(&connection, ReadOnlyReason::HomeNotWritable)?;
                Ok((connection, access))
            }
            Err(error) => Err(error),
        },
    }
}

/// Opens the first connection of a store for somebody in a hurry: nothing is upgraded and nothing is copied, and what
/// cannot be written as it is is refused. Only a database that is not there yet is made, which takes milliseconds.
pub(crate) fn promptly(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => in_memory(options),
        Location::File(path) => writing(path, options, try_writing_as_it_is),
    }
}

/// Refuses a database that was there and is not any more, before SQLite makes an empty one in its place.
fn refuse_lost(location: &Location) -> Result<(), StoreError> {
    match location {
        Location::Memory => Ok(()),
        Location::File(path) => made::is_made(path).map(|_| ()),
    }
}

/// Opens one more connection of a store that was opened before, on the same file.
pub(crate) fn another(
    options: &OpenOptions,
    access: &Access,
    file: Option<FileId>,
) -> Result<DbConnection, StoreError> {
    let Location::File(path) = &options.location else {
        return in_memory(options);
    };
    if let Some(file) = file {
        made::ensure_still(file, path)?;
    }
    match access {
        Access::ReadWrite => retry::while_busy(options.busy, || {
            connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, options.busy).map(DbConnection::live)
        }),
        Access::ReadOnly { reason: ReadOnlyReason::HomeNotWritable } => read_only(path, options),
        Access::ReadOnly { .. } => reading(path, options).map(|(connection, _)| connection),
    }
}

/// Opens a database as it is: not made, not upgraded, of whatever version.
pub(crate) fn plain(path: &Path, busy: Duration) -> Result<Connection, StoreError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, busy)
}

/// Opens another program's database for reading, without touching it or any file beside it.
pub(crate) fn foreign(path: &Path, busy: Duration) -> Result<DbConnection, StoreError> {
    let uri = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let around = Surroundings::of(path)?;
    let mut mode = around.mode();
    if mode == ReadMode::Shared {
        let shared = connect(&address(path, "mode=ro&readonly_shm=1"), uri, busy);
        match shared.and_then(|conn| migrate::version(&conn).map(|_| conn)) {
            Ok(conn) => return Ok(DbConnection::live(conn)),
            // Shared memory that was left behind and cannot be used as it is.
            Err(_) => mode = around.mode_without_shared(),
        }
    }
    let watched = Watched::new(path, around);
    match mode {
        ReadMode::Absent => Err(StoreError::io(path, std::io::Error::from(ErrorKind::NotFound))),
        ReadMode::Immutable => Ok(DbConnection::still(connect(&unchanging(path), uri, busy)?, watched, None)),
        ReadMode::Shared | ReadMode::Copied => {
            let (dir, copied) = read_only::copy(path)?;
            let conn = connect(&copied, OpenFlags::SQLITE_OPEN_READ_WRITE, busy)?;
            Ok(DbConnection::still(conn, watched, Some(dir)))
        }
    }
}

/// An empty database in memory, without any schema.
pub(crate) fn blank() -> Result<Connection, StoreError> {
    Ok(Connection::open_in_memory()?)
}

/// Repeats an attempt at a connection that can write, while the refusal may be a neighbour's doing.
fn writing<T>(
    path: &Path,
    options: &OpenOptions,
    attempt: fn(&Path, &OpenOptions) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let mut refused_since: Option<Instant> = None;
    retry::while_busy(options.busy, || {
        attempt(path, options).map_err(|error| {
            if !error.is_unwritable() || !read_only::is_writable(path) {
                return error;
            }
            // Refused where writing is allowed: a neighbour was making or removing a file just then.
            if refused_since.get_or_insert_with(Instant::now).elapsed() < REFUSALS {
                return StoreError::Busy { waited: Duration::ZERO };
            }
            let why = "SQLite cannot open it or a file beside it, although they can be written";
            StoreError::io(path, std::io::Error::other(why))
        })
    })
}

/// A connection that can write, upgraded to the newest schema; the database is made if there is none.
///
/// `None` when the database was written by a newer program, which is not to be written at all.
fn try_writing(path: &Path, options: &OpenOptions) -> Result<Option<DbConnection>, StoreError> {
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

/// The same, of a database that has the newest schema already or is not there yet.
fn try_writing_as_it_is(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
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
    let conn = match connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, options.busy) {
        Err(error) if error.is_unwritable() => {
            // Whether we make the file or another process was quicker, it is there now.
            create(path)?;
            connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, options.busy)?
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

/// A connection that only reads, in a home that may well be writable, or have no room left: even a reader makes a small file
/// that it shares with others, and does without where it cannot.
fn reading(path: &Path, options: &OpenOptions) -> Result<(DbConnection, Access), StoreError> {
    let attempt = retry::while_busy(options.busy, || {
        let connection = DbConnection::live(connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, options.busy)?);
        let version = connection.version()?;
        Ok((connection, version))
    });
    let connection = match attempt {
        Ok((connection, version)) if version >= LATEST => connection,
        Ok((connection, version)) => {
            drop(connection);
            if version > 0 { upgraded_for_reading(path, options)? } else { read_only(path, options)? }
        }
        Err(error) if error.wants_read_only() => read_only(path, options)?,
        Err(error) => return Err(error),
    };
    let access = access_of(&connection, ReadOnlyReason::Asked)?;
    Ok((connection, access))
}

/// A reading connection to a database that an older program wrote.
fn upgraded_for_reading(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
    match writing(path, options, try_writing) {
        Ok(_upgraded) => {
            Ok(DbConnection::live(connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, options.busy)?))
        }
        Err(error) if error.is_unwritable() => read_only(path, options),
        Err(error) => Err(error),
    }
}

/// A connection that reads where nothing can be written.
fn read_only(path: &Path, options: &OpenOptions) -> Result<DbConnection, StoreError> {
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
                // Not ours to upgrade here, so a copy is.
                let mut copied = in_mode(path, ReadMode::Copied, &around, options)?;
                upgrade(&mut copied, None, options)?;
                Ok(copied)
            }
            _ => Ok(connection),
        }
    });
    // SQLite only says that it cannot open the file; the system says why.
    opened.map_err(|error| match fs::File::open(path) {
        Err(source) if error.is_unwritable() => StoreError::io(path, source),
        _ => error,
    })
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
            let mut conn = Connection::open_in_memory()?;
            configure(&mut conn, options.busy)?;
            let mut connection = DbConnection::still(conn, watched, None);
            upgrade(&mut connection, None, options)?;
            Ok(connection)
        }
        ReadMode::Shared => {
            let conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, options.busy)?;
            migrate::version(&conn)?;
            Ok(DbConnection::live(conn))
        }
        ReadMode::Immutable => {
            let conn = connect(
                &unchanging(path),
                OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
                options.busy,
            )?;
            Ok(DbConnection::still(conn, watched, None))
        }
        ReadMode::Copied => {
            let (dir, copied) = read_only::copy(path)?;
            let conn = connect(&copied, OpenFlags::SQLITE_OPEN_READ_WRITE, options.busy)?;
            Ok(DbConnection::still(conn, watched, Some(dir)))
        }
    }
}

fn in_memory(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let mut conn = Connection::open_in_memory()?;
    configure(&mut conn, options.busy)?;
    let mut connection = DbConnection::live(conn);
    upgrade(&mut connection, None, options)?;
    Ok(connection)
}

fn upgrade(
    connection: &mut DbConnection,
    path: Option<&Path>,
    options: &OpenOptions,
) -> Result<(), StoreError> {
    migrate::upgrade(connection, path, options)?;
    // So that the first reader finds a session. Lost in a crash, the first writer makes it up.
    connection.begin_write(Durability::Passive, options.busy)?;
    session::settle(connection.raw(), options)?;
    connection.commit(options.busy)
}

fn access_of(connection: &DbConnection, otherwise: ReadOnlyReason) -> Result<Access, StoreError> {
    let found = connection.version()?;
    let newer = ReadOnlyReason::NewerSchema { found, known: LATEST };
    Ok(Access::ReadOnly { reason: if found > LATEST { newer } else { otherwise } })
}

/// `NO_MUTEX`: a connection is only ever used by the one thread that has it on loan.
fn connect(path: &Path, flags: OpenFlags, busy: Duration) -> Result<Connection, StoreError> {
    let opened = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
    let mut conn = opened.map_err(|error| {
        let error = StoreError::from(error);
        let named = !flags.contains(OpenFlags::SQLITE_OPEN_URI) && error.is_unwritable();
        // SQLite only says that it cannot open the file.
        if named { too_long(path).unwrap_or(error) } else { error }
    })?;
    configure(&mut conn, busy)?;
    Ok(conn)
}

/// The failure for a path that SQLite cannot use for its length, which it takes in full.
fn too_long(path: &Path) -> Option<StoreError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let full = match (fs::canonicalize(dir), path.file_name()) {
        (Ok(dir), Some(name)) => dir.join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    };
    let bytes = full.as_os_str().len();
    let too_long = cfg!(unix) && bytes > LONGEST_PATH;
    too_long.then(|| StoreError::PathTooLong { path: path.to_owned(), bytes, most: LONGEST_PATH })
}

/// Settings of every connection; none of them touches the file.
fn configure(conn: &mut Connection, busy: Duration) -> Result<(), StoreError> {
    conn.busy_handler(Some(retry::busy_handler(busy)))?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    // Views and triggers of a file that somebody else prepared must not call functions of ours.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Plans do not depend on what is bound, so a kept statement is never prepared a second time.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    Ok(())
}

/// Sees to it that there is a file, for the owner alone, and a directory for it. Another process may
/// be quicker at either.
///
/// The files that SQLite puts beside it take over its mode.
fn create(path: &Path) -> Result<(), StoreError> {
    let dir = path.parent().unwrap_or(path);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|e| StoreError::io(dir, e))?;
    match read_only::private_file(path) {
        Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map(|_| ()),
    }
}

/// The address of a file that SQLite may take as unchanging: no locks, no WAL, no shared memory.
fn unchanging(path: &Path) -> PathBuf {
    address(path, "immutable=1")
}

fn address(path: &Path, parameters: &str) -> PathBuf {
    let text = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    PathBuf::from(format!("file:{text}?{parameters}"))
}
