//! What can go wrong in the store, and what a person can do about it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nudge_core::{EntryId, Fault, FaultKind};
use rusqlite::{ErrorCode, ffi};

use crate::db::access::ReadOnlyReason;
use crate::db::file_id::Loss;

/// A failure of the store.
///
/// Invariant: no message holds SQL, stored text or a refused secret.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process kept the write lock for longer than we wait.
    #[error("another process kept the memory busy{}", for_so_long(*waited))]
    Busy {
        /// How long we waited; zero where nobody counted.
        waited: Duration,
    },
    /// The store can be read but not written.
    #[error("the memory at {} can be read but not written: {reason}", path.display())]
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
        /// The newest one this program knows.
        known: i64,
    },
    /// The store has an older schema, and whoever opened it is not the one to upgrade it.
    #[error("the memory has schema {found} and waits to be upgraded to {known}")]
    NeedsMigration {
        /// The schema version found.
        found: i64,
        /// The newest one this program knows.
        known: i64,
    },
    /// The text looks like a credential.
    #[error("`{field}` looks like a credential ({rule})")]
    Secret {
        /// The rule of the detector.
        rule: String,
        /// Which part of the draft.
        field: String,
    },
    /// The feed no longer holds what comes after the position asked for, or never reached it.
    #[error("the change feed cannot be continued there; its oldest position is {oldest}")]
    FeedGone {
        /// The oldest position that can be continued from.
        oldest: i64,
    },
    /// No entry, or none of the kind asked for, has that id.
    #[error("no such entry: {}", .0.0)]
    NoEntry(EntryId),
    /// An entry of a typed kind, written past its side table.
    #[error("`{0}://` entries are written by their own operation")]
    TypedScheme(String),
    /// A number that no entry can have.
    #[error("`{field}` must be between {least} and {most}")]
    OutOfRange {
        /// Which part of the draft.
        field: &'static str,
        /// The smallest it can be.
        least: i64,
        /// The largest it can be.
        most: i64,
    },
    /// The entry has the last version there is.
    #[error("the entry has reached the last version an entry can have; it was not changed")]
    LastVersion,
    /// The path of the database is longer than SQLite can use.
    #[error("the path {} has {bytes} bytes; a memory's path can have {most}", path.display())]
    PathTooLong {
        /// The database.
        path: PathBuf,
        /// How long its full path is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// The file is damaged.
    #[error("the memory is damaged")]
    Damaged,
    /// There was a database, and it is not there any more.
    #[error("{}", how_it_went(*loss))]
    Gone {
        /// What became of it.
        loss: Loss,
    },
    /// The file is no memory, or not one that can be restored.
    #[error("{} cannot be restored: {why}; nothing was changed", path.display())]
    NotAMemory {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// An applied migration differs from the one this program carries.
    #[error("migration {name} was applied to the memory in another form")]
    MigrationChanged {
        /// Its file name.
        name: String,
    },
    /// An earlier failure has already undone the transaction.
    #[error("the write was undone by an earlier failure")]
    RolledBack,
    /// No room is left on the disk.
    #[error("the disk is full")]
    DiskFull,
    /// A file could not be used.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A stored row says what no program of ours writes.
    #[error("entry {id} cannot be read: its {column} is not valid")]
    UnreadableRow {
        /// The entry, or the feed position.
        id: i64,
        /// The column.
        column: &'static str,
    },
    /// Anything else that SQLite reports.
    #[error("the memory could not be used")]
    Database {
        /// What SQLite said; for logs, never for a message.
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

    /// Whether what is stored is to blame: other content than any program of ours writes.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged | Self::MigrationChanged { .. } | Self::UnreadableRow { .. } => true,
            // A statement that does not fit the schema, or a value that does not fit its column.
            Self::Database { source } => matches!(
                source.sqlite_error_code(),
                None | Some(ErrorCode::Unknown | ErrorCode::TypeMismatch | ErrorCode::ConstraintViolation)
            ),
            _ => false,
        }
    }

    /// Whether the store is lost as it is: gone, damaged, or not what any program of ours writes.
    pub fn is_loss(&self) -> bool {
        self.is_damage() || matches!(self, Self::Gone { .. })
    }

    /// Whether the files cannot be used the way they were opened: not writable, or not to be opened at all.
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
    /// Whether a reader has to do without what it shares with others: nothing can be written, or there is no room.
    pub(crate) fn wants_read_only(&self) -> bool {
        self.is_unwritable() || matches!(self, Self::DiskFull)
    }
}

fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}

impl From<rusqlite::Error> for StoreError {
    fn from(source: rusqlite::Error) -> Self {
        match source.sqlite_error_code() {
            Some(
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Busy { waited: Duration::ZERO },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged,
            Some(ErrorCode::DiskFull) => Self::DiskFull,
            // The small file that readers and writers share could not be emptied or made as large
            // as it has to be.
            Some(ErrorCode::SystemIoFailure)
                if matches!(
                    extended(&source),
                    Some(ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_SHMOPEN)
                ) =>
            {
                Self::DiskFull
            }
            _ => Self::Database { source },
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::Busy { .. } => Self::new(FaultKind::Busy, "busy", message)
                .next("try again; `nudge doctor` shows who uses the memory"),
            StoreError::ReadOnly { path, reason } => read_only(message, &path, &reason),
            StoreError::TooNew { found, known } => newer(message, found, known),
            StoreError::NeedsMigration { found, known } => {
                Self::new(FaultKind::Unavailable, "needs_migration", message)
                    .with("found", found)
                    .with("known", known)
                    .next("any command that writes, such as `nudge serve`, upgrades it")
            }
            StoreError::Secret { rule, field } => {
                Self::new(FaultKind::SecretRejected, "secret_detected", message)
                    .with("rule", rule)
                    .with("field", field)
                    .next(
                        "say where the secret is kept instead, or pass --allow-secret to keep it on purpose",
                    )
            }
            StoreError::FeedGone { oldest } => Self::new(FaultKind::NotFound, "feed_gone", message)
                .with("oldest", oldest)
                .next("read a snapshot and continue from the feed's head"),
            StoreError::NoEntry(id) => {
                Self::new(FaultKind::NotFound, "unknown_entry", message).with("entry", id.0)
            }
            StoreError::TypedScheme(_) => Self::invalid("typed_scheme", message),
            StoreError::OutOfRange { field, .. } => {
                Self::invalid("out_of_range", message).with("field", field)
            }
            StoreError::LastVersion => Self::new(FaultKind::Quota, "last_version", message)
                .next("delete the entry and write it again"),
            StoreError::PathTooLong { bytes, most, .. } => {
                Self::new(FaultKind::Unavailable, "path_too_long", message)
                    .with("bytes", bytes as u64)
                    .with("most", most as u64)
                    .next("use a home with a shorter path")
            }
            StoreError::NotAMemory { .. } => {
                Self::invalid("not_a_memory", message).next("choose a file that `nudge backup` wrote")
            }
            StoreError::Damaged | StoreError::UnreadableRow { .. } => {
                Self::new(FaultKind::Internal, "damaged", message)
                    .next("run `nudge doctor`, then `nudge restore` the newest backup")
            }
            StoreError::Gone { loss } => {
                Self::new(FaultKind::Unavailable, "memory_gone", message).next(way_back(loss))
            }
            StoreError::MigrationChanged { .. } => {
                Self::new(FaultKind::Internal, "migration_changed", message)
                    .next("use the version of nudge that wrote this memory, or `nudge restore` a backup")
            }
            StoreError::DiskFull => Self::disk_full(message),
            StoreError::Io { .. } => Self::new(FaultKind::Unavailable, FILE, message)
                .next("check that the path exists and can be used, or run `nudge doctor`"),
            StoreError::RolledBack | StoreError::Database { .. } => {
                Self::new(FaultKind::Internal, "database", message).next("run `nudge doctor`")
            }
        }
    }
}

/// The word for a file that could not be used, whose path the message holds.
const FILE: &str = "file";

/// What an agent is told of a failure. Which file it was is for the person, who can do something about it.
pub fn told_to_agents(fault: Fault) -> Fault {
    if fault.reason != FILE {
        return fault;
    }
    Fault::new(FaultKind::Internal, FILE, "the memory could not be used")
        .next("ask the person to run `nudge doctor`")
}

const fn how_it_went(loss: Loss) -> &'static str {
    match loss {
        Loss::Removed => "the memory is gone: its database was removed",
        Loss::Emptied => "the memory is gone: its database was cut to 0 bytes",
        Loss::Replaced => "the database was replaced by another file while it was open; nothing was kept",
    }
}

const fn way_back(loss: Loss) -> &'static str {
    match loss {
        Loss::Removed | Loss::Emptied => {
            "bring back a backup with `nudge restore FILE --yes` (`nudge doctor` names the newest), \
             or start with an empty memory with `nudge restore --anew --yes`"
        }
        Loss::Replaced => "try again: the file that is there now is used",
    }
}

fn for_so_long(waited: Duration) -> String {
    if waited.is_zero() { String::new() } else { format!(" for more than {} ms", waited.as_millis()) }
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
            "the memory at /home/ada/.local/share/nudge/nudge.db can be read but not written: \
             its directory cannot be written by this process"
        );
        assert_eq!(
            fault.next.as_deref(),
            Some("run this outside the sandbox, or allow it to write to /home/ada/.local/share/nudge")
        );
    }

    #[test]
    fn a_person_is_told_which_file_and_an_agent_is_not() {
        let told =
            || Fault::from(StoreError::io("/home/ada/nudge.db", std::io::Error::from(ErrorKind::NotFound)));
        assert_eq!(told().message, "/home/ada/nudge.db: entity not found");
        let fault = told_to_agents(told());
        assert_eq!((fault.kind, fault.reason.as_str()), (FaultKind::Internal, "file"));
        assert!(!fault.to_json().to_string().contains("ada"), "{fault:?}");
        let other = Fault::from(StoreError::Damaged);
        assert_eq!(told_to_agents(other.clone()), other);
    }

    #[test]
    fn what_sqlite_says_stays_out_of_the_message() {
        let source = rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_ERROR),
            Some("no such table: nowhere in SELECT hidden FROM nowhere".to_owned()),
        );
        let fault = Fault::from(StoreError::from(source));
        assert_eq!(fault.kind, FaultKind::Internal);
        assert_eq!(fault.message, "the memory could not be used");
        assert_eq!(fault.next.as_deref(), Some("run `nudge doctor`"));
    }
}
