//! The hints that a search may find.

use nudge_core::{Fault, FaultKind, Hint};
use nudge_store::{HintFilter, ProjectId};

use super::open::open;
use super::{choice, stored};
use crate::operation::OpContext;
use crate::projects::CallerPlace;
use crate::statements::stated_by;

/// The hints that `query` would show at the caller's place, each with who stated it. Leaves out
/// secrets, hints with conditions on variables that are not known here, and hints of another
/// project that apply only by a repository's address, which anybody can claim.
pub(crate) fn searchable(ctx: &OpContext<'_>) -> Result<Vec<(Hint, String)>, Fault> {
    let rows = open(ctx, ctx.store().hints(&HintFilter::default(), ctx.now())?)?;
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
