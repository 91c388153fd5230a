//! What a path or pattern refers to: entries of memory, and files.

use nudge_core::{EntryPath, Fault};
use nudge_grammar::Pattern;
use nudge_home::workspace::FileError;

use super::files;
use super::found_files::FoundFile;
use super::params;
use super::place::Place;
use super::select::{self, Query};
use crate::operation::OpContext;

/// How many entries one call may change.
pub(super) const CHANGED_MOST: usize = 1_000;

/// What a path or pattern refers to.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The paths, in order: entries of memory, then files.
    pub(super) targets: Vec<String>,
    /// How many there are in all.
    pub(super) matched: u64,
    /// How many bodies were read to find out.
    pub(super) bodies_read: u64,
}

impl Targets {
    /// Fails if a change would reach too many entries at once.
    pub(super) fn check_most(&self) -> Result<(), Fault> {
        if self.matched <= CHANGED_MOST as u64 {
            return Ok(());
        }
        let why =
            format!("the pattern matches {} entries; one call changes at most {CHANGED_MOST}", self.matched);
        Err(Fault::invalid("too_many", why).next("use a narrower pattern; `preview` lists the matches"))
    }
}

/// Finds what a path or pattern refers to, in memory and among the files.
pub(super) fn targets(
    ctx: &OpContext<'_>,
    place: &Place,
    path: &str,
    filter: Option<&str>,
    found: Option<&[FoundFile]>,
) -> Result<Targets, Fault> {
    let pattern = params::pattern("path", path)?;
    let filter = filter.map(|filter| params::pattern("filter", filter)).transpose()?;
    if pattern.is_single() && params::path("path", path)?.scheme() == "file" {
        return one_file(place, path, filter.as_ref());
    }
    let query = Query { path: &pattern, body: filter.as_ref(), keep: CHANGED_MOST, after: None };
    let selection = select::select(ctx, place, &query)?;
    let mut answer = Targets {
        targets: selection.hits.into_iter().map(|hit| hit.path).collect(),
        matched: selection.matched,
        bodies_read: selection.bodies_read,
    };
    for file in found.into_iter().flatten() {
        if let Some(filter) = &filter {
            answer.bodies_read += 1;
            if !file_has(place, &file.path, filter)? {
                continue;
            }
        }
        answer.matched += 1;
        if answer.targets.len() < CHANGED_MOST {
            answer.targets.push(file.path.clone());
        }
    }
    Ok(answer)
}

fn one_file(place: &Place, path: &str, filter: Option<&Pattern>) -> Result<Targets, Fault> {
    let is_there = match filter {
        Some(filter) => file_has(place, path, filter)?,
        None => files::read(place.workspace()?, path).is_ok(),
    };
    let targets = if is_there { vec![path.to_owned()] } else { Vec::new() };
    Ok(Targets { matched: targets.len() as u64, targets, bodies_read: u64::from(filter.is_some()) })
}

/// Whether the text of a file passes a filter.
pub(super) fn file_has(place: &Place, path: &str, filter: &Pattern) -> Result<bool, Fault> {
    let Ok(file) = files::read(place.workspace()?, path) else { return Ok(false) };
    select::holds(filter, &file.text)
}

/// The present body under a path: of a file or of an entry.
pub(super) fn current_body(
    ctx: &OpContext<'_>,
    place: &Place,
    path: &EntryPath,
) -> Result<Option<String>, Fault> {
    if path.scheme() != "file" {
        return Ok(select::one(ctx, place, path.as_str())?.map(|entry| entry.body));
    }
    match files::read(place.workspace()?, path.as_str()) {
        Ok(file) => Ok(Some(file.text)),
        Err(FileError::Missing { .. }) => Ok(None),
        Err(error) => Err(Fault::invalid(error.reason(), error.to_string())),
    }
}
