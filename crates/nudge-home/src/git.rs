//! The repository and branch of a directory, read from git's own files without running git.
//!
//! This only reads small text files. It runs and writes nothing, so it is safe in an untrusted
//! directory. It ignores `GIT_DIR` and related variables: only the directory counts. A remote
//! address is a claim, because anybody can write any address into their own `.git/config`.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_core::repo;

mod config;
mod working_tree;

use config::{GitConfig, Layout};
pub use working_tree::{FileState, WorkingTrees};

/// Longer than any real file: a configuration is a few kilobytes, the other files one line.
const MAX_CONFIG_BYTES: u64 = 1024 * 1024;
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Facts about a directory, from git's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitFacts {
    /// The top of the working tree, or the repository itself when it is bare.
    pub root: PathBuf,
    /// The directory that all worktrees of the repository share. It identifies the project.
    pub common_dir: PathBuf,
    /// The canonical address of the remote `origin`, without credentials; without an `origin`,
    /// `file://` and the root.
    pub repo: String,
    /// The checked-out branch; `None` when HEAD is detached.
    pub branch: Option<String>,
}

/// Where the files of a repository are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The top of the working tree that contains the directory, or the repository itself when it is
    /// bare.
    pub root: PathBuf,
    /// The directory that all worktrees of the repository share.
    pub common_dir: PathBuf,
    /// Whether this is a linked worktree, not the main one.
    pub linked: bool,
}

/// Like [`inspect`], but reads neither the configuration nor HEAD: cheap enough for every hook.
pub fn checkout(dir: &Path) -> Option<Checkout> {
    let found = config::find(&fs::canonicalize(dir).ok()?)?;
    let linked = found.git_dir.is_some_and(|git_dir| git_dir != found.common_dir);
    Some(Checkout { root: found.root, common_dir: found.common_dir, linked })
}

/// The canonical address of the remote `origin`; `None` if the repository has none.
pub fn remote(dir: &Path) -> Option<String> {
    let facts = inspect(dir)?;
    let own = format!("file://{}", facts.root.display());
    Some(facts.repo).filter(|repo| *repo != own)
}

/// The branch checked out in a directory; `None` when HEAD is detached.
pub fn branch(dir: &Path) -> Option<String> {
    let found = config::find(&fs::canonicalize(dir).ok()?)?;
    found.git_dir.as_deref().and_then(branch_at)
}

/// The commit checked out in a directory, in hex; `None` if there is no commit yet.
pub fn head_commit(dir: &Path) -> Option<String> {
    head_of(&config::find(&fs::canonicalize(dir).ok()?)?)
}

fn head_of(found: &Layout) -> Option<String> {
    let head = read_small(&found.git_dir.as_ref()?.join("HEAD"), MAX_LINE_BYTES)?;
    let Some(reference) = head.strip_prefix("ref:").map(str::trim) else { return commit_id(&head) };
    let is_plain = reference.starts_with("refs/") && !reference.split('/').any(|part| part == "..");
    let loose = is_plain.then(|| read_small(&found.common_dir.join(reference), MAX_LINE_BYTES)).flatten();
    loose.as_deref().and_then(commit_id).or_else(|| {
        let packed = read_small(&found.common_dir.join("packed-refs"), MAX_CONFIG_BYTES)?;
        let line =
            packed.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference))?;
        commit_id(line)
    })
}

/// The commit id at the start of a line.
fn commit_id(line: &str) -> Option<String> {
    let id = line.split_whitespace().next()?;
    let is_id = matches!(id.len(), 40 | 64) && id.chars().all(|c| c.is_ascii_hexdigit());
    is_id.then(|| id.to_owned())
}

/// Looks for a repository from `dir` upwards. `None` when there is none, or it cannot be read.
pub fn inspect(dir: &Path) -> Option<GitFacts> {
    let person = std::env::home_dir().into_iter();
    let global: Vec<PathBuf> =
        person.flat_map(|home| [home.join(".config/git/config"), home.join(".gitconfig")]).collect();
    inspect_with(dir, &global)
}

/// The user's own list of ignored files, as git's settings of the user or the system name it, else
/// where git looks for it. There may be no such file.
pub fn ignore_list() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    let variable = |name: &str| {
        let value = std::env::var_os(name)?;
        Some(PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty())
    };
    let own = variable("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")).join("git");
    let of_user = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => vec![home.join(".gitconfig"), own.join("config")],
    };
    let of_system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| PathBuf::from("/etc/gitconfig"));
    let mut files = of_user.into_iter().chain([of_system]);
    let named = files.find_map(|file| config::excludes_file(&read_small(&file, MAX_CONFIG_BYTES)?));
    Some(match named {
        None => own.join("ignore"),
        Some(path) => match path.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => PathBuf::from(path),
        },
    })
}

/// Like [`inspect`], with the user's own git configuration files given.
fn inspect_with(dir: &Path, global: &[PathBuf]) -> Option<GitFacts> {
    let dir = fs::canonicalize(dir).ok()?;
    let found = config::find(&dir)?;
    let own = found.own(&found.common_dir, "config");
    let own = own.and_then(|file| read_small(&file, MAX_CONFIG_BYTES)).unwrap_or_default();
    let mut settings = GitConfig::default();
    let mut repo = None;
    settings.read(&own);
    if let Some(url) = settings.origin().map(str::to_owned) {
        for file in global {
            settings.read_rewrites(&read_small(file, MAX_CONFIG_BYTES).unwrap_or_default());
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

/// The canonical address of a remote. A relative path is resolved against the root.
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
    // In very old repositories HEAD is a symbolic link instead of `ref: …`.
    if let Ok(target) = fs::read_link(head) {
        return branch_name(target.to_str()?);
    }
    let text = read_small(head, MAX_LINE_BYTES)?;
    branch_name(text.strip_prefix("ref:")?.trim())
}

fn branch_name(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/")?;
    // Repositories with a reftable have this stub in HEAD.
    (!name.is_empty() && name != ".invalid").then(|| name.to_owned())
}

/// Reads a small regular file as text. Never blocks on anything else, such as a pipe.
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
