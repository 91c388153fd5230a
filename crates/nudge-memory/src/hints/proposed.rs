//! Proposed hints: what Nudge proposes after it has seen the same thing several times, and what
//! becomes of a change that the user accepted.

use nudge_core::ttl::Ttl;
use nudge_core::{Conditions, Fault, FaultKind, HintMeta, HintValue, Provenance, Timestamp};
use nudge_store::Writer;

use super::limits::Quota;
use super::set::{Outcome, Write};
use super::wire::{self, Meta, Value};
use super::{delete, limits, stored};
use crate::operation::OpContext;
use crate::statements::proposals::{self, Action, Change, Edit, Proposal};
use crate::statements::stated_by;

/// What was seen, and where it applies.
pub(crate) struct Lesson<'l> {
    /// The program it is about.
    pub(crate) component: &'l str,
    /// The key of the proposed hint.
    pub(crate) key: &'l str,
    /// The text of the proposed hint.
    pub(crate) text: String,
    /// How often it was seen.
    pub(crate) reason: String,
    /// The project's root directory.
    pub(crate) root: &'l str,
    /// Identifies the lesson, however it is worded.
    pub(crate) known_by: [&'l str; 3],
    /// The provenance of the event that showed it.
    pub(crate) by: Provenance,
    /// The time of that event.
    pub(crate) at: Timestamp,
}

/// Proposes the hint, once. It takes effect only if the user accepts it.
pub(crate) fn propose(writer: &Writer<'_>, lesson: Lesson<'_>) -> Result<(), Fault> {
    let names = [("component", lesson.component), ("key", lesson.key)];
    if names.iter().any(|(field, name)| limits::check_name(field, name).is_err()) {
        return Ok(());
    }
    let meta = HintMeta {
        reason: Some(lesson.reason.clone()),
        ttl: Some(Ttl::Forever),
        conditions: Conditions { cwd_glob: below(lesson.root), ..Conditions::default() },
        ..HintMeta::default()
    };
    if meta.conditions.validate().is_err() {
        return Ok(());
    }
    let change = Change {
        action: Action::Set,
        component: lesson.component.to_owned(),
        key: lesson.key.to_owned(),
        target: stored::path_of(lesson.component, lesson.key, &meta)?,
        value: Some(Value(HintValue::Text(lesson.text.clone())).to_json()),
        meta: serde_json::to_value(Meta::of(&meta)).ok(),
        body: format!("set {}/{}: {}", lesson.component, lesson.key, lesson.text),
        why: lesson.reason,
    };
    proposals::make_unrequested(writer, change, &lesson.known_by, &lesson.by, lesson.at)?;
    Ok(())
}

/// Globs for a directory and everything below it. Glob characters in the path are escaped.
fn below(root: &str) -> Vec<String> {
    let mut plain = String::with_capacity(root.len());
    for c in root.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            plain.push('\\');
        }
        plain.push(c);
    }
    vec![plain.clone(), format!("{plain}/**")]
}

// Applies a change that an agent proposed and the user accepted.

/// Applies the change as the user's own. Returns the changed hint, or `None` if it was deleted.
pub(crate) fn carry_out(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    edit: &Edit,
) -> Result<Option<wire::Hint>, Fault> {
    let rows = ctx.store().hints_of_key(&edit.component, &edit.key, ctx.now())?;
    let existing = rows.into_iter().find(|row| row.entry.path.as_str() == edit.target);
    match proposal.content.action {
        Action::Delete => {
            let row = existing.ok_or_else(|| gone(proposal, edit))?;
            delete::delete(ctx, &stored::hint_of(row)?)?;
            Ok(None)
        }
        Action::Set => {
            // The statement is about the place it was made for, not about where the user reviews
            // it.
            let place = existing.map_or_else(|| proposal.by.project.clone(), |row| row.entry.writer.project);
            let provenance = Provenance { project: place, ..ctx.provenance()? };
            set(ctx, proposal, edit, provenance).map(Some)
        }
        Action::Move | Action::Copy | Action::Remember | Action::Correct | Action::Forget | Action::Run => {
            Err(unreadable(proposal))
        }
    }
}

fn set(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    edit: &Edit,
    provenance: Provenance,
) -> Result<wire::Hint, Fault> {
    let value = edit.value.clone().unwrap_or_default();
    let value = Value::from_json(value).map_err(|_| unreadable(proposal))?.checked()?;
    let meta = Meta::from_stored(edit.meta.clone().unwrap_or_default());
    let mut meta = meta.map_err(|_| unreadable(proposal))?.into_core()?;
    // From now on it is the user's statement; it still says who had the idea.
    meta.added_by.get_or_insert(stated_by(ctx.store(), &proposal.by)?);
    let write = Write {
        component: edit.component.clone(),
        key: edit.key.clone(),
        value,
        meta,
        expect: None,
        history: None,
        allow_secret: false,
        provenance,
    };
    let mut quota = Quota::for_component(ctx, &edit.component)?;
    match write.run(ctx, &mut quota)? {
        Outcome::Written(hint) => stored::wire_hint(ctx, &hint),
        Outcome::Proposed { note, .. } => Err(Fault::new(FaultKind::Forbidden, "tier", note.why)),
    }
}

fn unreadable(proposal: &Proposal) -> Fault {
    let why = format!("cannot read proposal {}", proposal.id.0);
    Fault::new(FaultKind::Internal, "damaged_proposal", why)
        .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
}

fn gone(proposal: &Proposal, edit: &Edit) -> Fault {
    let why = format!("{}/{} no longer exists", edit.component, edit.key);
    Fault::new(FaultKind::NotFound, "gone", why)
        .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
}
