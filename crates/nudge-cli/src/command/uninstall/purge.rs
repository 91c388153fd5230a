//! Deleting the memory with everything that belongs to it, and nothing that does not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;

use crate::pages::Page;
use crate::registration::Ledger;

/// What Nudge makes in the directory of a memory, by how the names begin.
const OURS: [&str; 8] = ["nudge.db", "run", "logs", "backups", "install", "index", "search", "lock"];

/// What is there to delete.
pub(super) fn found(home: &Home) -> Vec<PathBuf> {
    let items = fs::read_dir(home.root()).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = items.map(|item| item.path()).filter(|path| is_ours(path)).collect();
    // Where the path of the socket was too long for the directory.
    let socket = home.socket();
    found.extend(Some(socket).filter(|socket| !socket.starts_with(home.root()) && socket.exists()));
    found.sort();
    found
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    OURS.iter()
        .any(|ours| name == *ours || name.strip_prefix(ours).is_some_and(|rest| rest.starts_with(['-', '.'])))
}

/// Says what will be deleted.
pub(super) fn planned(page: &mut Page, doomed: &[PathBuf]) {
    if doomed.is_empty() {
        return;
    }
    page.strong("Memory").end();
    for path in doomed {
        page.text("  ").bad("delete   ").text(" ").text(path.to_string_lossy()).end();
    }
}

/// Deletes it, and the directories that were made for it and are empty now.
pub(super) fn run(home: &Home, ledger: &Ledger) -> Result<(), Fault> {
    for path in found(home) {
        let is_dir = fs::symlink_metadata(&path).is_ok_and(|facts| facts.is_dir());
        let gone = if is_dir { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match gone {
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
    let _ = fs::remove_dir(home.root());
    ledger.remove_made_dirs();
    Ok(())
}
