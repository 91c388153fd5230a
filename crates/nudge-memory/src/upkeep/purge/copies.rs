//! The same removal in the backups next to the memory.

use std::fs;
use std::path::PathBuf;

use nudge_core::{Fault, Timestamp};
use nudge_store::{DeleteMode, Pace, Store};
use serde::Serialize;

use super::filter::ResolvedFilter;
use super::rows;
use nudge_home::home::{Home, private_dir};

/// The prefix of half-written copies.
const DRAFT_PREFIX: &str = ".nudge-backup-";

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
    remove_drafts(home);
    files(home).into_iter().map(|file| one(file, meant, now)).collect()
}

fn one(file: PathBuf, meant: &ResolvedFilter, now: Timestamp) -> CopyReport {
    let mut left: Vec<String> = Vec::new();
    let revised = Store::revise_copy(&file, now, |copy| {
        let holding = || match meant.only_words() {
            [] => Ok(Vec::new()),
            words => copy.read(|reader| reader.columns_holding(words)),
        };
        let held = holding()?;
        let gone = rows::remove(copy, meant, &mut Pace::new(DeleteMode::Secure), now)?;
        left = holding()?.into_iter().map(|column| column.name).collect();
        Ok::<_, Fault>(!gone.is_nothing() || !held.is_empty())
    });
    match revised {
        Ok(Some(changed)) => {
            let failed = (!left.is_empty()).then(|| format!("the text is still in {}", left.join(", ")));
            CopyReport { file, changed, failed }
        }
        Ok(None) => {
            let failed = Some("it is of a newer version, and this program cannot read it".to_owned());
            CopyReport { file, changed: false, failed }
        }
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

/// Removes half-written copies. They hold what is purged, and it does not matter whose they are: a
/// backup that is being written fails, and the next one is made without it.
fn remove_drafts(home: &Home) {
    for entry in listed(home) {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(DRAFT_PREFIX)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
