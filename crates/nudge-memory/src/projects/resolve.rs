//! Which project a directory belongs to: one function for every surface.
//!
//! The repository decides (all its worktrees are one project), otherwise the directory. The name in
//! a directory's own settings is passed on as a claim; the store joins it to another place of that
//! name only for a reason (see `nudge_store::Arrival`). Only small files are read; git is not run.

use std::path::{Component, Path, PathBuf};

use nudge_home::git::{self, Checkout};
use nudge_home::settings;
use serde::{Deserialize, Serialize};

/// The key and name of the project for events without a place.
pub const UNKNOWN: &str = "unknown";

/// The key prefix of a project known only by its name: memories were imported for it.
pub(crate) const NAME_PREFIX: &str = "name:";

/// Linux opens no longer path.
const MAX_PATH_BYTES: usize = 4096;

/// The project of a directory. `claimed` is the name from its settings.
pub fn resolve(cwd: Option<&Path>, claimed: Option<&str>) -> ProjectRef {
    resolve_for(cwd, claimed, std::env::home_dir().as_deref())
}

/// The project of a directory, with the name from its own file.
pub fn of_directory(dir: &Path) -> ProjectRef {
    resolve(Some(dir), settings::project_name(dir).as_deref())
}

/// Like [`resolve`], for a given home directory.
fn resolve_for(cwd: Option<&Path>, claimed: Option<&str>, home: Option<&Path>) -> ProjectRef {
    let Some(cwd) = cwd.filter(|cwd| is_place(cwd)) else { return unknown() };
    let mut found = by_place(cwd, home);
    if found.key != UNKNOWN {
        let name = claimed.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let remote = name.as_ref().and_then(|_| git::remote(cwd));
        let own = settings::project_declarations(cwd);
        found.claims =
            ProjectClaims { name, remote, private: own.private, strict: own.strict, gone: found.claims.gone };
    }
    found
}

/// The key of a project known only by its name.
pub(crate) fn key_of_name(name: &str) -> String {
    format!("{NAME_PREFIX}{name}")
}

fn unknown() -> ProjectRef {
    ProjectRef { key: UNKNOWN.to_owned(), name: UNKNOWN.to_owned(), ..ProjectRef::default() }
}

/// Whether a path identifies a place: absolute, and not just the root.
fn is_place(cwd: &Path) -> bool {
    let length = cwd.as_os_str().len();
    cwd.is_absolute() && length <= MAX_PATH_BYTES && cwd.components().count() > 1
}

fn by_place(cwd: &Path, home: Option<&Path>) -> ProjectRef {
    let found = |key: &Path, root: &Path, gone| ProjectRef {
        key: shown(key),
        name: name(root, home),
        root: shown(root),
        claims: ProjectClaims { gone, ..ProjectClaims::default() },
    };
    if let Some(place) = git::checkout(cwd) {
        return found(&place.common_dir, &main_root(&place), false);
    }
    let (real, gone) = match cwd.canonicalize() {
        Ok(real) => (real, false),
        Err(_) => (normal(cwd), true),
    };
    if real.components().count() < 2 {
        return unknown();
    }
    found(&real, &real, gone)
}

/// The root of the main worktree, or the repository itself if it has none.
fn main_root(place: &Checkout) -> PathBuf {
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
    // `project/.bare` with worktrees next to it is named after the folder that contains them all.
    let hidden = || root.parent().and_then(last);
    let named = if bare.is_empty() || bare == ".bare" { hidden() } else { Some(bare.to_owned()) };
    named.filter(|name| !name.is_empty()).unwrap_or_else(|| UNKNOWN.to_owned())
}

/// A path without `.` and `..`, computed from its text alone.
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

// A project as its directory describes it, before anything is stored for it.

/// A project, as its directory describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectRef {
    /// Identifies its place.
    pub key: String,
    /// Its name, taken from the directory.
    pub name: String,
    /// Its root directory.
    pub root: String,
    /// What it declares about itself.
    #[serde(default, rename = "said", skip_serializing_if = "ProjectClaims::is_nothing")]
    pub claims: ProjectClaims,
}

/// What a directory declares about its project. These are claims; alone, they never join two
/// places.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ProjectClaims {
    /// The name in its own settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The canonical remote address, if its settings give it a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether it is private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// Whether it uses strict redaction of credentials.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Whether the directory no longer exists.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gone: bool,
}

impl ProjectClaims {
    /// Whether it declares nothing.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests;
