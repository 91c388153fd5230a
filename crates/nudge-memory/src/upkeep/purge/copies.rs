//! The same removal in the backups next to the memory.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_store::{DeleteMode, Pace, Store};
use serde::Serialize;

use super::{ResolvedFilter, rows};
use nudge_home::home::{Home, private_dir};

/// The prefix of half-written copies, and how old one must be to count as abandoned.
const DRAFT_PREFIX: &str = ".nudge-backup-";
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// The result for one backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopyReport {
    /// The file.
    pub file: PathBuf,
    /// Whether something was removed from it. False if it contained none of it.
    pub changed: bool,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The backups next to the memory, by name.
pub(super) fn files(home: &Home) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        listed(home).map(|entry| entry.path()).filter(|path| is_backup(path)).collect();
    files.sort();
    files
}

/// Purges each backup. A backup that cannot be changed is reported, and the next one is tried.
pub(super) fn purge(home: &Home, meant: &ResolvedFilter, now: Timestamp) -> Vec<CopyReport> {
    remove_abandoned(home);
    files(home).into_iter().map(|file| one(file, meant, now)).collect()
}

fn one(file: PathBuf, meant: &ResolvedFilter, now: Timestamp) -> CopyReport {
    let revised = Store::revise_copy(&file, now, |copy| {
        let gone = rows::remove(copy, meant, &mut Pace::new(DeleteMode::Secure), now)?;
        Ok::<_, Fault>(!gone.is_nothing())
    });
    match revised {
        Ok(changed) => CopyReport { file, changed: changed == Some(true), failed: None },
        Err(fault) => CopyReport { file, changed: false, failed: Some(fault.message) },
    }
}

/// The entries of the backup directory; none if it is a link.
fn listed(home: &Home) -> impl Iterator<Item = fs::DirEntry> {
    let dir = home.backups_dir();
    let listed = private_dir::refuse_link(&dir).and_then(|()| fs::read_dir(dir));
    listed.into_iter().flatten().flatten()
}

fn is_backup(path: &std::path::Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    // A link may lead to a file that is not ours to change.
    path.symlink_metadata().is_ok_and(|found| found.is_file())
        && !name.starts_with('.')
        && !name.ends_with("-wal")
        && !name.ends_with("-shm")
}

/// Removes copies left by a process that was killed.
fn remove_abandoned(home: &Home) {
    for entry in listed(home) {
        let named = entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT_PREFIX));
        let age =
            entry.metadata().and_then(|found| found.modified()).ok().and_then(|then| then.elapsed().ok());
        if named && age.is_some_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
