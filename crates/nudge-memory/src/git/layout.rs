//! Where the files of a repository lie: plain, worktree, submodule or bare.

use std::path::{Path, PathBuf};

use super::{LINE_MAX, read_small};

/// The directories of one repository.
pub(super) struct Layout {
    /// The top of the working tree.
    pub(super) root: PathBuf,
    /// Where this worktree's HEAD lies.
    pub(super) git_dir: PathBuf,
    /// Where the configuration lies; the same for all worktrees.
    pub(super) common_dir: PathBuf,
}

/// Finds the repository that a directory belongs to. `dir` is absolute and real.
pub(super) fn find(dir: &Path) -> Option<Layout> {
    dir.ancestors().find_map(at)
}

fn at(dir: &Path) -> Option<Layout> {
    let dot_git = dir.join(".git");
    if dot_git.is_dir() && is_git_dir(&dot_git) {
        return Some(Layout::new(dir, dot_git));
    }
    if dot_git.is_file() {
        let text = read_small(&dot_git, LINE_MAX)?;
        let target = text.strip_prefix("gitdir:")?.trim();
        let git_dir = real(dir.join(target));
        return is_git_dir(&git_dir).then(|| Layout::new(dir, git_dir));
    }
    // A bare repository, or somebody standing inside `.git`.
    if is_git_dir(dir) && dir.join("objects").is_dir() {
        let root = if dir.ends_with(".git") { dir.parent()? } else { dir };
        return Some(Layout::new(root, dir.to_owned()));
    }
    None
}

impl Layout {
    fn new(root: &Path, git_dir: PathBuf) -> Self {
        let common = read_small(&git_dir.join("commondir"), LINE_MAX);
        let common_dir = match common.as_deref().map(str::trim) {
            Some(path) if !path.is_empty() => real(git_dir.join(path)),
            _ => real(git_dir.clone()),
        };
        Self { root: root.to_owned(), git_dir, common_dir }
    }
}

fn is_git_dir(dir: &Path) -> bool {
    let head = dir.join("HEAD");
    head.is_file() || head.is_symlink()
}

fn real(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}
