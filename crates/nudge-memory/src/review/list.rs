//! `list_proposals`: what waits for the person.

use nudge_core::{EntryPath, Fault, Scope, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hints::wire;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::statements::proposals::{self, Action, Proposal, State};
use crate::statements::stated_by;

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

/// One proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProposalView {
    /// Its number.
    pub id: i64,
    /// `edit`.
    pub kind: String,
    /// Whether to set or to delete.
    pub action: Action,
    /// Where it stands.
    pub state: State,
    /// The component of the hint.
    pub component: String,
    /// Its key.
    pub key: String,
    /// When the hint applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<wire::Scope>,
    /// What it would say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The reason that the agent gives for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it would live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<String>,
    /// What it says now; absent when there is no such hint, or when it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Who stated what it says now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_stated_by: Option<String>,
    /// Who proposed it, and where.
    pub proposed_by: String,
    /// The agent's program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The agent's session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why it was not done at once.
    pub why: String,
    /// How often it was proposed.
    pub times: i64,
    /// When first.
    pub first_at: String,
    /// When last.
    pub last_at: String,
}

/// The operation.
pub struct ListProposals;

impl Op for ListProposals {
    const NAME: &'static str = "list_proposals";
    const ALIASES: &'static [&'static str] = &["nudge.list_proposals", "review"];
    const TITLE: &'static str = "List proposals";
    const DOC: &'static str = "List the changes that agents proposed and that wait for the person.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ProposalsParams;
    type Answer = ProposalsAnswer;

    fn run(ctx: &OpContext<'_>, params: ProposalsParams) -> Result<ProposalsAnswer, Fault> {
        let wanted = |proposal: &Proposal| params.all || proposal.content.state == State::Waiting;
        let mut found = Vec::new();
        for proposal in proposals::all(ctx.store())?.into_iter().filter(wanted) {
            found.extend(open_view(ctx, proposal)?);
        }
        Ok(ProposalsAnswer { proposals: found })
    }
}

/// A proposal beside what is stored now; `None` where either belongs to a private project that the person stands
/// outside of.
fn open_view(ctx: &OpContext<'_>, proposal: Proposal) -> Result<Option<ProposalView>, Fault> {
    let content = proposal.content;
    let target = EntryPath::parse(&content.target).ok();
    let standing = match &target {
        Some(path) => ctx.store().entry(&Scope::Global, path)?,
        None => None,
    };
    let from = [Some(&proposal.by), standing.as_ref().map(|entry| &entry.writer)];
    for key in from.into_iter().flatten().filter_map(|from| from.project.as_deref()) {
        if projects::closes(ctx.store(), ctx.caller, key)? {
            return Ok(None);
        }
    }
    let meta = content.meta.clone().and_then(|meta| wire::Meta::from_stored(meta).ok()).unwrap_or_default();
    let secret = standing.as_ref().is_some_and(|entry| marked_secret(&entry.attributes));
    Ok(Some(ProposalView {
        id: proposal.id.0,
        kind: content.kind,
        action: content.action,
        state: content.state,
        component: content.component,
        key: content.key,
        scope: meta.scope,
        reason: meta.reason,
        ttl: meta.ttl,
        value: content.value,
        current_stated_by: standing
            .as_ref()
            .map(|entry| stated_by(ctx.store(), &entry.writer))
            .transpose()?,
        current: standing.filter(|_| !secret).map(|entry| entry.body),
        proposed_by: stated_by(ctx.store(), &proposal.by)?,
        client: proposal.by.client,
        session: proposal.by.session,
        why: content.why,
        times: content.times,
        first_at: proposal.first_at.to_string(),
        last_at: proposal.last_at.to_string(),
    }))
}

fn marked_secret(attributes: &Map<String, Value>) -> bool {
    attributes.get("meta").and_then(|meta| meta.get("sensitivity")).is_some_and(|said| said == "secret")
}
