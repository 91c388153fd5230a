//! `correct` replaces a statement with new words; `forget` withdraws it.

use std::path::Path;

use nudge_core::{EntryId, Fault, FaultKind, Provenance, Scope};
use nudge_home::git;
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::caller::Ambient;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::EntryRef;
use crate::review::{AcceptParams, AcceptProposal, DecideParams, DropProposal};
use crate::statements::proposals::{self, Action, ProposalNote, StatementChange};
use crate::statements::{
    self, Contradicted, MAX_STATEMENT_CHARS, NewStatement, Saying, StatementState, StatementView, Stored,
    checked_text, contradicted, proposed, retire,
};
use crate::{anchors, projects};

/// Parameters of `correct`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorrectParams {
    /// Id of the statement.
    pub id: EntryRef,
    /// The new text.
    pub text: String,
}

/// The `correct` operation.
pub struct CorrectStatement;

impl Op for CorrectStatement {
    const NAME: &'static str = "correct";
    const ALIASES: &'static [&'static str] = &["correct_statement"];
    const TITLE: &'static str = "Correct a statement";
    const DOC: &'static str = "Replace a statement that is no longer true. The old text is not injected \
        again.";
    const REFERENCE: &'static str = "Replace the text of a statement. The old statement is kept, names its \
        successor, and is not injected again.";
    const EFFECT: Effect = Effect::Write;
    type Params = CorrectParams;
    type Answer = ChangeAnswer;

    fn run(ctx: &OpContext<'_>, params: CorrectParams) -> Result<ChangeAnswer, Fault> {
        let text = checked_text(ctx, "statement", &params.text, MAX_STATEMENT_CHARS)?;
        match find_target(ctx, &params.id)? {
            Target::Proposal(id) => accept(ctx, id, text),
            Target::Statement(statement) => match propose_instead(ctx, &statement, Action::Correct, &text)? {
                Some(proposal) => Ok(proposal),
                None => correct(ctx, *statement, text),
            },
        }
    }
}

/// States the user's saying in the words that the user gives now.
fn accept(ctx: &OpContext<'_>, id: i64, text: String) -> Result<ChangeAnswer, Fault> {
    let answer = AcceptProposal::run(ctx, AcceptParams { id, text: Some(text) })?;
    let statement = answer.statement.ok_or_else(|| {
        Fault::invalid("edit", format!("proposal {id} is not a statement"))
            .next("decide on it with `nudge review`")
    })?;
    Ok(ChangeAnswer { statement, corrected: None, proposal: None, contradicts: Vec::new() })
}

fn correct(ctx: &OpContext<'_>, old: Stored, text: String) -> Result<ChangeAnswer, Fault> {
    let (writer, now) = (ctx.writer()?, ctx.now());
    let project = project_of(ctx, &old.scope)?;
    let by = provenance(ctx, &old.scope)?;
    let anchors = anchors_of(ctx, &old.scope, &text)?;
    let new = NewStatement {
        text,
        category: old.stated.category,
        directory: old.stated.directory.clone(),
        sayings: vec![Saying::by_command(by.session.clone(), now, CorrectStatement::NAME)],
        times: 1,
        accepted_from: None,
        is_routine: old.stated.is_routine,
        predecessor: Some(old.id.0),
        anchors,
        by,
    };
    let made = statements::make(writer, &old.scope, project, new, now)?;
    let by_person = projects::is_person(ctx.caller);
    let corrected = if made.id == old.id {
        None
    } else {
        Some(retire(writer, old, StatementState::Corrected, Some(made.id.0), by_person, now)?)
    };
    let reader = ctx.store();
    let here = project.unwrap_or(ProjectId(0));
    let directory = made.stated.directory.as_deref();
    if by_person {
        proposals::settle(writer, &made, project, now)?;
        if let Some(old) = &corrected {
            proposals::replace_old_words(writer, old, &made, project, now)?;
        }
    }
    let contradicts = contradicted(reader, here, &made.text, directory, &[made.id])?;
    Ok(ChangeAnswer {
        contradicts,
        statement: StatementView::stored(reader, made)?,
        corrected: corrected.map(|old| StatementView::stored(reader, old)).transpose()?,
        proposal: None,
    })
}

// The statement that a caller wants to change, and whether it may.

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
enum Target {
    /// A statement in force.
    Statement(Box<Stored>),
    /// A proposal of a statement, which the user may decide on.
    Proposal(i64),
}

/// Finds the entry that a caller wants to change.
fn find_target(ctx: &OpContext<'_>, id: &EntryRef) -> Result<Target, Fault> {
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
fn propose_instead(
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
        Ambient::Here(here) => here.cwd.as_deref().and_then(|cwd| git::checkout(Path::new(cwd))),
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

// `forget`: withdraws a statement. It stays stored, so that the same words are not learned again.

/// Parameters of `forget`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetParams {
    /// Id of the statement.
    pub id: EntryRef,
}

/// The `forget` operation.
pub struct ForgetStatement;

impl Op for ForgetStatement {
    const NAME: &'static str = "forget";
    const ALIASES: &'static [&'static str] = &["forget_statement"];
    const TITLE: &'static str = "Forget a statement";
    const DOC: &'static str = "Remove a statement that no longer applies. It is not injected again.";
    const REFERENCE: &'static str = "Remove a statement that no longer applies. It is not injected again, \
        and the same words do not come back by themselves.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = ForgetParams;
    type Answer = ChangeAnswer;

    fn run(ctx: &OpContext<'_>, params: ForgetParams) -> Result<ChangeAnswer, Fault> {
        match find_target(ctx, &params.id)? {
            Target::Proposal(id) => drop_proposal(ctx, id),
            Target::Statement(statement) => {
                match propose_instead(ctx, &statement, Action::Forget, &statement.text)? {
                    Some(proposal) => Ok(proposal),
                    None => forget(ctx, *statement),
                }
            }
        }
    }
}

/// Rejects a proposal made from the user's words.
fn drop_proposal(ctx: &OpContext<'_>, id: i64) -> Result<ChangeAnswer, Fault> {
    let statement = proposed(ctx.store(), id)?.ok_or_else(|| {
        Fault::invalid("edit", format!("proposal {id} is not a statement"))
            .next("decide on it with `nudge review`")
    })?;
    DropProposal::run(ctx, DecideParams { id })?;
    let view = StatementView::in_force(ctx.store(), statement)?;
    let statement = StatementView { state: StatementState::Forgotten, ..view };
    Ok(ChangeAnswer { statement, corrected: None, proposal: None, contradicts: Vec::new() })
}

fn forget(ctx: &OpContext<'_>, statement: Stored) -> Result<ChangeAnswer, Fault> {
    let by_person = projects::is_person(ctx.caller);
    let gone = retire(ctx.writer()?, statement, StatementState::Forgotten, None, by_person, ctx.now())?;
    let statement = StatementView::stored(ctx.store(), gone)?;
    Ok(ChangeAnswer { statement, corrected: None, proposal: None, contradicts: Vec::new() })
}
