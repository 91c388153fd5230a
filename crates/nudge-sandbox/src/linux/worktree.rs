//! The git directory of a project whose `.git` is a file: a worktree or a submodule. It is shown,
//! so that `git status` works, if it really belongs to the project. The file itself is no proof, as
//! anyone who writes in the project can point it anywhere.

use std::fs;
use std::path::{Path, PathBuf};

/// The git directory outside the root that belongs to it.
pub(super) fn git_directory(root: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(root.join(".git")).ok()?;
    let named = root.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let found = of_worktree(root, &named).or_else(|| of_submodule(root, &named))?;
    (!found.starts_with(root)).then_some(found)
}

/// `…/.git/worktrees/NAME`, which names the worktree's `.git` in turn.
fn of_worktree(root: &Path, named: &Path) -> Option<PathBuf> {
    let back = fs::read_to_string(named.join("gitdir")).ok()?;
    let is_ours = named.join(back.trim()).canonicalize().ok()? == root.join(".git");
    let common = named.parent().filter(|parent| parent.ends_with("worktrees"))?.parent()?;
    (is_ours && is_git_directory(common)).then(|| common.to_owned())
}

/// `…/.git/modules/NAME`, whose settings name the work tree in turn.
fn of_submodule(root: &Path, named: &Path) -> Option<PathBuf> {
    let config = fs::read_to_string(named.join("config")).ok()?;
    let tree = config
        .lines()
        .find_map(|line| line.trim().strip_prefix("worktree")?.trim_start().strip_prefix('='))?;
    let is_ours = named.join(tree.trim()).canonicalize().ok()? == root;
    (is_ours && is_git_directory(named)).then(|| named.to_owned())
}

fn is_git_directory(path: &Path) -> bool {
    path.join("HEAD").is_file() && path.join("objects").is_dir() && path.join("refs").is_dir()
}
