//! Changes of entries and files that the user accepted, and the rules about files that they obey.

use std::path::Path;

use nudge_core::{Entry, EntryPath, Fault, FaultKind, Scope};
use nudge_home::workspace::{Constraint, ConstraintKind, Expected, FileError, Workspace, constraint_of};
use nudge_store::{Ending, EntryDraft, Reader, SecretPolicy};
use serde_json::{Map, Value};

use crate::operation::OpContext;
use crate::statements::proposals::{Action, EntryChange, Proposal};

/// The largest file that is read as an entry, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The attributes with new ones over them; `null` removes one.
pub(crate) fn with_attributes(
    before: &Map<String, Value>,
    new: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut all = before.clone();
    for (name, value) in new.into_iter().flatten() {
        if value.is_null() {
            all.remove(name);
        } else {
            all.insert(name.clone(), value.clone());
        }
    }
    all
}

/// Deletes a plain entry; its last version stays readable.
pub fn delete(ctx: &OpContext<'_>, entry: &Entry) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    writer.join_appended(entry.id, ctx.now())?;
    writer.keep_version(entry.id, Ending::Deleted, false, &ctx.provenance()?, ctx.now())?;
    writer.delete_entry(entry.id, ctx.now())?;
    Ok(())
}

// The file constraints of a project: which files belong to it, and which may be changed.
//
// A constraint is an entry of the project, `constraint://<pattern>`. The last one set that matches
// a file decides.

/// The scheme of constraints.
pub(crate) const SCHEME: &str = "constraint";

/// How many constraints a project may have.
const MAX_CONSTRAINTS: usize = 500;

/// The constraints of a project, in the order in which they were set.
pub(crate) fn constraints(reader: &Reader<'_>, project: &Scope) -> Result<Vec<Constraint>, Fault> {
    let mut entries = reader.entries_in(project, Some(SCHEME))?;
    entries.sort_by_key(|entry| (entry.updated_at, entry.id));
    let constraint = |entry: nudge_core::Entry| {
        let pattern = entry.path.parts().into_iter().next()?;
        Some(Constraint { pattern, kind: ConstraintKind::from_name(&entry.body)? })
    };
    Ok(entries.into_iter().filter_map(constraint).collect())
}

/// Sets a constraint.
pub(crate) fn set_constraint(
    ctx: &OpContext<'_>,
    project: &Scope,
    constraint: &Constraint,
) -> Result<(), Fault> {
    constraint.check().map_err(|why| Fault::invalid("pattern", why).with("field", "path"))?;
    if constraints(ctx.store(), project)?.len() >= MAX_CONSTRAINTS {
        return Err(Fault::invalid(
            "constraints",
            format!("a project has at most {MAX_CONSTRAINTS} constraints"),
        )
        .next("remove one with `nudge entry constraint --clear PATTERN`"));
    }
    ctx.writer()?.put_entry(&EntryDraft {
        scope: project.clone(),
        path: constraint_path(&constraint.pattern)?,
        body: constraint.kind.name().to_owned(),
        attributes: Map::new(),
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Reject,
        now: ctx.now(),
    })?;
    Ok(())
}

/// Removes a constraint; returns whether there was one.
pub(crate) fn clear_constraint(ctx: &OpContext<'_>, project: &Scope, pattern: &str) -> Result<bool, Fault> {
    let Some(entry) = ctx.store().entry(project, &constraint_path(pattern)?)? else { return Ok(false) };
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

fn constraint_path(pattern: &str) -> Result<EntryPath, Fault> {
    EntryPath::from_parts(SCHEME, &[pattern], None)
        .map_err(|error| Fault::invalid("pattern", error.to_string()).with("field", "path"))
}

// Makes an accepted change of an entry or a file, as the user's own.

/// Makes an accepted change, as the user's own.
pub(crate) fn carry_out(ctx: &OpContext<'_>, proposal: &Proposal, change: &EntryChange) -> Result<(), Fault> {
    match &change.root {
        Some(root) => carry_out_on_file(ctx, proposal, change, Path::new(root)),
        None => carry_out_on_entry(ctx, proposal, change),
    }
}

fn carry_out_on_entry(ctx: &OpContext<'_>, proposal: &Proposal, change: &EntryChange) -> Result<(), Fault> {
    let path = path_of(&change.path)?;
    let entry = ctx.store().entry(&proposal.scope, &path)?.ok_or_else(|| gone(proposal, &change.path))?;
    if change.version.is_some_and(|version| version != entry.version) {
        return Err(changed(proposal, &change.path));
    }
    let writer = ctx.writer()?;
    writer.join_appended(entry.id, ctx.now())?;
    let entry = ctx.store().entry(&proposal.scope, &path)?.ok_or_else(|| gone(proposal, &change.path))?;
    // The statement is about the place it was made for, not about where the user reviews it.
    let by = nudge_core::Provenance { project: entry.writer.project.clone(), ..ctx.provenance()? };
    match (proposal.content.action, &change.to) {
        (Action::Delete, _) => delete(ctx, &entry),
        (Action::Move, Some(to)) => {
            let to = path_of(to)?;
            if writer.entry(&proposal.scope, &to)?.is_some() {
                return Err(changed(proposal, to.as_str()));
            }
            writer.keep_version(entry.id, Ending::Replaced, false, &by, ctx.now())?;
            writer.rename_entry(entry.id, &to, &by, ctx.secret_policy(), ctx.now())?;
            Ok(())
        }
        _ => {
            writer.keep_version(entry.id, Ending::Replaced, false, &by, ctx.now())?;
            let attributes = with_attributes(&entry.attributes, change.attributes.as_ref());
            writer.put_entry(&EntryDraft {
                scope: entry.scope,
                path,
                body: change.body.clone().unwrap_or(entry.body),
                attributes,
                provenance: by,
                secrets: ctx.secret_policy(),
                now: ctx.now(),
            })?;
            Ok(())
        }
    }
}

fn carry_out_on_file(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    change: &EntryChange,
    root: &Path,
) -> Result<(), Fault> {
    let workspace = Workspace::open(root).map_err(|error| {
        Fault::invalid("no_root", format!("cannot use {}: {error}", root.display())).next(drop_it(proposal))
    })?;
    if workspace.root() != root {
        // A link has taken the place of the root.
        return Err(changed(proposal, &root.display().to_string()));
    }
    let Scope::Project(_) = &proposal.scope else { return Err(gone(proposal, &change.path)) };
    let constraints = constraints(ctx.store(), &proposal.scope)?;
    for path in [Some(&change.path), change.to.as_ref()].into_iter().flatten() {
        if let Some(why) = veto_of(constraint_of(&constraints, path)) {
            return Err(Fault::new(FaultKind::Forbidden, "constraint", format!("{path} {why}"))
                .next(format!("change that with `nudge entry constraint`, or {}", drop_it(proposal))));
        }
    }
    if is_made(ctx, &workspace, proposal, change)? {
        return Ok(());
    }
    let expected = match &change.hash {
        None => Expected::Absent,
        Some(hash) => {
            let read = workspace.resolve(&change.path).map_err(FileError::from);
            let file = read.and_then(|path| workspace.read(&path, MAX_FILE_BYTES));
            let file = file.map_err(|_| changed(proposal, &change.path))?;
            if ctx.writer()?.keyed(&file.hash.to_string())? != *hash {
                return Err(changed(proposal, &change.path));
            }
            Expected::Hash(file.hash)
        }
    };
    let apply = || -> Result<(), FileError> {
        let path = workspace.resolve(&change.path)?;
        let to = change.to.as_deref().map(|to| workspace.resolve(to)).transpose()?;
        match (proposal.content.action, &change.body, to) {
            (Action::Delete, _, _) => workspace.remove(&path, expected),
            (Action::Move, _, Some(to)) => workspace.rename(&path, &to, expected).map(|_| ()),
            (Action::Copy, Some(body), Some(to)) => workspace.write(&to, body, Expected::Absent).map(|_| ()),
            (_, Some(body), _) => workspace.write(&path, body, expected).map(|_| ()),
            _ => Ok(()),
        }
    };
    apply().map_err(|error| match &error {
        FileError::Changed { .. } | FileError::Missing { .. } | FileError::Exists { .. } => {
            changed(proposal, &change.path)
        }
        _ => Fault::invalid(error.reason(), error.to_string()).next(drop_it(proposal)),
    })
}

/// Whether the files already are as the change leaves them: an acceptance that was killed after it
/// made the change, and before that was stored, is repeated.
fn is_made(
    ctx: &OpContext<'_>,
    workspace: &Workspace,
    proposal: &Proposal,
    change: &EntryChange,
) -> Result<bool, Fault> {
    let read = |path: &str| {
        let path = workspace.resolve(path).map_err(FileError::from)?;
        workspace.read(&path, MAX_FILE_BYTES)
    };
    let is_gone = || matches!(read(&change.path), Err(FileError::Missing { .. }));
    Ok(match (proposal.content.action, &change.body, &change.to) {
        (Action::Delete, _, _) => is_gone(),
        (Action::Move, _, Some(to)) => match read(to) {
            Ok(file) => is_gone() && change.hash == Some(ctx.writer()?.keyed(&file.hash.to_string())?),
            Err(_) => false,
        },
        (Action::Copy, Some(body), Some(to)) => read(to).is_ok_and(|file| file.text == *body),
        (_, Some(body), _) => read(&change.path).is_ok_and(|file| file.text == *body),
        _ => false,
    })
}

fn gone(proposal: &Proposal, path: &str) -> Fault {
    Fault::new(FaultKind::NotFound, "gone", format!("{path} no longer exists")).next(drop_it(proposal))
}

fn changed(proposal: &Proposal, path: &str) -> Fault {
    let why = format!("{path} has changed since the proposal was made");
    Fault::new(FaultKind::Conflict, "changed", why).next(drop_it(proposal))
}

fn drop_it(proposal: &Proposal) -> String {
    format!("reject it with `nudge review drop {}`", proposal.id.0)
}

fn path_of(text: &str) -> Result<EntryPath, Fault> {
    EntryPath::parse(text).map_err(|error| Fault::invalid("path", error.to_string()))
}
