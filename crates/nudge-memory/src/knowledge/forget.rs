//! `forget`: withdraws a statement. It stays stored, so that the same words are not learned again.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::target::{self, ChangeAnswer, Target};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::EntryRef;
use crate::review::{DecideParams, DropProposal};
use crate::statements::proposals::Action;
use crate::statements::{StatementState, StatementView, Stored, proposed, retire};

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
    const ALIASES: &'static [&'static str] = &["nudge.forget", "forget_statement"];
    const TITLE: &'static str = "Forget a statement";
    const DOC: &'static str = "Remove a statement that no longer applies. It is not injected again.";
    const REFERENCE: &'static str = "Remove a statement that no longer applies. It is not injected again, \
        and the same words do not come back by themselves.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = ForgetParams;
    type Answer = ChangeAnswer;

    fn run(ctx: &OpContext<'_>, params: ForgetParams) -> Result<ChangeAnswer, Fault> {
        match target::find(ctx, &params.id)? {
            Target::Proposal(id) => drop_proposal(ctx, id),
            Target::Statement(statement) => {
                match target::proposed(ctx, &statement, Action::Forget, &statement.text)? {
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
