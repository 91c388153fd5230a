//! `nudge review`: the user decides on proposals.

mod ask;
pub(super) mod page;

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use nudge_core::Fault;
use nudge_memory::review::{
    AcceptParams, AcceptProposal, DecideParams, DecisionAnswer, DropProposal, ListProposals, ProposalsParams,
};
use serde_json::{Value, json};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// Include decided, replaced and expired proposals
    #[arg(long = "inactive", alias = "all")]
    all: bool,
    /// List the proposals, and do not ask about each
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Accept proposals; they become your own statements
    Accept {
        /// Proposal ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
        /// New text for the statement; only with one proposal
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Reject proposals; they do not come back
    Drop {
        /// Proposal ids
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
}

impl ReviewArgs {
    /// Lists the waiting proposals, decides on the named ones, or asks about each one in a
    /// terminal.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents(UserOnly::Review)?;
        match self.verb {
            Some(Verb::Accept { ids, text: Some(_) }) if ids.len() > 1 => {
                Err(Failure::Usage("--text needs exactly one proposal".to_owned()))
            }
            Some(Verb::Accept { ids, text }) => {
                decide_all(invocation, &ids, |id| accept(invocation, id, text.clone()))
            }
            Some(Verb::Drop { ids }) => decide_all(invocation, &ids, |id| drop_one(invocation, id)),
            None => self.list_or_ask(invocation),
        }
    }

    fn list_or_ask(&self, invocation: &Invocation) -> Result<Exit, Failure> {
        let answer = invocation.call::<ListProposals>(&ProposalsParams { all: self.all }, here())?;
        let typed = answer.typed()?;
        let asks = !self.all && !self.list && !invocation.output.is_json() && is_interactive();
        if !asks || typed.proposals.is_empty() {
            return invocation.show(&answer, page::list);
        }
        ask::each(invocation, &typed.proposals)
    }
}

fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

fn accept(invocation: &Invocation, id: i64, text: Option<String>) -> Result<Value, Fault> {
    Ok(invocation.call::<AcceptProposal>(&AcceptParams { id, text }, here())?.json)
}

fn drop_one(invocation: &Invocation, id: i64) -> Result<Value, Fault> {
    Ok(invocation.call::<DropProposal>(&DecideParams { id }, here())?.json)
}

/// Decides on each proposal. A failure is reported, and the others are still decided.
fn decide_all(
    invocation: &Invocation,
    ids: &[i64],
    decide: impl Fn(i64) -> Result<Value, Fault>,
) -> Result<Exit, Failure> {
    let mut answers: Vec<Value> = Vec::new();
    let mut failed: Option<Fault> = None;
    for id in ids {
        match decide(*id) {
            Ok(answer) => answers.push(answer),
            Err(fault) if ids.len() == 1 => return Err(fault.into()),
            Err(fault) => {
                answers.push(json!({"id": id, "error": fault.to_json()}));
                failed = Some(fault);
            }
        }
    }
    let all = json!({"decided": answers});
    invocation.output.answer(&all, |page| {
        for answer in &answers {
            match serde_json::from_value::<DecisionAnswer>(answer.clone()) {
                Ok(decision) => page::decided(page, &decision),
                Err(_) => {
                    let why = answer["error"]["message"].as_str().unwrap_or_default();
                    page.bad("error:").text(format!(" {}: {why}", answer["id"])).end();
                }
            }
        }
    });
    Ok(failed.map_or(Exit::Ok, |fault| Exit::of(&fault)))
}
