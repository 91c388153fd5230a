//! What a user can do about a failure of the store, and what is logged.

use std::error::Error;
use std::path::Path;

use nudge_core::{Fault, FaultKind};

use super::StoreError;
use crate::db::access::ReadOnlyReason;
use crate::db::file_id::Loss;

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        let fault = said(&error);
        match cause(error) {
            Some(cause) => fault.because(cause),
            None => fault,
        }
    }
}

/// The message for a user or an agent.
fn said(error: &StoreError) -> Fault {
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
