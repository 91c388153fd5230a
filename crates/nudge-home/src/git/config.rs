//! Where the files of a repository are, and the small part of git's configuration that names the
//! remote.

use std::path::{Path, PathBuf};

use super::{MAX_CONFIG_BYTES, MAX_LINE_BYTES, read_small};

/// The address of `origin`, and the address rewrites.
#[derive(Debug, Default)]
pub(super) struct GitConfig {
    origin: Option<String>,
    /// The prefix as written, and its replacement.
    rewrites: Vec<(String, String)>,
}

impl GitConfig {
    /// Reads the repository's own configuration.
    pub(super) fn read(&mut self, text: &str) {
        for setting in settings(text) {
            match (setting.section.as_str(), setting.key.as_str()) {
                ("remote", "url") if setting.subsection == "origin" && !setting.value.is_empty() => {
                    // With several addresses, git fetches from the first.
                    self.origin.get_or_insert(setting.value);
                }
                ("url", "insteadof") => self.rewrites.push((setting.value, setting.subsection)),
                _ => {}
            }
        }
    }

    /// Reads the user's configuration. It may rewrite addresses but names no remote of this
    /// repository.
    pub(super) fn read_rewrites(&mut self, text: &str) {
        let found = settings(text).into_iter().filter(|one| one.section == "url" && one.key == "insteadof");
        self.rewrites.extend(found.map(|one| (one.value, one.subsection)));
    }

    /// The address of `origin` as written.
    pub(super) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Applies the longest rewrite that matches, as `git remote get-url` does.
    pub(super) fn rewritten(&self, url: &str) -> String {
        let fitting =
            self.rewrites.iter().filter(|(prefix, _)| !prefix.is_empty() && url.starts_with(prefix.as_str()));
        match fitting.max_by_key(|(prefix, _)| prefix.len()) {
            Some((prefix, base)) => format!("{base}{}", &url[prefix.len()..]),
            None => url.to_owned(),
        }
    }
}

/// The working tree that a repository's configuration names.
fn work_tree(text: &str) -> Option<String> {
    core(text, "worktree")
}

/// The user's own list of ignored files, as written.
pub(super) fn excludes_file(text: &str) -> Option<String> {
    core(text, "excludesfile")
}

/// The last value of a setting of git's core.
fn core(text: &str, key: &str) -> Option<String> {
    let is_it = |one: &Setting| one.section == "core" && one.subsection.is_empty() && one.key == key;
    settings(text).into_iter().rfind(is_it).map(|one| one.value).filter(|value| !value.is_empty())
}

struct Setting {
    /// In lower case, as git compares it.
    section: String,
    /// As written.
    subsection: String,
    /// In lower case.
    key: String,
    value: String,
}

fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start_matches('\u{feff}').trim_start();
        if line.starts_with('[') {
            let Some((names, rest)) = header(line) else { continue };
            (section, subsection) = names;
            line = rest.trim_start();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        found.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.trim().to_ascii_lowercase(),
            value: value_of(value, &mut lines),
        });
    }
    found
}

/// `[remote "origin"]` or the old `[remote.origin]`, and the rest of the line.
fn header(line: &str) -> Option<((String, String), &str)> {
    let inner = line.strip_prefix('[')?;
    let end = inner.find(['"', ']'])?;
    let name = inner[..end].trim();
    if inner[end..].starts_with(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((name, ""));
        return Some(((section.to_ascii_lowercase(), subsection.to_ascii_lowercase()), &inner[end + 1..]));
    }
    let mut subsection = String::new();
    let mut chars = inner[end + 1..].char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                let rest = inner[end + 1 + at + 1..].trim_start().strip_prefix(']')?;
                return Some(((name.to_ascii_lowercase(), subsection), rest));
            }
            '\\' => subsection.push(chars.next()?.1),
            other => subsection.push(other),
        }
    }
    None
}

/// A value without quotes, escapes and comment. A backslash at the end of a line continues the
/// value on the next line.
fn value_of<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut value = String::new();
    // Trailing space counts only inside quotes: trimming must not cut the value shorter than this.
    let mut keep = 0;
    let mut quoted = false;
    let mut line = first.trim_start();
    loop {
        let mut chars = line.chars();
        let mut continued = false;
        while let Some(char) = chars.next() {
            match char {
                '"' => quoted = !quoted,
                '#' | ';' if !quoted => break,
                '\\' => match chars.next() {
                    None => continued = true,
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => drop(value.pop()),
                    Some(other) => value.push(other),
                },
                other => value.push(other),
            }
            if quoted {
                keep = value.len();
            }
        }
        match continued.then(|| lines.next()).flatten() {
            Some(next) => line = next,
            None => break,
        }
    }
    let end = value.trim_end().len().max(keep.min(value.len()));
    value.truncate(end);
    value
}

// Where the files of a repository are: plain, worktree, submodule or bare.
//
// A directory may come from anybody: an archive can carry a `.git` file, a `commondir` or a link
// that points to one of the user's repositories. So a pointer is followed only if the other end
// points back: the repository's own list of worktrees names this directory, or the configuration
// of a submodule does. Files inside the directory itself came with it and need no such proof. If
// nothing points back, the directory counts as a place of its own, and nothing is read through the
// pointer.

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
    let text = read_small(dot_git, MAX_LINE_BYTES)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let Ok(git_dir) = dir.join(target).canonicalize() else { return Some(Layout::alone(dir)) };
    let found =
        linked(dir, dot_git, &git_dir).or_else(|| inside(dir, &git_dir)).or_else(|| submodule(dir, &git_dir));
    Some(found.unwrap_or_else(|| Layout::alone(dir)))
}

/// A linked worktree: the repository has `worktrees/<id>/gitdir`, which names this very `.git`
/// file.
fn linked(dir: &Path, dot_git: &Path, git_dir: &Path) -> Option<Layout> {
    let common = read_small(&git_dir.join("commondir"), MAX_LINE_BYTES)?;
    let common_dir = git_dir.join(common.trim()).canonicalize().ok()?;
    let is_listed = git_dir.parent().is_some_and(|list| list == common_dir.join("worktrees"));
    let named = read_small(&git_dir.join("gitdir"), MAX_LINE_BYTES)?;
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
    let config = read_small(&git_dir.join("config"), MAX_CONFIG_BYTES)?;
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
