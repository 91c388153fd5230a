//! Where a stdio server runs: the facts it adds to calls that leave them out.
//!
//! Branch and remote may change between two calls, and reading them takes as long as the rest of a
//! call. So they are cached for as long as git's own files show no change.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::Context;
use nudge_home::surroundings;
use nudge_memory::projects;

/// Even unchanged facts are read again after this time: a changed remote in the user's own git
/// configuration, or a repository created further down, does not show in the watched files.
const CACHED_FOR: Duration = Duration::from_secs(2);

/// Outside a repository, one may be created in any directory above, and only the nearest is
/// watched.
const CACHED_OUTSIDE_FOR: Duration = Duration::from_millis(200);

/// The directory this process was started in. Agents start their servers in the project.
pub(crate) struct Surroundings {
    cwd: PathBuf,
    project: String,
    cached: Mutex<Option<Cached>>,
}

struct Cached {
    context: Context,
    until: Instant,
    marks: Marks,
}

/// Values that change when git replaces a file; `None` while there is no such file.
type Mark = Option<(u64, i64, i64, u64)>;

/// The watched files, with their earlier values.
type Marks = Vec<(PathBuf, Mark)>;

impl Surroundings {
    pub(crate) fn new(cwd: PathBuf) -> Self {
        let project = projects::of_directory(&cwd).key;
        Self { cwd, project, cached: Mutex::new(None) }
    }

    /// The key of the project it runs in.
    pub(crate) fn project(&self) -> Option<String> {
        Some(self.project.clone())
    }

    /// The current facts.
    pub(crate) fn now(&self) -> Context {
        let mut cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = &*cached
            && cached.is_fresh()
        {
            return cached.context.clone();
        }
        // Record the marks before reading: a change in between shows at the next call.
        let watched = watched(&self.cwd);
        let context = surroundings::here(&self.cwd);
        *cached = watched.map(|(marks, keep)| Cached {
            context: context.clone(),
            until: Instant::now() + keep,
            marks,
        });
        context
    }
}

impl Cached {
    fn is_fresh(&self) -> bool {
        Instant::now() < self.until && self.marks.iter().all(|(path, mark)| mark_of(path) == *mark)
    }
}

/// The files with branch and remote, if they are in the usual place, and how long to trust them. In
/// a linked worktree they are elsewhere, and nothing is cached.
fn watched(cwd: &Path) -> Option<(Marks, Duration)> {
    let marked = |path: PathBuf| (path.clone(), mark_of(&path));
    let Some(git) = cwd.ancestors().map(|dir| dir.join(".git")).find(|git| git.symlink_metadata().is_ok())
    else {
        return Some((vec![marked(cwd.join(".git"))], CACHED_OUTSIDE_FOR));
    };
    git.is_dir().then(|| (vec![marked(git.join("HEAD")), marked(git.join("config"))], CACHED_FOR))
}

fn mark_of(path: &Path) -> Mark {
    let found = path.symlink_metadata().ok()?;
    Some((found.ino(), found.mtime(), found.mtime_nsec(), found.size()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(branch: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::create_dir(dir.path().join(".git")).expect("directory");
        check_out(dir.path(), branch);
        std::fs::write(dir.path().join(".git/config"), "").expect("written");
        dir
    }

    /// As git does it: a new file replaces the old one.
    fn check_out(dir: &Path, branch: &str) {
        std::fs::write(dir.join(".git/HEAD.lock"), format!("ref: refs/heads/{branch}\n")).expect("written");
        std::fs::rename(dir.join(".git/HEAD.lock"), dir.join(".git/HEAD")).expect("renamed");
    }

    #[test]
    fn a_change_of_branch_is_seen_at_the_next_call() {
        let dir = repository("main");
        let here = Surroundings::new(dir.path().to_owned());
        assert_eq!(here.now().branch.as_deref(), Some("main"));
        assert!(here.cached.lock().expect("unpoisoned").is_some());
        assert_eq!(here.now(), surroundings::here(dir.path()));
        check_out(dir.path(), "dev");
        assert_eq!(here.now().branch.as_deref(), Some("dev"));
    }

    #[test]
    fn a_repository_that_begins_here_is_seen_at_the_next_call() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let here = Surroundings::new(dir.path().to_owned());
        assert_eq!(here.now().branch, None);
        std::fs::create_dir(dir.path().join(".git")).expect("directory");
        check_out(dir.path(), "main");
        assert_eq!(here.now().branch.as_deref(), Some("main"));
    }

    #[test]
    fn the_project_is_the_repository_else_the_directory() {
        let dir = repository("main");
        let below = dir.path().join("src");
        std::fs::create_dir(&below).expect("directory");
        let named = |path: &Path| Some(path.canonicalize().expect("exists").display().to_string());
        assert_eq!(Surroundings::new(below).project(), named(&dir.path().join(".git")));
        let plain = tempfile::tempdir().expect("temporary directory");
        assert_eq!(Surroundings::new(plain.path().to_owned()).project(), named(plain.path()));
    }
}
