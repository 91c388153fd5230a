//! Turns an accepted proposal into a statement.

use nudge_core::{EntryId, Fault, FaultKind, Provenance, Scope};
use nudge_store::ProjectId;

use crate::operation::OpContext;
use crate::statements::proposals::{self, Action, Proposal, ProposalSubject, Words};
use crate::statements::{
    self, Category, Contradicted, NewStatement, STATEMENT_MOST, Saying, StatementState, StatementView,
    Stored, checked_text, contradicted, retire,
};

/// The result.
pub(super) struct Accepted {
    pub(super) statement: StatementView,
    pub(super) replaced: Vec<Contradicted>,
}

/// Makes the statement as the user's own, in the words that were said or in new ones.
pub(super) fn statement(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    words: &Words,
    text: Option<&str>,
) -> Result<Accepted, Fault> {
    let text = checked_text(ctx, "statement", text.unwrap_or(&proposal.body), STATEMENT_MOST)?;
    let project = project_of(ctx, &proposal.scope)?;
    let target = words.target.map(|id| standing(ctx, proposal, EntryId(id))).transpose()?;
    match (proposal.content.action, target) {
        (Action::Forget, Some(target)) => {
            let gone = retire(ctx.writer()?, target, StatementState::Forgotten, None, true, ctx.now())?;
            Ok(Accepted { statement: StatementView::stored(ctx.store(), gone)?, replaced: Vec::new() })
        }
        (_, target) => {
            let new = new_statement(ctx, proposal, words, text, target.as_ref())?;
            let made = statements::make(ctx.writer()?, &proposal.scope, project, new, ctx.now())?;
            let replaced = replace(ctx, project, proposal, &made, target)?;
            Ok(Accepted { statement: StatementView::stored(ctx.store(), made)?, replaced })
        }
    }
}

fn new_statement(
    ctx: &OpContext<'_>,
    proposal: &Proposal,
    words: &Words,
    text: String,
    target: Option<&Stored>,
) -> Result<NewStatement, Fault> {
    let is_routine = matches!(proposal.content.matter, ProposalSubject::Routine(_));
    let mut said = words.said.clone();
    said.push(Saying::by_command(None, ctx.now(), "accepted"));
    Ok(NewStatement {
        text,
        category: if is_routine { Category::Workflow } else { words.category },
        directory: words.directory.clone(),
        said,
        times: u32::try_from(proposal.content.times).unwrap_or(u32::MAX),
        accepted_from: Some(proposal.id.0),
        is_routine,
        predecessor: target.map(|target| target.id.0),
        anchors: words.anchors.clone(),
        by: the_persons(ctx, &proposal.scope)?,
    })
}

/// The user's provenance. The statement is about the place it was said for, not about where the
/// user reviews it.
fn the_persons(ctx: &OpContext<'_>, scope: &Scope) -> Result<Provenance, Fault> {
    let project = Some(scope.key().to_owned()).filter(|key| !key.is_empty());
    Ok(Provenance { project, ..ctx.provenance()? })
}

/// Retires what the new statement corrects or contradicts.
fn replace(
    ctx: &OpContext<'_>,
    project: Option<ProjectId>,
    proposal: &Proposal,
    made: &Stored,
    target: Option<Stored>,
) -> Result<Vec<Contradicted>, Fault> {
    let writer = ctx.writer()?;
    if let Some(target) = target.filter(|target| target.id != made.id) {
        let old = retire(writer, target, StatementState::Corrected, Some(made.id.0), true, ctx.now())?;
        proposals::replace_old_words(writer, &old, made, project, ctx.now())?;
    }
    proposals::settle(writer, made, project, ctx.now())?;
    let Some(project) = project else { return Ok(Vec::new()) };
    let mut replaced = Vec::new();
    let directory = made.stated.directory.as_deref();
    let but = [made.id, proposal.id];
    for one in contradicted(ctx.store(), project, &made.text, directory, &but)? {
        let statement = statements::by_id(ctx.store(), EntryId(one.id))?;
        let gives_way =
            |other: &Stored| other.scope != Scope::Global && other.stated.directory == made.stated.directory;
        if let Some(statement) = statement.filter(gives_way) {
            retire(writer, statement, StatementState::Corrected, Some(made.id.0), true, ctx.now())?;
            replaced.push(one);
        }
    }
    Ok(replaced)
}

/// The project of a scope; `None` for a scope that covers all projects.
pub(super) fn project_of(ctx: &OpContext<'_>, scope: &Scope) -> Result<Option<ProjectId>, Fault> {
    match scope {
        Scope::Project(key) => Ok(ctx.store().project_by_key(key)?),
        _ => Ok(None),
    }
}

fn standing(ctx: &OpContext<'_>, proposal: &Proposal, id: EntryId) -> Result<Stored, Fault> {
    let found = statements::by_id(ctx.store(), id)?;
    found.filter(|statement| statement.stated.state == StatementState::Stands).ok_or_else(|| {
        let why = format!("statement {} no longer applies", id.0);
        Fault::new(FaultKind::NotFound, "gone", why)
            .next(format!("reject it with `nudge review drop {}`", proposal.id.0))
    })
}
