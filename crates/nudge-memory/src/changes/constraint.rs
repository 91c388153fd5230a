//! The file constraints of a project: which files belong to it, and which may be changed.
//!
//! A constraint is an entry of the project, `constraint://<pattern>`. The last one set that matches
//! a file decides.

use nudge_core::{EntryPath, Fault, Scope};
use nudge_home::workspace::{Constraint, ConstraintKind};
use nudge_store::{EntryDraft, Reader, SecretPolicy};
use serde_json::Map;

use crate::operation::OpContext;

/// The scheme of constraints.
pub(crate) const SCHEME: &str = "constraint";

/// How many constraints a project may have.
const MOST: usize = 500;

/// The constraints of a project, in the order in which they were set.
pub(crate) fn all(reader: &Reader<'_>, project: &Scope) -> Result<Vec<Constraint>, Fault> {
    let mut entries = reader.entries_in(project, Some(SCHEME))?;
    entries.sort_by_key(|entry| (entry.updated_at, entry.id));
    let constraint = |entry: nudge_core::Entry| {
        let pattern = entry.path.parts().into_iter().next()?;
        Some(Constraint { pattern, kind: ConstraintKind::from_name(&entry.body)? })
    };
    Ok(entries.into_iter().filter_map(constraint).collect())
}

/// Sets a constraint.
pub(crate) fn set(ctx: &OpContext<'_>, project: &Scope, constraint: &Constraint) -> Result<(), Fault> {
    constraint.check().map_err(|why| Fault::invalid("pattern", why).with("field", "path"))?;
    if all(ctx.store(), project)?.len() >= MOST {
        return Err(Fault::invalid("constraints", format!("a project has at most {MOST} constraints"))
            .next("remove one with `nudge entry constraint --clear PATTERN`"));
    }
    ctx.writer()?.put_entry(&EntryDraft {
        scope: project.clone(),
        path: path_of(&constraint.pattern)?,
        body: constraint.kind.name().to_owned(),
        attributes: Map::new(),
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Reject,
        now: ctx.now(),
    })?;
    Ok(())
}

/// Removes a constraint; returns whether there was one.
pub(crate) fn clear(ctx: &OpContext<'_>, project: &Scope, pattern: &str) -> Result<bool, Fault> {
    let Some(entry) = ctx.store().entry(project, &path_of(pattern)?)? else { return Ok(false) };
    Ok(ctx.writer()?.delete_entry(entry.id, ctx.now())?)
}

/// Why a constraint forbids a change.
pub(crate) const fn veto_of(kind: Option<ConstraintKind>) -> Option<&'static str> {
    match kind {
        Some(ConstraintKind::ReadOnly) => Some("is read-only in this project"),
        Some(ConstraintKind::Ignore) => Some("is ignored in this project"),
        Some(ConstraintKind::Add) | None => None,
    }
}

fn path_of(pattern: &str) -> Result<EntryPath, Fault> {
    EntryPath::from_parts(SCHEME, &[pattern], None)
        .map_err(|error| Fault::invalid("pattern", error.to_string()).with("field", "path"))
}
