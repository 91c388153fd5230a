//! The list of a project's files.
//!
//! The scan walks directory handles, so it cannot be led out of the root, not even by a directory
//! that is swapped for a link meanwhile. It holds one handle at a time.

use std::path::PathBuf;
use std::rc::Rc;

use super::beneath::Dir;
use super::constraint::{Constraint, ConstraintSet};
use super::error::Fail;
use super::facts::{Facts, Kind, ScannedFile};
use super::ignored::Layer;
use super::path::{OutsideRoot, RelativePath};
use super::{path, temporary};
use crate::git;

/// How many files a scan lists at most, unless it is given another limit.
pub const MAX_FILES: usize = 100_000;

/// The largest file whose content is wanted, unless the scan is given another limit.
pub const MAX_CONTENT: u64 = 1024 * 1024;

/// How many directories that could not be read are named.
const UNREAD_NAMED: usize = 100;

/// How many names are looked at between two questions whether to stop.
const STOP_EVERY: usize = 256;

/// What a scan lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScanRules {
    /// The person's patterns. The last match decides; see [`super::constraint_of`].
    pub constraints: Vec<Constraint>,
    /// The user's own list of ignored files for every repository.
    pub global_ignore: Option<PathBuf>,
    /// How many files are listed at most.
    pub max_files: usize,
    /// Larger files are listed as too large.
    pub max_content: u64,
}

impl ScanRules {
    /// The usual limits, and the list that git's settings of this user name.
    pub fn new(constraints: Vec<Constraint>) -> Self {
        Self { global_ignore: git::ignore_list(), ..Self::without_user(constraints) }
    }

    /// The usual limits, without any list of the user.
    pub const fn without_user(constraints: Vec<Constraint>) -> Self {
        Self { constraints, global_ignore: None, max_files: MAX_FILES, max_content: MAX_CONTENT }
    }
}

/// What a scan found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// The files, sorted by path.
    pub files: Vec<ScannedFile>,
    /// When the scan began.
    pub started_ms: i64,
    /// There are more files than the limit.
    pub is_truncated: bool,
    /// The caller stopped it.
    pub is_stopped: bool,
    /// Directories that could not be read, at most a hundred; the root is `""`. Files below them
    /// are not listed, and that does not mean that they are gone.
    pub unread: Vec<String>,
    /// Names that no entry can have: not UTF-8, with control characters, or too long.
    pub unusable: usize,
}

impl Scan {
    /// Whether a file that is not listed is really not there.
    pub fn is_complete(&self) -> bool {
        !self.is_truncated && !self.is_stopped && self.unread.is_empty()
    }
}

/// Walks the root.
pub(super) fn scan(
    root: &Dir,
    around: Rc<Layer>,
    rules: &ScanRules,
    resolve: &dyn Fn(&str) -> Result<RelativePath, OutsideRoot>,
    stop: &dyn Fn() -> bool,
) -> Scan {
    let mut walk = Walk {
        root,
        rules,
        constraints: ConstraintSet::new(&rules.constraints),
        resolve,
        stop,
        waiting: vec![Waiting { path: String::new(), above: around, is_ignored: false }],
        found: Scan { started_ms: temporary::now_ms(), ..Scan::default() },
    };
    while let Some(next) = walk.waiting.pop() {
        if !walk.may_go_on() {
            break;
        }
        walk.enter(&next);
    }
    walk.found.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    walk.found
}

/// A directory that is still to be read.
struct Waiting {
    path: String,
    above: Rc<Layer>,
    /// Git ignores it, but a pattern names something in it.
    is_ignored: bool,
}

struct Walk<'w> {
    root: &'w Dir,
    rules: &'w ScanRules,
    constraints: ConstraintSet<'w>,
    resolve: &'w dyn Fn(&str) -> Result<RelativePath, OutsideRoot>,
    stop: &'w dyn Fn() -> bool,
    waiting: Vec<Waiting>,
    found: Scan,
}

impl Walk<'_> {
    fn may_go_on(&mut self) -> bool {
        self.found.is_stopped = self.found.is_stopped || (self.stop)();
        !self.found.is_stopped && !self.found.is_truncated
    }

    fn enter(&mut self, here: &Waiting) {
        let parts: Vec<&str> = here.path.split('/').filter(|part| !part.is_empty()).collect();
        let listed = self.root.below(&parts).and_then(|dir| dir.list().map(|names| (dir, names)));
        let (dir, names) = match listed {
            Ok(listed) => listed,
            // Removed or swapped since its parent was read.
            Err(Fail::Missing | Fail::Link | Fail::NotADirectory) if !here.path.is_empty() => return,
            Err(_) => return self.note_unread(&here.path),
        };
        let is_repository = names.iter().any(|(name, _)| name == ".git");
        let layer = Layer::enter(&here.above, &dir, &here.path, is_repository);
        let mut deeper = Vec::new();
        for (count, (name, kind)) in names.into_iter().enumerate() {
            if count % STOP_EVERY == STOP_EVERY - 1 && !self.may_go_on() {
                return;
            }
            let Some(name) = name.to_str() else {
                self.found.unusable += 1;
                continue;
            };
            deeper.extend(self.visit(here, &layer, &dir, name, kind));
            if self.found.is_truncated {
                return;
            }
        }
        // The last one in is the next one out.
        self.waiting.extend(deeper.into_iter().rev());
    }

    /// Lists a file, or returns a directory to read.
    fn visit(
        &mut self,
        here: &Waiting,
        layer: &Rc<Layer>,
        dir: &Dir,
        name: &str,
        kind: Kind,
    ) -> Option<Waiting> {
        let known = matches!(kind, Kind::File | Kind::Directory | Kind::Unknown);
        if !known || path::is_git(name) || temporary::is_ours(name) {
            return None;
        }
        let path = if here.path.is_empty() { name.to_owned() } else { format!("{}/{name}", here.path) };
        match (self.resolve)(&path) {
            Ok(_) => {}
            Err(OutsideRoot::Home(_)) => return None,
            Err(_) => {
                self.found.unusable += 1;
                return None;
            }
        }
        let facts = if kind == Kind::Directory { None } else { Some(dir.facts(name).ok()?) };
        match facts.map_or(kind, |facts| facts.kind) {
            Kind::Directory => {
                let is_ignored = here.is_ignored || layer.ignores(&path, true);
                let enters = self.constraints.admits_dir(&path, is_ignored);
                enters.then(|| Waiting { path, above: Rc::clone(layer), is_ignored })
            }
            Kind::File => {
                let is_ignored = here.is_ignored || layer.ignores(&path, false);
                if self.constraints.admits(&path, is_ignored) {
                    self.add(path, &facts?);
                }
                None
            }
            _ => None,
        }
    }

    fn add(&mut self, path: String, facts: &Facts) {
        if self.found.files.len() >= self.rules.max_files {
            self.found.is_truncated = true;
            return;
        }
        self.found.files.push(ScannedFile {
            path,
            size: facts.size,
            modified_ms: facts.modified_ms(),
            changed_ms: facts.changed_ms(),
            file_id: facts.file_id(),
            too_large: facts.size > self.rules.max_content,
        });
    }

    fn note_unread(&mut self, path: &str) {
        if self.found.unread.len() < UNREAD_NAMED {
            self.found.unread.push(path.to_owned());
        }
    }
}
