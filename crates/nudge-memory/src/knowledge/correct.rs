//! `correct`: replaces a statement with new words.

use nudge_core::{Fault, Tier};
use nudge_store::ProjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::target::{self, ChangeAnswer, Target};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::EntryRef;
use crate::review::{AcceptParams, AcceptProposal};
use crate::statements::proposals::{self, Action};
use crate::statements::{
    self, NewStatement, STATEMENT_MOST, Saying, StatementState, StatementView, Stored, checked_text,
    contradicted, retire,
};

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
    const ALIASES: &'static [&'static str] = &["nudge.correct", "correct_statement"];
    const TITLE: &'static str = "Correct a statement";
    const DOC: &'static str = "Replace a statement that is no longer true. The old text is not injected \
        again.";
    const REFERENCE: &'static str = "Replace the text of a statement. The old statement is kept, names its \
        successor, and is not injected again.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = CorrectParams;
    type Answer = ChangeAnswer;

    fn run(ctx: &OpContext<'_>, params: CorrectParams) -> Result<ChangeAnswer, Fault> {
        let text = checked_text(ctx, "statement", &params.text, STATEMENT_MOST)?;
        match target::find(ctx, &params.id)? {
            Target::Proposal(id) => accept(ctx, id, text),
            Target::Statement(statement) => {
                match target::proposed(ctx, &statement, Action::Correct, &text)? {
                    Some(proposal) => Ok(proposal),
                    None => correct(ctx, *statement, text),
                }
            }
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
    let project = target::project_of(ctx, &old.scope)?;
    let by = target::provenance(ctx, &old.scope)?;
    let anchors = target::anchors_of(ctx, &old.scope, &text)?;
    let new = NewStatement {
        text,
        category: old.stated.category,
        directory: old.stated.directory.clone(),
        said: vec![Saying::by_command(by.session.clone(), now, CorrectStatement::NAME)],
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
