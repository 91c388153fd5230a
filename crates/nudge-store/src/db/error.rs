//! The store's errors.

mod fault;

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::Duration;

use nudge_core::EntryId;
use rusqlite::types::Type;
use rusqlite::{ErrorCode, ffi};

use crate::db::access::ReadOnlyReason;
use crate::db::file_id::Loss;
pub use fault::for_agents;

/// A failure of the store.
///
/// Invariant: no message contains SQL, stored text or a rejected secret.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process kept the write lock for longer than the timeout.
    #[error("another process kept the memory busy{}", for_so_long(*waited))]
    Busy {
        /// How long it waited; zero if that was not measured.
        waited: Duration,
        /// SQLite's error; for logs, never for a message.
        source: Option<rusqlite::Error>,
    },
    /// The store can be read but not written.
    #[error("the memory at {} is read-only: {reason}", path.display())]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// Why.
        reason: ReadOnlyReason,
    },
    /// The store was written by a program so new that this one cannot read it.
    #[error("the memory has schema {found}; this program reads up to {known}")]
    TooNew {
        /// The schema version found.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The store has an older schema, and this caller must not upgrade it.
    #[error("the memory has schema {found} and needs an upgrade to {known}")]
    NeedsMigration {
        /// The schema version found.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The text looks like a credential.
    #[error("`{field}` looks like a credential ({rule})")]
    Secret {
        /// The detector's rule.
        rule: String,
        /// The part of the draft.
        field: String,
    },
    /// The feed no longer contains what follows the requested position, or never reached it.
    #[error("the change feed no longer has that position; its oldest one is {oldest}")]
    FeedGone {
        /// The oldest position that can be continued from.
        oldest: i64,
    },
    /// No entry, or none of the requested kind, has this id.
    #[error("no such entry: {}", .0.0)]
    NoEntry(EntryId),
    /// An entry of a typed kind, written without its side table.
    #[error("`{0}://` entries are written by their own operation")]
    TypedScheme(String),
    /// A change of state that the table of states does not have.
    #[error("a run that is {} cannot become {}", from.name(), to.name())]
    RunState {
        /// The state that it has.
        from: nudge_core::run::RunState,
        /// The state that it was to get.
        to: nudge_core::run::RunState,
    },
    /// A number outside the valid range.
    #[error("`{field}` must be between {least} and {most}")]
    OutOfRange {
        /// The part of the draft.
        field: &'static str,
        /// The minimum.
        least: i64,
        /// The maximum.
        most: i64,
    },
    /// The entry already has the highest possible version.
    #[error("the entry has reached the highest version number; it was not changed")]
    LastVersion,
    /// The path of the database is longer than SQLite can use.
    #[error("the path {} has {bytes} bytes; the limit for a memory is {most}", path.display())]
    PathTooLong {
        /// The database.
        path: PathBuf,
        /// The length of its full path.
        bytes: usize,
        /// The maximum length.
        most: usize,
    },
    /// The file is damaged.
    #[error("the memory is damaged")]
    Damaged {
        /// SQLite's error; for logs, never for a message.
        source: Option<rusqlite::Error>,
    },
    /// The database existed and is gone.
    #[error("{}", how_it_went(*loss))]
    Gone {
        /// How it was lost.
        loss: Loss,
    },
    /// The file is not a memory, or not one that can be restored.
    #[error("{} cannot be restored: {why}; nothing was changed", path.display())]
    NotAMemory {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An applied migration differs from the one in this program.
    #[error("migration {name} was applied to the memory in another form")]
    MigrationChanged {
        /// Its file name.
        name: String,
    },
    /// An earlier failure has already rolled back the transaction.
    #[error("the write was undone by an earlier failure")]
    RolledBack,
    /// The disk is full.
    #[error("the disk is full")]
    DiskFull {
        /// SQLite's error; for logs, never for a message.
        source: Option<rusqlite::Error>,
    },
    /// A file could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// A stored row contains a value that Nudge never writes.
    #[error("entry {id} cannot be read: its {column} is not valid")]
    UnreadableRow {
        /// The entry's id, or the feed position.
        id: i64,
        /// The column.
        column: &'static str,
    },
    /// Anything else that SQLite reports.
    #[error("cannot use the memory")]
    Database {
        /// SQLite's error; for logs, never for a message.
        source: rusqlite::Error,
    },
}

impl StoreError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    /// Whether waiting may help.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Busy { .. })
    }

    /// Whether the stored data is to blame: content that Nudge never writes.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } | Self::MigrationChanged { .. } | Self::UnreadableRow { .. } => true,
            // A statement that does not fit the schema, or a value that does not fit its column.
            Self::Database { source } => matches!(
                source.sqlite_error_code(),
                None | Some(ErrorCode::Unknown | ErrorCode::TypeMismatch | ErrorCode::ConstraintViolation)
            ),
            _ => false,
        }
    }

    /// Whether the store is lost: gone, damaged, or with content that Nudge never writes.
    pub fn is_loss(&self) -> bool {
        self.is_damage() || matches!(self, Self::Gone { .. })
    }

    /// Whether the files cannot be used the way they were opened: not writable, or not openable at
    /// all.
    pub(crate) fn is_unwritable(&self) -> bool {
        match self {
            Self::Database { source } => matches!(
                source.sqlite_error_code(),
                Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
            ),
            Self::Io { source, .. } => {
                matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
            }
            _ => false,
        }
    }
}

impl StoreError {
    /// Whether a reader must do without the shared file: nothing can be written, or the disk is
    /// full.
    pub(crate) fn wants_read_only(&self) -> bool {
        self.is_unwritable() || matches!(self, Self::DiskFull { .. })
    }
}

fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

/// SQLite's error without stored content. SQLite itself quotes our SQL and never a bound value; an
/// error in converting a value may quote it, so that part is removed.
fn without_content(source: rusqlite::Error) -> rusqlite::Error {
    use rusqlite::Error as Sqlite;
    match source {
        Sqlite::FromSqlConversionFailure(column, found, _) => {
            Sqlite::FromSqlConversionFailure(column, found, "it is not what it should be".into())
        }
        Sqlite::IntegralValueOutOfRange(column, _) => {
            Sqlite::FromSqlConversionFailure(column, Type::Integer, "it is out of range".into())
        }
        Sqlite::ToSqlConversionFailure(_) => Sqlite::ToSqlConversionFailure("it cannot be stored".into()),
        source => source,
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        let source = without_content(source);
        match source.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy { waited: Duration::ZERO, source: Some(source) },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { source: Some(source) }
            }
            Some(ErrorCode::DiskFull) => Self::DiskFull { source: Some(source) },
            // The small file shared by readers and writers could not be truncated or resized.
            Some(ErrorCode::SystemIoFailure)
                if matches!(
                    extended(&source),
                    Some(ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_SHMOPEN)
                ) =>
            {
                Self::DiskFull { source: Some(source) }
            }
            _ => Self::Database { source },
        }
    }
}

const fn how_it_went(loss: Loss) -> &'static str {
    match loss {
        Loss::Removed => "the memory is gone: its database was removed",
        Loss::Emptied => "the memory is gone: its database was cut to 0 bytes",
        Loss::Replaced => "another file replaced the database while it was open; nothing was saved",
    }
}

fn for_so_long(waited: Duration) -> String {
    if waited.is_zero() { String::new() } else { format!(" for more than {} ms", waited.as_millis()) }
}
