//! Deletes the memory with everything that belongs to it, and nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::pages::Page;
use crate::registration::Ledger;

/// The files that Nudge creates in the directory of a memory.
const IN_ROOT: [&str; 8] = [
    "nudge.db",
    "nudge.db-wal",
    "nudge.db-shm",
    "nudge.db-journal",
    "nudge.db-made",
    "pause.json",
    "client-tokens.json",
    "client-tokens.lock",
];

/// The files that Nudge creates in its subdirectories, by name prefix. The index and the spool
/// belong to Nudge alone.
const IN_DIRS: [(&str, &[&str]); 6] = [
    ("run", &["lock", "state.json", "token", ".token-", "nudge.sock", "drops", "index-started", "version-"]),
    ("run/spool", &[""]),
    ("logs", &["server.log", "hooks.log", "hooks.json"]),
    ("backups", &["nudge-", ".nudge-backup-", ".tmp"]),
    ("install", &["ledger.json"]),
    ("index", &[""]),
];

/// The files to delete. A directory that is not a memory has none of our files, whatever their
/// names.
pub(super) fn found(home: &Home) -> Vec<PathBuf> {
    let root = home.root();
    let is_memory = IN_ROOT.iter().take(5).any(|name| root.join(name).exists())
        || root.join("install/ledger.json").exists()
        || (home.is_default() && root.is_dir());
    if !is_memory {
        return Vec::new();
    }
    let mut found: Vec<PathBuf> = IN_ROOT.iter().map(|name| root.join(name)).collect();
    for (dir, names) in IN_DIRS {
        // A directory called `index` is ours only if it contains a search index.
        let is_index = dir != "index" || root.join("index/meta.json").exists();
        let items = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
        let ours = items.map(|item| item.path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_file = fs::symlink_metadata(path).is_ok_and(|facts| !facts.is_dir());
            is_file && is_index && names.iter().any(|ours| name.starts_with(ours))
        });
        found.extend(ours);
    }
    // The socket is elsewhere if its path was too long for this directory.
    found.extend(Some(home.socket()).filter(|socket| !socket.starts_with(root)));
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

/// Prints what will be deleted.
pub(super) fn planned(page: &mut Page, doomed: &[PathBuf]) {
    if doomed.is_empty() {
        return;
    }
    page.strong("Memory").end();
    let dir = doomed.first().and_then(|path| path.parent()).unwrap_or(Path::new(""));
    page.text("  ")
        .bad("delete   ")
        .text(format!(" {} files of Nudge, below {}", doomed.len(), dir.display()))
        .end();
}

/// Deletes the files, and the directories made for them that are now empty.
pub(super) fn run(home: &Home, ledger: &Ledger) -> Result<(), Fault> {
    for path in found(home) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "not_deleted",
                    format!("cannot delete {}: {error}", path.display()),
                )
                .next("end the running sessions, then run this again"));
            }
            _ => {}
        }
    }
    for (dir, _) in IN_DIRS.iter().rev() {
        // The system refuses to remove a directory with other files in it, so it stays.
        let _ = fs::remove_dir(home.root().join(dir));
    }
    let _ = fs::remove_dir(home.root());
    ledger.remove_made_dirs();
    Ok(())
}
