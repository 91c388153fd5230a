//! Deleting the memory with everything that belongs to it, and nothing that does not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::pages::Page;
use crate::registration::Ledger;

/// What Nudge makes in the directory of a memory.
const IN_ROOT: [&str; 6] =
    ["nudge.db", "nudge.db-wal", "nudge.db-shm", "nudge.db-journal", "nudge.db-made", "pause.json"];

/// What it makes in the directories there, by how the names begin. The index and the spool are ours alone.
const IN_DIRS: [(&str, &[&str]); 6] = [
    ("run", &["lock", "state.json", "token", ".token-", "nudge.sock", "drops", "index-started", "version-"]),
    ("run/spool", &[""]),
    ("logs", &["server.log", "hooks.log", "hooks.json"]),
    ("backups", &["nudge-", ".tmp"]),
    ("install", &["ledger.json"]),
    ("index", &[""]),
];

/// What is there to delete. A directory that is no memory has nothing that is ours, whatever its files are called.
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
        // A directory called `index` is only ours when it holds what a search index holds.
        let is_index = dir != "index" || root.join("index/meta.json").exists();
        let items = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
        let ours = items.map(|item| item.path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_file = fs::symlink_metadata(path).is_ok_and(|facts| !facts.is_dir());
            is_file && is_index && names.iter().any(|ours| name.starts_with(ours))
        });
        found.extend(ours);
    }
    // Where the path of the socket was too long for the directory.
    found.extend(Some(home.socket()).filter(|socket| !socket.starts_with(root)));
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

/// Says what will be deleted.
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

/// Deletes it, and the directories that were made for it and are empty now.
pub(super) fn run(home: &Home, ledger: &Ledger) -> Result<(), Fault> {
    for path in found(home) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "not_deleted",
                    format!("cannot delete {}: {error}", path.display()),
                )
                .next("end the sessions that still run, and run this again"));
            }
            _ => {}
        }
    }
    for (dir, _) in IN_DIRS.iter().rev() {
        // One that holds anything else stays: that is what the system refuses.
        let _ = fs::remove_dir(home.root().join(dir));
    }
    let _ = fs::remove_dir(home.root());
    ledger.remove_made_dirs();
    Ok(())
}
