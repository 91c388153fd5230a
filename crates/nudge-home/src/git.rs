//! Repository and branch of a directory, read from git's own files without running git.
//!
//! Only small text files are read, nothing is run and nothing is written, so it is safe in a
//! directory of a stranger. `GIT_DIR` and its relatives are not asked: the directory decides. What the files
//! say of a remote is a claim: anybody can write any address into a `.git/config` of their own.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_core::repo;

mod config;
mod layout;

use config::GitConfig;

/// Longer than any real one: a configuration is a few kilobytes, the others a line.
const CONFIG_MAX: u64 = 1024 * 1024;
const LINE_MAX: u64 = 64 * 1024;

/// What git's files say of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFacts {
    /// The top of the working tree, or the repository itself when it is bare.
    pub root: PathBuf,
    /// The directory that all worktrees of the repository share: what tells projects apart.
    pub common_dir: PathBuf,
    /// The address of the remote `origin` in canonical form, without credentials; else `file://` and the root.
    pub repo: String,
    /// The branch checked out; `None` when HEAD is detached.
    pub branch: Option<String>,
}

/// Where the files of a repository lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The top of the working tree that was asked about, or the repository itself when it is bare.
    pub root: PathBuf,
    /// The directory that all worktrees of the repository share.
    pub common_dir: PathBuf,
    /// Whether this is a worktree beside the main one.
    pub linked: bool,
}

/// Like [`inspect`], but without reading the configuration or HEAD: what a hook can afford each time.
pub fn place(dir: &Path) -> Option<Place> {
    let found = layout::find(&fs::canonicalize(dir).ok()?)?;
    let linked = found.git_dir.is_some_and(|git_dir| git_dir != found.common_dir);
    Some(Place { root: found.root, common_dir: found.common_dir, linked })
}

/// The canonical address of the remote `origin`; `None` where the repository has none.
pub fn remote(dir: &Path) -> Option<String> {
    let facts = inspect(dir)?;
    let own = format!("file://{}", facts.root.display());
    Some(facts.repo).filter(|repo| *repo != own)
}

/// The branch that is checked out in a directory; `None` when HEAD is detached.
pub fn branch(dir: &Path) -> Option<String> {
    let found = layout::find(&fs::canonicalize(dir).ok()?)?;
    found.git_dir.as_deref().and_then(branch_at)
}

/// The commit that is checked out in a directory, in hex; `None` where there is none yet.
pub fn head_commit(dir: &Path) -> Option<String> {
    let found = layout::find(&fs::canonicalize(dir).ok()?)?;
    let head = read_small(&found.git_dir.as_ref()?.join("HEAD"), LINE_MAX)?;
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else { return commit_id(&head) };
    let is_plain = reference.starts_with("refs/") && !reference.split('/').any(|part| part == "..");
    let loose = is_plain.then(|| read_small(&found.common_dir.join(reference), LINE_MAX)).flatten();
    loose.as_deref().and_then(commit_id).or_else(|| {
        let packed = read_small(&found.common_dir.join("packed-refs"), CONFIG_MAX)?;
        let line =
            packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference))?;
        commit_id(line)
    })
}

/// The id that a line begins with.
fn commit_id(line: &str) -> Option<String> {
    let id = line.split_whitespace().next()?;
    let is_id = matches!(id.len(), 40 | 64) && id.chars().all(|c| c.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

/// Looks for a repository from `dir` upwards. `None` when there is none, or none that can be read.
pub fn inspect(dir: &Path) -> Option<GitFacts> {
    let person = std::env::home_dir().into_iter();
    let global: Vec<PathBuf> =
        person.flat_map(|home| [home.join(".config/git/config"), home.join(".gitconfig")]).collect();
    inspect_with(dir, &global)
}

/// Like [`inspect`], with the person's own git configuration in these files.
fn inspect_with(dir: &Path, global: &[PathBuf]) -> Option<GitFacts> {
    let dir = fs::canonicalize(dir).ok()?;
    let found = layout::find(&dir)?;
    let own = found.own(&found.common_dir, "config");
    let own = own.and_then(|file| read_small(&file, CONFIG_MAX)).unwrap_or_default();
    let mut settings = GitConfig::default();
    let mut repo = None;
    settings.read(&own);
    if let Some(url) = settings.origin().map(str::to_owned) {
        for file in global {
            settings.read_rewrites(&read_small(file, CONFIG_MAX).unwrap_or_default());
        }
        repo = Some(address(&settings.rewritten(&url), &found.root));
    }
    Some(GitFacts {
        repo: repo.unwrap_or_else(|| format!("file://{}", found.root.display())),
        branch: found.git_dir.as_deref().and_then(branch_at),
        root: found.root,
        common_dir: found.common_dir,
    })
}

/// The canonical address of a remote; one given as a relative path is taken from the root.
fn address(url: &str, root: &Path) -> String {
    if url.starts_with("./") || url.starts_with("../") {
        let path = root.join(url);
        let path = fs::canonicalize(&path).unwrap_or(path);
        return repo::canonical(&path.display().to_string());
    }
    repo::canonical(url)
}

fn branch_at(git_dir: &Path) -> Option<String> {
    let head = &git_dir.join("HEAD");
    // Very old repositories have a link in place of `ref: …`.
    if let Ok(target) = fs::read_link(head) {
        return branch_name(target.to_str()?);
    }
    let text = read_small(head, LINE_MAX)?;
    branch_name(text.strip_prefix("ref:")?.trim())
}

fn branch_name(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/")?;
    // Repositories with a reftable keep this stub where HEAD used to be.
    (!name.is_empty() && name != ".invalid").then(|| name.to_owned())
}

/// A small regular file as text. Anything else is not waited for.
fn read_small(path: &Path, most: u64) -> Option<String> {
    let facts = fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > most {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
