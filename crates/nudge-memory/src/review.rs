//! Review: the user decides on proposals.

mod view;

use nudge_core::{EntryId, Fault, FaultKind, Scope, Tier};
use nudge_store::Reader;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::caller::{Caller, Surface};
use crate::changes;
use crate::hints::{self, wire};
use crate::operation::{Effect, Op, OpContext, Operation};
use crate::statements::proposals::{self, CommandWanted, Proposal, ProposalNote, ProposalSubject, State};
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
    /// Other words for a statement, another text for a file, another command, or other arguments
    /// for a call. Default: as it was said or proposed.
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
    /// Kind: `edit`, `statement`, `routine`, `file` or `command`.
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
    /// The text of a statement, the command, or the call.
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
        let proposal = reworded(open(ctx, params.id)?, params.text.as_deref())?;
        let mut answer = decision(&proposal, State::Accepted);
        let made = match &proposal.content.matter {
            // Whoever asked for it runs it, once.
            ProposalSubject::Command(_) => None,
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
        (_, ProposalSubject::Entry(_) | ProposalSubject::Command(_)) => Ok(false),
        (State::Dropped, _) => Ok(true),
        (State::Accepted, ProposalSubject::Statement(words) | ProposalSubject::Routine(words)) => {
            let Some(id) = words.successor else { return Ok(false) };
            let made = statements::by_id(ctx.store(), EntryId(id))?;
            Ok(made.is_none_or(|made| made.stated.state == StatementState::Forgotten))
        }
        _ => Ok(false),
    }
}

/// The proposal with what the user wants instead: another text for a file, or another command. A
/// statement gets its words when it is made.
fn reworded(mut proposal: Proposal, text: Option<&str>) -> Result<Proposal, Fault> {
    let Some(text) = text else { return Ok(proposal) };
    match &mut proposal.content.matter {
        ProposalSubject::Statement(_) | ProposalSubject::Routine(_) => {}
        ProposalSubject::Entry(change) if change.root.is_some() && change.body.is_some() => {
            change.body = Some(text.to_owned());
        }
        ProposalSubject::Command(wanted) if !text.trim().is_empty() => {
            wanted.command = match &wanted.tool {
                Some(tool) => arguments(text, tool)?,
                None => text.trim().to_owned(),
            };
            proposal.body = wanted.sentence();
        }
        _ => return Err(no_words(proposal.id.0)),
    }
    Ok(proposal)
}

/// Other arguments for a call of a plugin, as one object of JSON. The tool may stand before them,
/// as it is shown.
fn arguments(text: &str, tool: &str) -> Result<String, Fault> {
    let text = text.trim();
    let text = text.strip_prefix(tool).unwrap_or(text).trim();
    let read = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text);
    read.map(|arguments| serde_json::Value::Object(arguments).to_string()).map_err(|error| {
        let why = format!("the arguments of {tool} are no object of JSON: {error}");
        Fault::invalid("text", why).with("field", "text").next("write them as in {\"name\": \"value\"}")
    })
}

// Decisions on what a run proposed. The run waits for them.

/// How a proposal of a run stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its state.
    pub state: State,
    /// For a command: what is to be run. For a call of a plugin: its arguments.
    pub command: Option<String>,
    /// For a call of a plugin: its tool.
    pub tool: Option<String>,
}

/// How a proposal of a run stands. One that is gone counts as dropped.
pub fn decision_on(reader: &Reader<'_>, id: i64) -> Result<Decision, Fault> {
    let proposal = match proposals::by_id(reader, id) {
        Ok(proposal) => proposal,
        Err(fault) if fault.kind == FaultKind::NotFound => {
            return Ok(Decision { state: State::Dropped, command: None, tool: None });
        }
        Err(fault) => return Err(fault),
    };
    let (command, tool) = match proposal.content.matter {
        ProposalSubject::Command(wanted) => (Some(wanted.command), wanted.tool),
        _ => (None, None),
    };
    Ok(Decision { state: proposal.content.state, command, tool })
}

/// A command that a run waits to run, or a call of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOfRun<'a> {
    /// What the shell is given. For a call: its arguments, a JSON object.
    pub command: &'a str,
    /// The plugin's tool that is called.
    pub tool: Option<&'a str>,
    /// The root of its project.
    pub root: &'a str,
    /// The name of the run.
    pub run: &'a str,
    /// The rights it needs beside those of every command.
    pub rights: &'a [String],
    /// What keeps it in, in one sentence.
    pub sandbox: &'a str,
}

/// Proposes a command or a call of a run to the user.
pub fn propose_command(
    ctx: &OpContext<'_>,
    project: Scope,
    command: CommandOfRun<'_>,
) -> Result<ProposalNote, Fault> {
    let wanted = CommandWanted {
        command: command.command.to_owned(),
        tool: command.tool.map(str::to_owned),
        root: command.root.to_owned(),
        run: command.run.to_owned(),
        rights: command.rights.to_vec(),
        sandbox: command.sandbox.to_owned(),
    };
    let why = match command.tool {
        Some(_) => "a run asks before a plugin may change anything",
        None => "a run asks before it runs a command",
    };
    let why = why.to_owned();
    proposals::make_for_command(ctx, project, wanted, why)
}

/// Accepts what a run proposed in the user's name, because the user allowed this kind for the run.
pub fn accept_as_allowed(ctx: &OpContext<'_>, id: i64) -> Result<DecisionAnswer, Fault> {
    let user = Caller { surface: Surface::Cli, ..ctx.caller.clone() };
    AcceptProposal::run(&ctx.as_caller(&user), AcceptParams { id, text: None })
}

/// Takes back what a run proposed and no longer waits for. It may propose the same again.
pub fn withdraw(ctx: &OpContext<'_>, id: i64) -> Result<(), Fault> {
    let proposal = proposals::by_id(ctx.store(), id)?;
    if proposal.content.state != State::Waiting {
        return Ok(());
    }
    let (writer, by) = (ctx.writer()?, proposal.by.clone());
    proposals::set_state(writer, &proposal, State::Replaced, None, &by, ctx.now())
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
        None if matches!(proposal.content.matter, ProposalSubject::Command(_)) => {
            "what a run has done cannot be taken back".to_owned()
        }
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
        _ => None,
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
        text: match matter {
            ProposalSubject::Command(wanted) => Some(wanted.line()),
            _ => matter.words().map(|_| proposal.body.clone()),
        },
        statement: None,
        replaced: Vec::new(),
    }
}

fn no_words(id: i64) -> Fault {
    let why = format!("proposal {id} has no text that could be replaced");
    Fault::invalid("text", why)
        .with("field", "text")
        .next("accept it as it is, or drop it and use `nudge set`")
}
