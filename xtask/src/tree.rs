//! The repository's text files, read once and passed to every check.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Built or downloaded files and git's own, never source. In a second worktree `.git` is a file.
const NOT_SOURCE: &[&str] = &["target", ".git", "node_modules", "__pycache__", ".venv", "cache"];

/// One text file, by its path relative to the root, with `/` as the separator.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// The crate of this file: a directory under `crates/`, or `xtask`.
    pub(crate) fn crate_name(&self) -> Option<&str> {
        if self.path.starts_with("xtask/") {
            return Some("xtask");
        }
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether this is a crate's manifest (not the workspace's own).
    pub(crate) fn is_manifest(&self) -> bool {
        self.path.ends_with("/Cargo.toml") && self.crate_name().is_some()
    }
}

/// All text files under one root, sorted by path.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    files: Vec<TextFile>,
}

impl Tree {
    /// Reads the repository that this program was built from.
    pub(crate) fn load() -> anyhow::Result<Self> {
        let root = root();
        let mut files = Vec::new();
        read_into(&root, &root, &mut files)?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root, files })
    }

    /// A tree that exists only in a test.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |(path, text): &(&str, &str)| TextFile { path: (*path).into(), text: (*text).into() };
        Self { root: PathBuf::new(), files: files.iter().map(file).collect() }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter()
    }

    pub(crate) fn rust_files(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.is_rust())
    }

    pub(crate) fn manifests(&self) -> impl Iterator<Item = &TextFile> {
        self.files.iter().filter(|file| file.is_manifest())
    }

    pub(crate) fn get(&self, path: &str) -> Option<&TextFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// The repository's root: the directory above this crate's manifest.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn read_into(root: &Path, dir: &Path, files: &mut Vec<TextFile>) -> anyhow::Result<()> {
    for item in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let item = item?;
        let (path, kind) = (item.path(), item.file_type()?);
        if NOT_SOURCE.iter().any(|name| item.file_name() == *name) {
            continue;
        }
        if kind.is_dir() {
            read_into(root, &path, files)?;
        } else if kind.is_file() {
            let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            // A file that is not UTF-8 is a picture or an archive: no rule applies to it.
            if let Ok(text) = String::from_utf8(bytes) {
                let relative = path.strip_prefix(root).unwrap_or(&path);
                let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
                files.push(TextFile { path: parts.join("/"), text });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_holds_this_file_and_nothing_that_was_built() {
        let tree = Tree::load().expect("the repository can be read");
        assert!(tree.get("xtask/src/tree.rs").is_some());
        assert!(tree.files().all(|file| !file.path.starts_with("target/")));
    }

    #[test]
    fn a_file_knows_its_crate() {
        let tree =
            Tree::of(&[("crates/nudge-core/src/lib.rs", ""), ("xtask/src/main.rs", ""), ("README.md", "")]);
        let names: Vec<_> = tree.files().map(TextFile::crate_name).collect();
        assert_eq!(names, [Some("nudge-core"), Some("xtask"), None]);
    }
}
