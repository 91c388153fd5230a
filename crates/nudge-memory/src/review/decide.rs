//! `accept_proposal` and `drop_proposal`: the person's answer.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hints::{self, wire};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::proposals::{self, Proposal, State};

/// Which proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideParams {
    /// Its number.
    pub id: i64,
}

/// What became of it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecisionAnswer {
    /// Its number.
    pub id: i64,
    /// `accepted` or `dropped`.
    pub state: State,
    /// The component of the hint.
    pub component: String,
    /// Its key.
    pub key: String,
    /// The hint as it is now; absent when it was deleted or nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<wire::Hint>,
}

/// Accepts.
pub struct AcceptProposal;

/// Drops.
pub struct DropProposal;

impl Op for AcceptProposal {
    const NAME: &'static str = "accept_proposal";
    const ALIASES: &'static [&'static str] = &["nudge.accept_proposal"];
    const TITLE: &'static str = "Accept proposal";
    const DOC: &'static str = "Make a change that an agent proposed. It becomes the person's statement.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = DecideParams;
    type Answer = DecisionAnswer;

    fn run(ctx: &OpContext<'_>, params: DecideParams) -> Result<DecisionAnswer, Fault> {
        let proposal = waiting(ctx, params.id)?;
        let hint = hints::carry_out(ctx, &proposal)?;
        decide(ctx, proposal, State::Accepted, hint)
    }

    fn for_repeat(answer: DecisionAnswer) -> DecisionAnswer {
        DecisionAnswer { hint: answer.hint.map(wire::Hint::without_secret), ..answer }
    }
}

impl Op for DropProposal {
    const NAME: &'static str = "drop_proposal";
    const ALIASES: &'static [&'static str] = &["nudge.drop_proposal"];
    const TITLE: &'static str = "Drop proposal";
    const DOC: &'static str =
        "Turn down a change that an agent proposed. The same change does not come back.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = DecideParams;
    type Answer = DecisionAnswer;

    fn run(ctx: &OpContext<'_>, params: DecideParams) -> Result<DecisionAnswer, Fault> {
        let proposal = waiting(ctx, params.id)?;
        decide(ctx, proposal, State::Dropped, None)
    }
}

fn waiting(ctx: &OpContext<'_>, id: i64) -> Result<Proposal, Fault> {
    let proposal = proposals::by_id(ctx.store(), id)?;
    let decided = match proposal.content.state {
        State::Waiting => return Ok(proposal),
        State::Accepted => "accepted",
        State::Dropped => "dropped",
    };
    Err(Fault::invalid("decided", format!("proposal {id} is {decided} already"))
        .next("`nudge review` lists those that wait; `nudge undo` takes an accepted change back"))
}

fn decide(
    ctx: &OpContext<'_>,
    proposal: Proposal,
    state: State,
    hint: Option<wire::Hint>,
) -> Result<DecisionAnswer, Fault> {
    let by = ctx.provenance()?;
    proposals::set_state(ctx.writer()?, &proposal, state, &by, ctx.now())?;
    let content = proposal.content;
    Ok(DecisionAnswer { id: proposal.id.0, state, component: content.component, key: content.key, hint })
}
