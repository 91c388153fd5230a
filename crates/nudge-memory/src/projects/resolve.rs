//! Which project a directory belongs to.
//!
//! A setting decides, else the repository (all its worktrees are one project), else the directory. Only names of files
//! are looked at; git is not run.

use std::path::{Component, Path, PathBuf};

use crate::capture::moment::ProjectRef;
use crate::git::{self, Place};

/// The key and name of what happens nowhere in particular.
pub(crate) const UNKNOWN: &str = "unknown";

/// What the key of a project begins with that is known by its name alone: memories were brought in for it.
pub(crate) const BY_NAME: &str = "name:";

/// What the key of a project begins with whose own settings say what it is called.
pub(crate) const STATED: &str = "stated:";

/// No path that Linux opens is longer.
const PATH_MOST: usize = 4096;

/// The project of a directory. `explicit` is the name that a setting gives it.
pub fn resolve(cwd: Option<&Path>, explicit: Option<&str>) -> ProjectRef {
    resolve_for(cwd, explicit, std::env::home_dir().as_deref())
}

/// Like [`resolve`], for a person whose home is there.
fn resolve_for(cwd: Option<&Path>, explicit: Option<&str>, home: Option<&Path>) -> ProjectRef {
    let found = cwd.filter(|cwd| is_place(cwd)).map(|cwd| of_directory(cwd, home)).unwrap_or_else(unknown);
    match explicit.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => ProjectRef { key: format!("{STATED}{name}"), name: name.to_owned(), root: found.root },
        None => found,
    }
}

/// The key of a project that is known by its name alone.
pub(crate) fn key_of_name(name: &str) -> String {
    format!("{BY_NAME}{name}")
}

fn unknown() -> ProjectRef {
    ProjectRef { key: UNKNOWN.to_owned(), name: UNKNOWN.to_owned(), root: String::new() }
}

/// Whether a path says where something is: absolute, and not just the root.
fn is_place(cwd: &Path) -> bool {
    let length = cwd.as_os_str().len();
    cwd.is_absolute() && length <= PATH_MOST && cwd.components().count() > 1
}

fn of_directory(cwd: &Path, home: Option<&Path>) -> ProjectRef {
    if let Some(place) = git::place(cwd) {
        let root = main_root(&place);
        return ProjectRef { key: shown(&place.common_dir), name: name(&root, home), root: shown(&root) };
    }
    let real = cwd.canonicalize().unwrap_or_else(|_| normal(cwd));
    if real.components().count() < 2 {
        return unknown();
    }
    ProjectRef { key: shown(&real), name: name(&real, home), root: shown(&real) }
}

/// The root of the main worktree, or the repository itself where it has none.
fn main_root(place: &Place) -> PathBuf {
    match place.common_dir.parent() {
        Some(parent) if place.linked && place.common_dir.ends_with(".git") => parent.to_owned(),
        _ if place.linked => place.common_dir.clone(),
        _ => place.root.clone(),
    }
}

fn name(root: &Path, home: Option<&Path>) -> String {
    let is_home = home.is_some_and(|home| home == root || home.canonicalize().is_ok_and(|home| home == root));
    if is_home {
        return "home".to_owned();
    }
    let last = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = last(root).unwrap_or_default();
    let bare = name.strip_suffix(".git").unwrap_or(&name);
    // `project/.bare` with worktrees beside it is called after the folder that holds them all.
    let hidden = || root.parent().and_then(last);
    let named = if bare.is_empty() || bare == ".bare" { hidden() } else { Some(bare.to_owned()) };
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// A path without `.` and `..`, by its text alone.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            Component::ParentDir if normal.has_root() => {}
            part => normal.push(part),
        }
    }
    normal
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\0', "")
}

#[cfg(test)]
mod tests;
