//! Review: the user decides on proposals.

mod view;

use nudge_core::{EntryId, Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::changes;
use crate::hints::{self, wire};
use crate::operation::{Effect, Op, OpContext, Operation};
use crate::statements::proposals::{self, Proposal, ProposalSubject, State};
use crate::statements::{self, Contradicted, StatementState, StatementView};

pub use view::{ProposalView, SayingView};

/// The operations on proposals.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<ListProposals>(),
    Operation::of::<AcceptProposal>(),
    Operation::of::<DropProposal>(),
    Operation::of::<ReopenProposal>(),
];

// `list_proposals`: the proposals that wait for the user.

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
    const ALIASES: &'static [&'static str] = &["review"];
    const TITLE: &'static str = "List proposals";
    const DOC: &'static str = "List proposals that wait for the user: changes that agents proposed, and \
        things the user said that seem meant to last.";
    const REFERENCE: &'static str = "List proposals that wait for the user's decision: changes that agents \
        proposed, and things the user said that seem meant to last.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
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

// `accept_proposal` and `drop_proposal`: the user's decision.

/// Parameters of `accept_proposal`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptParams {
    /// Id of the proposal.
    pub id: i64,
    /// Other words for a statement. Default: as it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Parameters of `drop_proposal` and `reopen_proposal`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideParams {
    /// Id of the proposal.
    pub id: i64,
}

/// Answer of `accept_proposal`, `drop_proposal` and `reopen_proposal`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct DecisionAnswer {
    /// Id of the proposal.
    pub id: i64,
    /// Kind: `edit`, `statement`, `routine` or `file`.
    pub kind: String,
    /// `accepted` or `dropped`; `waiting` if it was reopened.
    pub state: State,
    /// The path of the entry or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The component of the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// The key of the hint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The hint as it is now; absent if it was deleted or nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<wire::Hint>,
    /// The proposed text of a statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The statement as it is now; absent if nothing changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<StatementView>,
    /// Statements that it replaced.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Contradicted>,
}

/// The `accept_proposal` operation.
pub struct AcceptProposal;

/// The `drop_proposal` operation.
pub struct DropProposal;

impl Op for AcceptProposal {
    const NAME: &'static str = "accept_proposal";
    const TITLE: &'static str = "Accept proposal";
    const DOC: &'static str = "Accept a proposal. It becomes the user's statement.";
    const REFERENCE: &'static str = "Accept a proposal. The change is made, and counts as stated by the \
        user.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    type Params = AcceptParams;
    type Answer = DecisionAnswer;

    fn run(ctx: &OpContext<'_>, params: AcceptParams) -> Result<DecisionAnswer, Fault> {
        let proposal = open(ctx, params.id)?;
        let mut answer = decision(&proposal, State::Accepted);
        let made = match &proposal.content.matter {
            ProposalSubject::Edit(_) | ProposalSubject::Entry(_) if params.text.is_some() => {
                return Err(no_words(params.id));
            }
            ProposalSubject::Entry(change) => {
                changes::carry_out(ctx, &proposal, change)?;
                None
            }
            ProposalSubject::Edit(edit) => {
                answer.hint = hints::carry_out(ctx, &proposal, edit)?;
                None
            }
            ProposalSubject::Statement(words) | ProposalSubject::Routine(words) => {
                let made = view::accept_statement(ctx, &proposal, words, params.text.as_deref())?;
                let id = made.statement.id;
                (answer.statement, answer.replaced) = (Some(made.statement), made.replaced);
                Some(id)
            }
        };
        let by = ctx.provenance()?;
        proposals::set_state(ctx.writer()?, &proposal, State::Accepted, made, &by, ctx.now())?;
        Ok(answer)
    }

    fn for_repeat(answer: DecisionAnswer) -> DecisionAnswer {
        DecisionAnswer { hint: answer.hint.map(wire::Hint::without_secret), ..answer }
    }
}

impl Op for DropProposal {
    const NAME: &'static str = "drop_proposal";
    const TITLE: &'static str = "Drop proposal";
    const DOC: &'static str = "Drop a proposal. It is not proposed again.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = DecideParams;
    type Answer = DecisionAnswer;

    fn run(ctx: &OpContext<'_>, params: DecideParams) -> Result<DecisionAnswer, Fault> {
        let proposal = open(ctx, params.id)?;
        let (writer, by) = (ctx.writer()?, ctx.provenance()?);
        proposals::set_state(writer, &proposal, State::Dropped, None, &by, ctx.now())?;
        proposals::bring_back(writer, &proposal, ctx.now())?;
        Ok(decision(&proposal, State::Dropped))
    }
}

/// The `reopen_proposal` operation.
pub struct ReopenProposal;

impl Op for ReopenProposal {
    const NAME: &'static str = "reopen_proposal";
    const TITLE: &'static str = "Reopen proposal";
    const DOC: &'static str = "Let a dropped proposal wait again.";
    const REFERENCE: &'static str = "Let a proposal wait again that was dropped, or whose statement was \
        forgotten after it was accepted. The change of a file cannot be reopened: its text is no longer \
        stored.";
    const TIER: Tier = Tier::Client;
    const CLIENTS_ONLY: bool = true;
    const EFFECT: Effect = Effect::Write;
    type Params = DecideParams;
    type Answer = DecisionAnswer;

    fn run(ctx: &OpContext<'_>, params: DecideParams) -> Result<DecisionAnswer, Fault> {
        let proposal = proposals::by_id(ctx.store(), params.id)?;
        if view::is_closed(ctx, &proposal)? {
            return Err(proposals::no_proposal(params.id));
        }
        if !is_undone(ctx, &proposal)? {
            let why = format!("proposal {} cannot wait again", params.id);
            return Err(Fault::invalid("not_undone", why).next(take_back(&proposal)));
        }
        let (writer, by) = (ctx.writer()?, ctx.provenance()?);
        proposals::set_state(writer, &proposal, State::Waiting, None, &by, ctx.now())?;
        Ok(decision(&proposal, State::Waiting))
    }
}

/// Whether nothing is left of the decision on a proposal.
fn is_undone(ctx: &OpContext<'_>, proposal: &Proposal) -> Result<bool, Fault> {
    let matter = &proposal.content.matter;
    match (proposal.content.state, matter) {
        // Its text was removed with the decision.
        (_, ProposalSubject::Entry(_)) => Ok(false),
        (State::Dropped, _) => Ok(true),
        (State::Accepted, ProposalSubject::Statement(words) | ProposalSubject::Routine(words)) => {
            let Some(id) = words.successor else { return Ok(false) };
            let made = statements::by_id(ctx.store(), EntryId(id))?;
            Ok(made.is_none_or(|made| made.stated.state == StatementState::Forgotten))
        }
        _ => Ok(false),
    }
}

/// The proposal with this number, if the user can still decide on it.
fn open(ctx: &OpContext<'_>, id: i64) -> Result<Proposal, Fault> {
    let proposal = proposals::by_id(ctx.store(), id)?;
    if view::is_closed(ctx, &proposal)? {
        return Err(proposals::no_proposal(id));
    }
    let state = proposal.content.state;
    match state {
        State::Waiting | State::Expired => Ok(proposal),
        State::Accepted | State::Dropped | State::Replaced => {
            Err(Fault::invalid("decided", format!("proposal {id} is already {}", state.name()))
                .next(take_back(&proposal)))
        }
    }
}

/// How to undo a decision.
fn take_back(proposal: &Proposal) -> String {
    let made = proposal.content.matter.words().map(|words| words.successor);
    match made {
        None => {
            "run `nudge review` to see open proposals; `nudge undo` reverts an accepted change".to_owned()
        }
        Some(Some(id)) => format!("`nudge forget {id}` removes the statement that replaced it"),
        Some(None) => "state it anyway with `nudge remember`".to_owned(),
    }
}

fn decision(proposal: &Proposal, state: State) -> DecisionAnswer {
    let matter = &proposal.content.matter;
    let edit = match matter {
        ProposalSubject::Edit(edit) => Some(edit),
        ProposalSubject::Entry(_) | ProposalSubject::Statement(_) | ProposalSubject::Routine(_) => None,
    };
    let path = match matter {
        ProposalSubject::Entry(change) => Some(change.path.clone()),
        _ => None,
    };
    DecisionAnswer {
        path,
        id: proposal.id.0,
        kind: matter.kind().to_owned(),
        state,
        component: edit.map(|edit| edit.component.clone()),
        key: edit.map(|edit| edit.key.clone()),
        hint: None,
        text: matter.words().map(|_| proposal.body.clone()),
        statement: None,
        replaced: Vec::new(),
    }
}

fn no_words(id: i64) -> Fault {
    Fault::invalid("text", format!("only statements can be reworded, and proposal {id} is none"))
        .with("field", "text")
        .next("accept it as it is, or drop it and use `nudge set`")
}
