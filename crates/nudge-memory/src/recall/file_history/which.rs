//! Which file a caller means: a file of its project, in every worktree where it was touched.

use std::path::Path;

use nudge_core::Fault;
use nudge_store::Reader;

use super::super::place::{Asked, Place, ProjectParam};
use crate::caller::Ambient;
use crate::capture::project::normal;
use crate::operation::OpContext;
use nudge_home::git;

/// How many files with the same ending are read.
const ENDINGS: u32 = 50;

/// How many worktrees of a project are distinguished.
const WORKTREES: u32 = 200;

/// The file that the caller means.
pub(super) struct ResolvedFile {
    /// Its path, or the caller's words if it has several.
    pub(super) name: String,
    /// Its numbers in the store, one for each of its paths; empty if nobody touched it.
    pub(super) files: Vec<i64>,
}

impl ResolvedFile {
    /// Resolves the path as given, then relative to the caller's directory, then to the project's
    /// root; failing those, by the project's files with that ending.
    pub(super) fn by(ctx: &OpContext<'_>, given: &str) -> Result<Self, Fault> {
        let given = given.trim();
        let here = match &ctx.caller.ambient {
            Ambient::Here(context) => context.cwd.as_deref(),
            Ambient::Nothing => None,
        };
        let trees = match Asked::of(ctx, &ProjectParam::Here)? {
            Asked::In(place) if !place.project.root.is_empty() => Some(Trees::of(ctx.store(), place, here)?),
            _ => None,
        };
        let root = trees.as_ref().map(|trees| trees.place.project.root.as_str());
        for path in seen_from([here, root], given) {
            let number = ctx.store().file_number(&path)?;
            let twins =
                trees.as_ref().map_or_else(|| Ok(Vec::new()), |trees| trees.twins(ctx.store(), &path))?;
            if number.is_some() || !twins.is_empty() {
                return Ok(Self::of(number.map_or_else(|| given.to_owned(), |_| path), number, twins));
            }
        }
        // Outside a project, a common name such as `main.rs` identifies nothing.
        let ending = trees.map_or_else(|| Ok(Vec::new()), |trees| trees.ending(ctx.store(), given))?;
        Ok(Self::of(given.to_owned(), None, ending))
    }

    fn of(name: String, number: Option<i64>, others: Vec<(String, i64)>) -> Self {
        match (number, others.as_slice()) {
            (None, [(path, only)]) => Self { name: path.clone(), files: vec![*only] },
            _ => {
                let others = others.iter().map(|(_, other)| *other).filter(|other| Some(*other) != number);
                Self { name, files: number.into_iter().chain(others).collect() }
            }
        }
    }
}

/// A path as given, and joined to each directory; each once.
fn seen_from(dirs: [Option<&str>; 2], given: &str) -> Vec<String> {
    let mut paths = vec![given.to_owned()];
    for dir in dirs.into_iter().flatten() {
        let path = normal(&Path::new(dir).join(given)).to_string_lossy().into_owned();
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

/// The directories of a project's checkouts.
struct Trees {
    place: Place,
    /// Its root and the roots of its worktrees, each with a trailing slash.
    tops: Vec<String>,
    /// The roots of other projects.
    other_roots: Vec<String>,
}

impl Trees {
    fn of(reader: &Reader<'_>, place: Place, here: Option<&str>) -> Result<Self, Fault> {
        let project = &place.project;
        let mut tops = reader.worktrees_of(project.id, WORKTREES)?;
        let own = here.and_then(|dir| git::place(Path::new(dir)));
        let own = own.filter(|own| project.keys.iter().any(|key| own.common_dir == Path::new(key)));
        tops.extend(own.map(|own| own.root.to_string_lossy().into_owned()));
        tops.push(project.root.clone());
        let mut strange = reader.other_roots(project.id)?;
        // A directory that contains the project, such as the user's home, also contains its
        // worktrees.
        let root = slashed(&project.root);
        strange.iter_mut().for_each(|other| *other = slashed(other));
        strange.retain(|other| !root.starts_with(other.as_str()));
        Ok(Self { tops: tops.iter().map(|top| slashed(top)).collect(), other_roots: strange, place })
    }

    /// A file's path within its tree; with nested trees, the inner one counts.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let tops = self.tops.iter().filter(|top| path.starts_with(top.as_str()));
        tops.map(|top| top.len()).max().map(|length| &path[length..]).filter(|inside| !inside.is_empty())
    }

    /// The files at the same path in any tree, including the file itself; empty if it is in no
    /// tree.
    fn twins(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let Some(inside) = self.inside(path) else { return Ok(Vec::new()) };
        let mut found = self.ending(reader, path)?;
        if !found.iter().any(|(other, _)| self.inside(other) == Some(inside)) {
            return Ok(Vec::new());
        }
        // If the root is unknown, such as that of a worktree a session moved to later, the ending
        // decides.
        found.retain(|(other, _)| self.inside(other).is_none_or(|there| there == inside));
        Ok(found)
    }

    /// The project's files that end with a path: the whole path, or its part within a tree.
    fn ending(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let end = if path.starts_with('/') { self.inside(path).unwrap_or_default() } else { path };
        let end = end.trim_start_matches("./");
        if end.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.place.project.root.trim_end_matches('/');
        let mut found = reader.files_ending(end, root, &self.place.scopes, ENDINGS)?;
        found.retain(|(path, _)| self.inside(path).is_some() || !self.is_in_other_project(path));
        Ok(found)
    }

    fn is_in_other_project(&self, path: &str) -> bool {
        self.other_roots.iter().any(|other| path.starts_with(other.as_str()))
    }
}

fn slashed(dir: &str) -> String {
    format!("{}/", dir.trim_end_matches('/'))
}
