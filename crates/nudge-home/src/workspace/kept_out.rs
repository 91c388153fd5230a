//! Directories inside a root that are not part of the project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::names::folded;
use super::path::{OutsideRoot, RelativePath};

/// Directories below a root, each as the names that lead to it.
#[derive(Debug, Default)]
pub(super) struct KeptOut(Vec<Vec<String>>);

impl KeptOut {
    /// Keeps a directory out if it is inside the root. Fails if the root is inside the directory.
    pub(super) fn add(&mut self, root: &Path, dir: &Path) -> io::Result<()> {
        // As it is written too: a link on the way may be replaced by a directory later.
        for dir in [real(dir), dir.to_owned()] {
            if root.starts_with(&dir) {
                let why = format!("{} is inside Nudge's own directory", root.display());
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
            }
            if let Ok(inside) = dir.strip_prefix(root) {
                self.0.push(inside.iter().map(|part| folded(&part.to_string_lossy())).collect());
            }
        }
        Ok(())
    }

    /// Fails for a path into one of the directories, also in other letters that a file system may
    /// take for the same.
    pub(super) fn check(&self, path: &RelativePath) -> Result<(), OutsideRoot> {
        let leads_into = |dir: &Vec<String>| {
            let mut parts = path.as_str().split('/');
            dir.iter().all(|name| parts.next().is_some_and(|part| folded(part) == *name))
        };
        if self.0.iter().any(leads_into) { Err(OutsideRoot::Home(path.to_string())) } else { Ok(()) }
    }
}

/// The real path of a directory that may not exist yet.
fn real(dir: &Path) -> PathBuf {
    dir.ancestors()
        .find_map(|above| Some(fs::canonicalize(above).ok()?.join(dir.strip_prefix(above).ok()?)))
        .unwrap_or_else(|| dir.to_owned())
}
