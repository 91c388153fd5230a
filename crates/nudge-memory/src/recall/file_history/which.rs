//! Which file a caller means: one of its project, in all the worktrees it was touched in.

use std::path::Path;

use nudge_core::Fault;
use nudge_store::Reader;

use super::super::place::{Asked, Place, ProjectParam};
use crate::caller::Ambient;
use crate::capture::project::normal;
use crate::operation::OpContext;
use nudge_home::git;

/// How many files that end alike are looked at.
const ENDINGS: u32 = 50;

/// How many worktrees of a project are known apart.
const WORKTREES: u32 = 200;

/// The file that is meant.
pub(super) struct Meant {
    /// Its path; the caller's words where it has several.
    pub(super) name: String,
    /// The numbers it has in the store, one for each of its paths; none when nobody touched it.
    pub(super) files: Vec<i64>,
}

impl Meant {
    /// The file as it is written, or seen from where the caller stands, or from the top of its project; else whatever of
    /// the project ends so.
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
        // Outside a project a name as common as `main.rs` means nothing.
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

/// A path as it is written, and as it is seen from directories, each once.
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

/// The directories that a project is worked on in.
struct Trees {
    place: Place,
    /// Its root, and the tops of its worktrees, each with a slash at its end.
    tops: Vec<String>,
    /// The roots of projects beside it.
    strange: Vec<String>,
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
        // What holds the project, such as the person's home, holds its worktrees as well.
        let root = slashed(&project.root);
        strange.iter_mut().for_each(|other| *other = slashed(other));
        strange.retain(|other| !root.starts_with(other.as_str()));
        Ok(Self { tops: tops.iter().map(|top| slashed(top)).collect(), strange, place })
    }

    /// Where in its tree a file lies; of trees inside one another the inner one counts.
    fn inside<'p>(&self, path: &'p str) -> Option<&'p str> {
        let tops = self.tops.iter().filter(|top| path.starts_with(top.as_str()));
        tops.map(|top| top.len()).max().map(|length| &path[length..]).filter(|inside| !inside.is_empty())
    }

    /// The files that have the place of this one in some tree, itself among them; none where no tree has it.
    fn twins(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let Some(inside) = self.inside(path) else { return Ok(Vec::new()) };
        let mut found = self.ending(reader, path)?;
        if !found.iter().any(|(other, _)| self.inside(other) == Some(inside)) {
            return Ok(Vec::new());
        }
        // Where the top is not known, as of a worktree that a session went to later, the end has to do.
        found.retain(|(other, _)| self.inside(other).is_none_or(|there| there == inside));
        Ok(found)
    }

    /// The files of the project that end like a path: all of it, or what of it lies in a tree.
    fn ending(&self, reader: &Reader<'_>, path: &str) -> Result<Vec<(String, i64)>, Fault> {
        let end = if path.starts_with('/') { self.inside(path).unwrap_or_default() } else { path };
        let end = end.trim_start_matches("./");
        if end.is_empty() {
            return Ok(Vec::new());
        }
        let root = self.place.project.root.trim_end_matches('/');
        let mut found = reader.files_ending(end, root, &self.place.scopes, ENDINGS)?;
        found.retain(|(path, _)| self.inside(path).is_some() || !self.is_strange(path));
        Ok(found)
    }

    fn is_strange(&self, path: &str) -> bool {
        self.strange.iter().any(|other| path.starts_with(other.as_str()))
    }
}

fn slashed(dir: &str) -> String {
    format!("{}/", dir.trim_end_matches('/'))
}
