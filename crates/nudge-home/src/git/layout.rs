//! Where the files of a repository are: plain, worktree, submodule or bare.
//!
//! A directory may come from anybody: an archive can carry a `.git` file, a `commondir` or a link
//! that points to one of the user's repositories. So a pointer is followed only if the other end
//! points back: the repository's own list of worktrees names this directory, or the configuration
//! of a submodule does. Files inside the directory itself came with it and need no such proof. If
//! nothing points back, the directory counts as a place of its own, and nothing is read through the
//! pointer.

use std::path::{Path, PathBuf};

use super::config::work_tree;
use super::{CONFIG_MAX, LINE_MAX, read_small};

/// The directories of one repository.
pub(super) struct Layout {
    /// The top of the working tree.
    pub(super) root: PathBuf,
    /// The directory with this worktree's HEAD; `None` when a pointer leads to a repository that
    /// does not know this worktree.
    pub(super) git_dir: Option<PathBuf>,
    /// The directory that all worktrees share and that has the configuration; the root if nothing
    /// may be read.
    pub(super) common_dir: PathBuf,
}

/// Finds the repository that a directory belongs to. `dir` is absolute and real.
pub(super) fn find(dir: &Path) -> Option<Layout> {
    dir.ancestors().find_map(at)
}

fn at(dir: &Path) -> Option<Layout> {
    let dot_git = dir.join(".git");
    let kind = dot_git.symlink_metadata().map(|facts| facts.file_type());
    match kind {
        // A link can lead anywhere, and git never creates one.
        Ok(kind) if kind.is_symlink() => Some(inside(dir, &dot_git).unwrap_or_else(|| Layout::alone(dir))),
        Ok(kind) if kind.is_dir() && is_git_dir(&dot_git) => Some(Layout::of(dir, dot_git)),
        Ok(kind) if kind.is_file() => follow_pointer(dir, &dot_git),
        // A bare repository, or a caller inside `.git`.
        _ if is_git_dir(dir) && dir.join("objects").is_dir() => {
            let root = if dir.ends_with(".git") { dir.parent()? } else { dir };
            Some(Layout::of(root, dir.to_owned()))
        }
        _ => None,
    }
}

/// The repository that a `.git` file points to, if that repository knows this directory.
fn follow_pointer(dir: &Path, dot_git: &Path) -> Option<Layout> {
    let text = read_small(dot_git, LINE_MAX)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let Ok(git_dir) = dir.join(target).canonicalize() else { return Some(Layout::alone(dir)) };
    let found =
        linked(dir, dot_git, &git_dir).or_else(|| inside(dir, &git_dir)).or_else(|| submodule(dir, &git_dir));
    Some(found.unwrap_or_else(|| Layout::alone(dir)))
}

/// A linked worktree: the repository has `worktrees/<id>/gitdir`, which names this very `.git`
/// file.
fn linked(dir: &Path, dot_git: &Path, git_dir: &Path) -> Option<Layout> {
    let common = read_small(&git_dir.join("commondir"), LINE_MAX)?;
    let common_dir = git_dir.join(common.trim()).canonicalize().ok()?;
    let is_listed = git_dir.parent().is_some_and(|list| list == common_dir.join("worktrees"));
    let named = read_small(&git_dir.join("gitdir"), LINE_MAX)?;
    let back = git_dir.join(named.trim()).canonicalize().ok()?;
    let knows = is_listed && back == dot_git && is_git_dir(git_dir) && is_git_dir(&common_dir);
    knows.then(|| Layout { root: dir.to_owned(), git_dir: Some(git_dir.to_owned()), common_dir })
}

/// A repository inside the directory itself, such as `project/.bare` next to its worktrees.
fn inside(dir: &Path, git_dir: &Path) -> Option<Layout> {
    let real = git_dir.canonicalize().ok()?;
    (real != dir && real.starts_with(dir) && is_git_dir(&real)).then(|| Layout::of(dir, real))
}

/// A submodule: the configuration of its repository names this working tree.
fn submodule(dir: &Path, git_dir: &Path) -> Option<Layout> {
    let config = read_small(&git_dir.join("config"), CONFIG_MAX)?;
    let back = git_dir.join(work_tree(&config)?).canonicalize().ok()?;
    (back == dir && is_git_dir(git_dir)).then(|| Layout::of(dir, git_dir.to_owned()))
}

impl Layout {
    /// A repository that is not a linked worktree. A `commondir` in it is not followed.
    fn of(root: &Path, git_dir: PathBuf) -> Self {
        Self { root: root.to_owned(), common_dir: git_dir.clone(), git_dir: Some(git_dir) }
    }

    /// A directory that points to a repository which does not point back.
    fn alone(root: &Path) -> Self {
        Self { root: root.to_owned(), git_dir: None, common_dir: root.to_owned() }
    }

    /// A file of the repository, if it really is inside it: a link out of it could expose another
    /// repository's data.
    pub(super) fn own(&self, dir: &Path, name: &str) -> Option<PathBuf> {
        self.git_dir.as_ref()?;
        let file = dir.join(name).canonicalize().ok()?;
        (file.starts_with(&self.common_dir) || file.starts_with(&self.root)).then_some(file)
    }
}

fn is_git_dir(dir: &Path) -> bool {
    let head = dir.join("HEAD");
    head.is_file() || head.is_symlink()
}
