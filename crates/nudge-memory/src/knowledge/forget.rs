//! `forget`: a statement is given up. It stays, so that the same words do not come back by themselves.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::target::{self, ChangeAnswer, Target};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::EntryRef;
use crate::review::{DecideParams, DropProposal};
use crate::statements::proposals::Action;
use crate::statements::{Standing, StatementView, Stored, proposed, retire};

/// What to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetParams {
    /// The statement's number.
    pub id: EntryRef,
}

/// The operation.
pub struct ForgetStatement;

impl Op for ForgetStatement {
    const NAME: &'static str = "forget";
    const ALIASES: &'static [&'static str] = &["nudge.forget", "forget_statement"];
    const TITLE: &'static str = "Forget a statement";
    const DOC: &'static str = "Give up a statement that does not hold any more. It is not injected again.";
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

/// What the person said is turned down.
fn drop_proposal(ctx: &OpContext<'_>, id: i64) -> Result<ChangeAnswer, Fault> {
    let statement = proposed(ctx.store(), id)?.ok_or_else(|| {
        Fault::invalid("edit", format!("proposal {id} is no statement")).next("use `nudge review`")
    })?;
    DropProposal::run(ctx, DecideParams { id })?;
    let view = StatementView::standing(ctx.store(), statement)?;
    let statement = StatementView { state: Standing::Forgotten, ..view };
    Ok(ChangeAnswer { statement, corrected: None, proposal: None, contradicts: Vec::new() })
}

fn forget(ctx: &OpContext<'_>, statement: Stored) -> Result<ChangeAnswer, Fault> {
    let by_person = projects::is_person(ctx.caller);
    let gone = retire(ctx.writer()?, statement, Standing::Forgotten, None, by_person, ctx.now())?;
    let statement = StatementView::stored(ctx.store(), gone)?;
    Ok(ChangeAnswer { statement, corrected: None, proposal: None, contradicts: Vec::new() })
}
