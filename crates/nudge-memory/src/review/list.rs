//! `list_proposals`: what waits for the person.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::{self, ProposalView};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::statements::proposals::{self, Proposal, State};

/// Which proposals to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposalsParams {
    /// Those that are decided, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// The proposals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalsAnswer {
    /// Newest first.
    pub proposals: Vec<ProposalView>,
}

/// The operation.
pub struct ListProposals;

impl Op for ListProposals {
    const NAME: &'static str = "list_proposals";
    const ALIASES: &'static [&'static str] = &["nudge.list_proposals", "review"];
    const TITLE: &'static str = "List proposals";
    const DOC: &'static str = "List what waits for the person: changes that agents proposed, and what the person said that seems meant to hold.";
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
