//! `list_proposals`: the proposals that wait for the user.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{self, ProposalView};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::proposals::{self, Proposal, State};

/// Parameters of `list_proposals`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalsParams {
    /// Include proposals that are already decided.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Answer of `list_proposals`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalsAnswer {
    /// Proposals, newest first.
    pub proposals: Vec<ProposalView>,
}

/// The `list_proposals` operation.
pub struct ListProposals;

impl Op for ListProposals {
    const NAME: &'static str = "list_proposals";
    const ALIASES: &'static [&'static str] = &["nudge.list_proposals", "review"];
    const TITLE: &'static str = "List proposals";
    const DOC: &'static str = "List proposals that wait for the user: changes that agents proposed, and \
        things the user said that seem meant to last.";
    const REFERENCE: &'static str = "List proposals that wait for the user's decision: changes that agents \
        proposed, and things the user said that seem meant to last.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ProposalsParams;
    type Answer = ProposalsAnswer;

    fn run(ctx: &OpContext<'_>, params: ProposalsParams) -> Result<ProposalsAnswer, Fault> {
        let wanted = |proposal: &Proposal| params.all || proposal.content.state == State::Waiting;
        let mut found = Vec::new();
        for proposal in proposals::all(ctx.store())?.into_iter().filter(wanted) {
            found.extend(view::of(ctx, proposal)?);
        }
        Ok(ProposalsAnswer { proposals: found })
    }
}
