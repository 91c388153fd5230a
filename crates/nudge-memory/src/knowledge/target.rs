//! The statement that a caller wants to change, and whether it may.

use std::path::Path;

use nudge_core::{EntryId, Fault, FaultKind, Provenance, Scope};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::anchors;
use crate::caller::Ambient;
use crate::operation::OpContext;
use crate::projects;
use crate::recall::EntryRef;
use crate::statements::proposals::{self, Action, ProposalNote, StatementChange};
use crate::statements::{self, Contradicted, StatementState, StatementView, Stored};
use nudge_home::git;

/// Answer to a change of a statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeAnswer {
    /// The statement as it is now. After a correction, the new statement.
    pub statement: StatementView,
    /// The statement that was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<StatementView>,
    /// Present when nothing changed: the change waits for the user's decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ProposalNote>,
    /// Current statements that the new one contradicts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<Contradicted>,
}

/// The entry that a number refers to.
pub(super) enum Target {
    /// A statement in force.
    Statement(Box<Stored>),
    /// A proposal of a statement, which the user may decide on.
    Proposal(i64),
}

/// Finds the entry that a caller wants to change.
pub(super) fn find(ctx: &OpContext<'_>, id: &EntryRef) -> Result<Target, Fault> {
    let id = id.id()?;
    let reader = ctx.store();
    if ctx.hidden()?.hide_entry(reader, id)? {
        return Err(no_statement(id));
    }
    if let Some(statement) = statements::by_id(reader, id)? {
        check_in_force(&statement)?;
        let project = project_of(ctx, &statement.scope)?;
        if statement.scope != Scope::Global {
            projects::may_write_into(reader, ctx.caller, project, statement.scope.key())?;
        }
        return Ok(Target::Statement(Box::new(statement)));
    }
    if !proposals::is_proposal(reader, id)? {
        return Err(no_statement(id));
    }
    if !projects::is_person(ctx.caller) {
        let why = format!("{} is what the user said, and the user decides on it", id.0);
        return Err(Fault::new(FaultKind::Forbidden, "persons", why)
            .next("continue with it; the user decides with `nudge review`"));
    }
    Ok(Target::Proposal(id.0))
}

/// Turns an agent's change of the user's statement into a proposal; `None` if the caller may make
/// the change.
pub(super) fn proposed(
    ctx: &OpContext<'_>,
    statement: &Stored,
    action: Action,
    text: &str,
) -> Result<Option<ChangeAnswer>, Fault> {
    if projects::is_person(ctx.caller) || !statement.by.is_by_user() {
        return Ok(None);
    }
    let note = proposals::make_for_statement(
        ctx,
        StatementChange {
            action,
            target: statement.id,
            scope: statement.scope.clone(),
            category: statement.stated.category,
            directory: statement.stated.directory.clone(),
            text: text.to_owned(),
            why: "the user stated this, and only the user can change it".to_owned(),
        },
    )?;
    let statement = StatementView::stored(ctx.store(), statement.clone())?;
    Ok(Some(ChangeAnswer { statement, corrected: None, proposal: Some(note), contradicts: Vec::new() }))
}

/// The provenance of a change: it has the statement's place, not the caller's.
pub(super) fn provenance(ctx: &OpContext<'_>, scope: &Scope) -> Result<Provenance, Fault> {
    let project = Some(scope.key().to_owned()).filter(|key| !key.is_empty());
    Ok(Provenance { project, ..ctx.provenance()? })
}

/// The project of a scope; `None` for a scope that covers all projects.
pub(super) fn project_of(ctx: &OpContext<'_>, scope: &Scope) -> Result<Option<ProjectId>, Fault> {
    match scope {
        Scope::Project(key) => Ok(ctx.store().project_by_key(key)?),
        _ => Ok(None),
    }
}

fn check_in_force(statement: &Stored) -> Result<(), Fault> {
    let id = statement.id.0;
    let (word, next) = match (statement.stated.state, statement.stated.successor) {
        (StatementState::Stands, _) => return Ok(()),
        (StatementState::Corrected, Some(successor)) => {
            ("corrected", format!("it was replaced by {successor}"))
        }
        (StatementState::Corrected, None) => {
            ("corrected", "run `nudge knows` to see what applies".to_owned())
        }
        (StatementState::Forgotten, _) => ("forgotten", "state it again with `nudge remember`".to_owned()),
    };
    Err(Fault::invalid("over", format!("statement {id} is already {word}")).next(next))
}

fn no_statement(id: EntryId) -> Fault {
    Fault::new(FaultKind::NotFound, "no_statement", format!("{} is not a statement", id.0))
        .next("run `nudge knows` to see the statements; `nudge delete COMPONENT KEY` removes a hint")
}

/// Rejects a directory that is neither in the project nor in the caller's checkout. Accepts any if
/// the project's root does not exist here.
pub(super) fn check_directory(ctx: &OpContext<'_>, root: &str, directory: &str) -> Result<(), Fault> {
    let root = Path::new(root);
    let checkout = match &ctx.caller.ambient {
        Ambient::Here(here) => here.cwd.as_deref().and_then(|cwd| git::place(Path::new(cwd))),
        Ambient::Nothing => None,
    };
    let is_in = |root: &Path| root.join(directory).is_dir();
    if !root.is_dir() || is_in(root) || checkout.is_some_and(|place| is_in(&place.root)) {
        return Ok(());
    }
    let why = format!("there is no directory `{directory}` in the project");
    Err(Fault::invalid("no_directory", why)
        .with("field", "directory")
        .next("create it first, or remove it to state it for the whole project"))
}

/// The places in files that a text is about: in the caller's checkout if it belongs to the
/// statement's project, else in the project itself. A statement for all projects is about no file.
pub(super) fn anchors_of(ctx: &OpContext<'_>, scope: &Scope, text: &str) -> Result<Vec<Value>, Fault> {
    let Some(project) = project_of(ctx, scope)? else { return Ok(Vec::new()) };
    let reader = ctx.store();
    let stands_in =
        ctx.caller.project.as_deref().map(|key| reader.project_by_key(key)).transpose()?.flatten();
    let cwd = match &ctx.caller.ambient {
        Ambient::Here(here) if stands_in == Some(project) => here.cwd.clone(),
        Ambient::Here(_) | Ambient::Nothing => reader.project_root(project)?,
    };
    Ok(cwd.map_or_else(Vec::new, |cwd| anchors::around(text, Path::new(&cwd), ctx.now())))
}
