//! The store's errors.

use std::error::Error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{EntryId, Fault, FaultKind};
use rusqlite::types::Type;
use rusqlite::{ErrorCode, ffi};

use crate::db::files::Loss;
use crate::db::options::ReadOnlyReason;

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

// What a user can do about a failure of the store, and what is logged.

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let fault = fault_of(&error);
        match cause(error) {
            Some(cause) => fault.because(cause),
            None => fault,
        }
    }
}

/// The message for a user or an agent.
fn fault_of(error: &StoreError) -> Fault {
    let message = error.to_string();
    match error {
        StoreError::Busy { .. } => Fault::new(FaultKind::Busy, Fault::BUSY, message)
            .next("try again; `nudge doctor` shows which process uses the memory"),
        StoreError::ReadOnly { path, reason } => read_only(message, path, reason),
        StoreError::TooNew { found, known } => newer(message, *found, *known),
        StoreError::NeedsMigration { found, known } => {
            Fault::new(FaultKind::Unavailable, "needs_migration", message)
                .with("found", *found)
                .with("known", *known)
                .next("any command that writes, such as `nudge serve`, upgrades it")
        }
        StoreError::Secret { rule, field } => {
            Fault::new(FaultKind::SecretRejected, "secret_detected", message)
                .with("rule", rule.as_str())
                .with("field", field.as_str())
                .next("name where the secret is stored instead, or pass --allow-secret to save it")
        }
        StoreError::FeedGone { oldest } => Fault::new(FaultKind::NotFound, "feed_gone", message)
            .with("oldest", *oldest)
            .next("read a snapshot and continue from the feed's head"),
        StoreError::NoEntry(id) => {
            Fault::new(FaultKind::NotFound, "unknown_entry", message).with("entry", id.0)
        }
        StoreError::TypedScheme(_) => Fault::invalid("typed_scheme", message),
        StoreError::RunState { .. } => Fault::new(FaultKind::Conflict, "run_state", message),
        StoreError::OutOfRange { field, .. } => Fault::invalid("out_of_range", message).with("field", *field),
        StoreError::LastVersion => {
            Fault::new(FaultKind::Quota, "last_version", message).next("delete the entry and write it again")
        }
        StoreError::PathTooLong { bytes, most, .. } => {
            Fault::new(FaultKind::Unavailable, "path_too_long", message)
                .with("bytes", *bytes as u64)
                .with("most", *most as u64)
                .next("use a home with a shorter path")
        }
        StoreError::NotAMemory { .. } => {
            Fault::invalid("not_a_memory", message).next("choose a file that `nudge backup` wrote")
        }
        StoreError::Damaged { .. } | StoreError::UnreadableRow { .. } => {
            Fault::new(FaultKind::Internal, Fault::DAMAGED, message)
                .next("run `nudge doctor`, then restore the newest backup with `nudge restore`")
        }
        StoreError::Gone { loss } => {
            Fault::new(FaultKind::Unavailable, Fault::MEMORY_GONE, message).next(recovery_step(*loss))
        }
        StoreError::MigrationChanged { .. } => {
            Fault::new(FaultKind::Internal, Fault::MIGRATION_CHANGED, message).next(
                "use the version of nudge that wrote this memory, or restore a backup with `nudge restore`",
            )
        }
        StoreError::DiskFull { .. } => Fault::disk_full(message),
        StoreError::Io { .. } => Fault::new(FaultKind::Unavailable, Fault::FILE, message)
            .next("check that the path exists and can be used, or run `nudge doctor`"),
        StoreError::RolledBack | StoreError::Database { .. } => {
            Fault::new(FaultKind::Internal, Fault::DATABASE, message).next("run `nudge doctor`")
        }
    }
}

/// The underlying error, for the log.
fn cause(error: StoreError) -> Option<Box<dyn Error + Send + Sync>> {
    match error {
        StoreError::Busy { source, .. }
        | StoreError::Damaged { source }
        | StoreError::DiskFull { source } => source.map(Into::into),
        StoreError::Database { source } => Some(source.into()),
        StoreError::Io { source, .. } => Some(source.into()),
        _ => None,
    }
}

/// The message for an agent. It does not name the file: only the user can act on that.
pub fn for_agents(fault: Fault) -> Fault {
    if fault.reason != Fault::FILE {
        return fault;
    }
    Fault::new(FaultKind::Internal, Fault::FILE, "cannot use the memory")
        .with_source_of(&fault)
        .next("ask the user to run `nudge doctor`")
}

const fn recovery_step(loss: Loss) -> &'static str {
    match loss {
        Loss::Removed | Loss::Emptied => {
            "restore a backup with `nudge restore FILE --yes` (`nudge doctor` names the newest), \
             or start an empty memory with `nudge restore --anew --yes`"
        }
        Loss::Replaced => "try again: the present file is used",
    }
}

fn read_only(message: String, path: &Path, reason: &ReadOnlyReason) -> Fault {
    match reason {
        ReadOnlyReason::HomeNotWritable => {
            let home = path.parent().unwrap_or(path).display().to_string();
            Fault::new(FaultKind::ReadOnly, "home_not_writable", message)
                .with("home", home.clone())
                .next(format!("run this outside the sandbox, or allow it to write to {home}"))
        }
        ReadOnlyReason::NewerSchema { found, known } => newer(message, *found, *known),
        ReadOnlyReason::Asked => {
            Fault::new(FaultKind::ReadOnly, "opened_read_only", message).next("open the memory for writing")
        }
    }
}

fn newer(message: String, found: i64, known: i64) -> Fault {
    Fault::new(FaultKind::NewerStore, "newer_schema", message)
        .with("found", found)
        .with("known", known)
        .next("update nudge, or `nudge restore` the backup that was made before the memory was upgraded")
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;

    #[test]
    fn a_write_in_a_sandbox_names_reason_and_way_out() {
        let error = StoreError::ReadOnly {
            path: "/home/ada/.local/share/nudge/nudge.db".into(),
            reason: ReadOnlyReason::HomeNotWritable,
        };
        let fault = Fault::from(error);
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::ReadOnly, "home_not_writable"));
        assert_eq!(
            fault.message,
            "the memory at /home/ada/.local/share/nudge/nudge.db is read-only: \
             its directory cannot be written by this process"
        );
        assert_eq!(
            fault.next.as_deref(),
            Some("run this outside the sandbox, or allow it to write to /home/ada/.local/share/nudge")
        );
    }

    #[test]
    fn a_person_is_reported_which_file_and_an_agent_is_not() {
        let reported =
            || Fault::from(StoreError::io("/home/ada/nudge.db", std::io::Error::from(ErrorKind::NotFound)));
        assert_eq!(reported().message, "/home/ada/nudge.db: entity not found");
        let fault = for_agents(reported());
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Internal, "file"));
        assert!(!fault.to_json().to_string().contains("ada"), "{fault:?}");
        let other = Fault::from(StoreError::Damaged { source: None });
        assert_eq!(for_agents(other.clone()), other);
    }

    #[test]
    fn what_sqlite_says_stays_out_of_the_message() {
        let source = rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR),
            Some("no such table: nowhere in SELECT hidden FROM nowhere".to_owned()),
        );
        let fault = Fault::from(StoreError::from(source));
        assert_eq!(fault.kind, FaultKind::Internal);
        assert_eq!(fault.message, "cannot use the memory");
        assert_eq!(fault.next.as_deref(), Some("run `nudge doctor`"));
        let causes = fault.causes();
        assert!(causes[0].starts_with("no such table: nowhere"), "{causes:?}");
        assert_eq!(for_agents(fault).causes(), causes);
    }

    #[test]
    fn what_is_stored_stays_out_of_the_cause() {
        let quoting = || Box::<dyn Error + Send + Sync>::from("invalid value: string \"my words\"");
        let kind = rusqlite::types::Type::Text;
        for source in [
            rusqlite::Error::FromSqlConversionFailure(3, kind, quoting()),
            rusqlite::Error::ToSqlConversionFailure(quoting()),
            rusqlite::Error::IntegralValueOutOfRange(1, 4711),
        ] {
            let causes = Fault::from(StoreError::from(source)).causes().join(": ");
            assert!(!causes.is_empty() && !causes.contains("words") && !causes.contains("4711"), "{causes}");
        }
    }
}
