//! Finds the protected files of a project.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::plan;

/// Directories full of other people's packages, where such names are frequent and read by nobody.
const PACKAGES: &[&str] = &["node_modules", "target", ".venv", "venv", "vendor", "__pycache__", ".tox"];

/// How many directory entries are looked at, how deep, and how many names are protected. Each costs
/// a mount.
const ENTRIES: usize = 20_000;
const DEPTH: usize = 6;
const FOUND: usize = 200;

/// Whether a name is protected. What was renamed is not.
pub(super) fn is_protected(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    !name.to_lowercase().ends_with(super::guard::REFUSED) && plan::is_protected(&name)
}

/// The protected files and directories of a project, the upper ones first; no links, and none that
/// the person gave a right to.
pub(super) fn find(root: &Path, allowed: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = VecDeque::from([(root.to_owned(), 0)]);
    let mut entries = 0;
    while let Some((dir, depth)) = open.pop_front() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            entries += 1;
            if entries > ENTRIES || found.len() >= FOUND {
                return found;
            }
            let (path, name) = (entry.path(), entry.file_name());
            let Ok(kind) = entry.file_type() else { continue };
            if is_protected(&name) {
                if !kind.is_symlink() && !is_allowed(&path, allowed) {
                    found.push(path);
                }
            } else if kind.is_dir() && depth < DEPTH && !PACKAGES.iter().any(|packages| name == *packages) {
                open.push_back((path, depth + 1));
            }
        }
    }
    found
}

/// Whether the person gave the right to write it.
pub(super) fn is_allowed(path: &Path, allowed: &[PathBuf]) -> bool {
    allowed.iter().any(|allowed| path.starts_with(allowed))
}
