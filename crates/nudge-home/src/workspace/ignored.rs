//! Which files git and similar tools ignore.
//!
//! The patterns are matched by the crate `ignore`, whose walk is not used: it opens every
//! `.gitignore` by its path and through links, so a link to a device or a pipe would stop the scan.
//! A linked `.gitignore` counts as empty, as in git.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::beneath::Dir;
use crate::git;
use crate::home::private_file;

/// A longer file is not written by people, and compiling it would take long.
const MAX_RULES_BYTES: u64 = 256 * 1024;

/// The rules of one directory, and those of the directories above.
pub(super) struct Layer {
    above: Option<Rc<Layer>>,
    dir: RulesDir,
    /// Rules for every tool that reads them. They go before git's.
    dot_ignore: Gitignore,
    gitignore: Gitignore,
    /// Rules of the repository or the user that lie in no `.gitignore`.
    exclude: Gitignore,
    /// A repository begins here, so git's rules from above do not hold.
    is_repository: bool,
}

/// Where the rules are, as seen from the root.
enum RulesDir {
    /// So many bytes of a path lead to the directory.
    Below(usize),
    /// The root has this path in the directory above it.
    Above(String),
}

impl Layer {
    /// What holds in the root: the user's rules, and those of the repository around the root.
    pub(super) fn around(root: &Path, global: Option<&Path>) -> Rc<Self> {
        let mut layer = Rc::new(Self::empty(None, RulesDir::Below(0)));
        if let Some(rules) = Rc::get_mut(&mut layer) {
            rules.exclude = global.and_then(of_user).map_or_else(Gitignore::empty, |text| compile(&text));
        }
        let Some(found) = git::checkout(root).filter(|found| found.common_dir != found.root) else {
            return layer;
        };
        let Ok(inside) = root.strip_prefix(&found.root) else { return layer };
        layer = Rc::new(Self {
            exclude: plain(&found.common_dir.join("info/exclude")),
            ..Self::empty(Some(layer), RulesDir::above(inside))
        });
        // From the top of the repository down to the parent of the root.
        let mut above: Vec<&Path> =
            root.ancestors().skip(1).take_while(|dir| dir.starts_with(&found.root)).collect();
        above.reverse();
        for dir in above {
            let inside = root.strip_prefix(dir).unwrap_or(Path::new(""));
            layer = Rc::new(Self {
                dot_ignore: plain(&dir.join(".ignore")),
                gitignore: plain(&dir.join(".gitignore")),
                ..Self::empty(Some(layer), RulesDir::above(inside))
            });
        }
        layer
    }

    /// The rules in a directory below the root, or in the root itself (`""`).
    pub(super) fn enter(above: &Rc<Self>, dir: &Dir, path: &str, is_repository: bool) -> Rc<Self> {
        let read = |name: &str| {
            let (file, _) = dir.open_file(name).ok()?;
            text_of(file)
        };
        let (dot_ignore, gitignore) = (read(".ignore"), read(".gitignore"));
        // The root's own repository is among the layers around it.
        let is_repository = is_repository && !path.is_empty();
        if dot_ignore.is_none() && gitignore.is_none() && !is_repository {
            return Rc::clone(above);
        }
        let start = if path.is_empty() { 0 } else { path.len() + 1 };
        let rules = |text: Option<String>| text.map_or_else(Gitignore::empty, |text| compile(&text));
        Rc::new(Self {
            dot_ignore: rules(dot_ignore),
            gitignore: rules(gitignore),
            is_repository,
            ..Self::empty(Some(Rc::clone(above)), RulesDir::Below(start))
        })
    }

    fn empty(above: Option<Rc<Self>>, dir: RulesDir) -> Self {
        let none = Gitignore::empty;
        Self { above, dir, dot_ignore: none(), gitignore: none(), exclude: none(), is_repository: false }
    }

    /// Whether a path in the directory of this layer is ignored. The directories above it are not.
    pub(super) fn ignores(&self, path: &str, is_dir: bool) -> bool {
        // `.ignore` of any directory goes before `.gitignore` of any, and both before the rest.
        // Within each, the deepest directory decides.
        let by = |rules: fn(&Self) -> &Gitignore, of_git: bool| {
            let mut below_repository = true;
            self.chain().find_map(|layer| {
                // The list of the user, on top, holds in every repository.
                let counts = !of_git || below_repository || layer.above.is_none();
                below_repository &= !layer.is_repository;
                counts.then(|| layer.verdict(rules(layer), path, is_dir)).flatten()
            })
        };
        let verdict = by(|layer| &layer.dot_ignore, false)
            .or_else(|| by(|layer| &layer.gitignore, true))
            .or_else(|| by(|layer| &layer.exclude, true));
        verdict.unwrap_or(false)
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |layer| layer.above.as_deref())
    }

    fn verdict(&self, rules: &Gitignore, path: &str, is_dir: bool) -> Option<bool> {
        if rules.is_empty() {
            return None;
        }
        let matched = match &self.dir {
            RulesDir::Below(start) => rules.matched(&path[*start..], is_dir),
            RulesDir::Above(inside) => rules.matched(format!("{inside}{path}"), is_dir),
        };
        match matched {
            Match::None => None,
            Match::Ignore(_) => Some(true),
            Match::Whitelist(_) => Some(false),
        }
    }
}

impl RulesDir {
    fn above(inside: &Path) -> Self {
        let mut text = inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        if !text.is_empty() {
            text.push('/');
        }
        Self::Above(text)
    }
}

/// The rules in a file outside the root. Links and everything that is no file count as empty.
fn plain(path: &Path) -> Gitignore {
    let is_file = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file());
    let file = is_file.then(|| private_file::read(path).ok()).flatten();
    file.and_then(text_of).map_or_else(Gitignore::empty, |text| compile(&text))
}

/// The user's own list. It may be a link: many keep such files elsewhere.
fn of_user(path: &Path) -> Option<String> {
    fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    text_of(fs::File::open(path).ok()?)
}

fn text_of(file: fs::File) -> Option<String> {
    if !file.metadata().is_ok_and(|facts| facts.is_file() && facts.len() <= MAX_RULES_BYTES) {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MAX_RULES_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Compiles the lines that are patterns; the others count for nothing.
fn compile(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
