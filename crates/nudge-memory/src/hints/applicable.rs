//! The hints that apply where a session runs, which the agent need not ask for, and those that a
//! search may find.

use std::collections::HashMap;
use std::path::Path;

use nudge_core::{Context, EnvView, Fault, FaultKind, Hint, Timestamp};
use nudge_home::surroundings;
use nudge_store::{HintFilter, HintRow, ProjectId, Reader};

use super::authority::{self, only_open};
use super::{choice, stored};
use crate::anchors;
use crate::operation::OpContext;
use crate::projects::{CallerPlace, HiddenProjects};
use crate::statements::stated_by;

/// At most this many hints that apply in a directory of a project: first the user's, then the rest;
/// of both, first those that name the place, then the others, each group best first. Each comes
/// with the state of the files it is about, in the checkout at that root. What agents stated
/// outside the project comes last, and only if it names this checkout: a pattern that any place
/// could meet is only given on request. Secrets are never included, and hints of private projects
/// only inside them. Conditions on the environment are treated as not met, because the agent's
/// variables are not known.
pub(crate) fn applicable(
    reader: &Reader<'_>,
    project: ProjectId,
    (cwd, root): (&str, &Path),
    most: usize,
    now: Timestamp,
) -> Result<Vec<(Hint, Option<String>)>, Fault> {
    let rows = reader.hints(&HintFilter::default(), now)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut stated_in = StatedIn { reader, known: HashMap::new() };
    let hidden = HiddenProjects::for_project(reader, project)?;
    let (mut hints, mut anchored) = (Vec::new(), HashMap::new());
    for row in rows {
        if stated_in.is_closed(&row, &hidden)? {
            continue;
        }
        if row.entry.attributes.contains_key(anchors::ATTRIBUTE) {
            anchored.insert(row.entry.id, row.entry.attributes.clone());
        }
        hints.extend(stored::hint_of(row).ok().filter(|hint| !hint.is_secret()));
    }
    let here = surroundings::here(Path::new(cwd));
    let keys = reader.project_uncounted(project)?.map(|row| row.keys).unwrap_or_default();
    let caller_facts = choice::CallerFacts::at(Context { env: EnvView::Absent, ..here }, || keys);
    let mut found = Vec::new();
    for ranked in choice::split_by_eligibility(hints, &caller_facts, now)?.eligible {
        if ranked.is_from_elsewhere && !names(&ranked.hint, root) {
            continue;
        }
        let place = place(&ranked.hint, &mut stated_in, project)?;
        found.extend(place.map(|place| ((ranked.is_from_elsewhere, place), ranked.hint)));
    }
    // An agent's hints never take the place of the user's, neither by their place nor by number.
    found.sort_by_key(|(place, hint)| (!hint.writer.is_by_user(), *place));
    let mut named = std::collections::HashSet::new();
    found.retain(|(_, hint)| named.insert((hint.component.clone(), hint.key.clone())));
    found.truncate(most);
    let drift = |hint: &Hint| anchored.get(&hint.id).and_then(|about| anchors::drift_of(about, root));
    Ok(found.into_iter().map(|(_, hint)| (hint.clone(), drift(&hint))).collect())
}

/// Whether a hint is for a directory in this checkout and not for any that is like it.
fn names(hint: &Hint, root: &Path) -> bool {
    hint.meta.conditions.cwd_glob.iter().any(|glob| authority::fixed_part(glob).starts_with(root))
}

/// How near a hint is: it names this directory, or it was stated in this project, for this
/// repository or without a place. `None` for the rest: anybody can claim a repository's address,
/// and hints that were stated elsewhere are only given on request.
fn place(hint: &Hint, stated_in: &mut StatedIn<'_>, project: ProjectId) -> Result<Option<u8>, Fault> {
    let conditions = &hint.meta.conditions;
    if !conditions.cwd_glob.is_empty() {
        return Ok(Some(0));
    }
    let is_here = match hint.writer.project.as_deref() {
        Some(key) => stated_in.project(key)? == Some(project),
        None => false,
    };
    Ok(is_here.then_some(u8::from(conditions.repo.is_empty())))
}

/// The projects that hints were stated in, each looked up once.
struct StatedIn<'r> {
    reader: &'r Reader<'r>,
    known: HashMap<String, Option<ProjectId>>,
}

impl StatedIn<'_> {
    fn project(&mut self, key: &str) -> Result<Option<ProjectId>, Fault> {
        if let Some(known) = self.known.get(key) {
            return Ok(*known);
        }
        let found = self.reader.project_by_key(key)?;
        self.known.insert(key.to_owned(), found);
        Ok(found)
    }

    fn is_closed(&mut self, row: &HintRow, hidden: &HiddenProjects) -> Result<bool, Fault> {
        if hidden.is_empty() {
            return Ok(false);
        }
        for key in
            [&row.entry.origin, &row.entry.writer].into_iter().filter_map(|from| from.project.as_deref())
        {
            if self.project(key)?.is_some_and(|project| hidden.hide(project)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

// The hints that a search may find.

/// The hints that `query` would show at the caller's place, each with who stated it. Leaves out
/// secrets, hints with conditions on variables that are not known here, and hints of another
/// project that apply only by a repository's address, which anybody can claim.
pub(crate) fn searchable(ctx: &OpContext<'_>) -> Result<Vec<(Hint, String)>, Fault> {
    let rows = only_open(ctx, ctx.store().hints(&HintFilter::default(), ctx.now())?)?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let caller_facts = choice::context_for(ctx, None)?;
    let here = CallerPlace::of(ctx.store(), ctx.caller)?.project;
    let mut found = Vec::new();
    for hint in rows.into_iter().filter_map(|row| stored::hint_of(row).ok()) {
        if hint.is_secret() || is_by_address(ctx, &hint, here)? {
            continue;
        }
        match choice::split_by_eligibility(vec![hint], &caller_facts, ctx.now()) {
            Ok(sorted) => found.extend(sorted.eligible.into_iter().map(|ranked| ranked.hint)),
            Err(fault) if fault.kind == FaultKind::NeedEnv => {}
            Err(fault) => return Err(fault),
        }
    }
    let named = |hint: Hint| Ok((stated_by(ctx.store(), &hint.writer)?, hint));
    found.into_iter().map(named).map(|named| named.map(|(by, hint)| (hint, by))).collect()
}

/// Whether a hint applies only by a repository's address and was not stated in the caller's
/// project.
fn is_by_address(ctx: &OpContext<'_>, hint: &Hint, here: Option<ProjectId>) -> Result<bool, Fault> {
    let conditions = &hint.meta.conditions;
    if conditions.repo.is_empty() || !conditions.cwd_glob.is_empty() {
        return Ok(false);
    }
    let stated_in = match hint.writer.project.as_deref() {
        Some(key) => ctx.store().project_by_key(key)?,
        None => None,
    };
    Ok(stated_in.is_none() || stated_in != here)
}
