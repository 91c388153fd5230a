//! `nudge review`: the person decides on what was proposed.

mod ask;
mod key;
pub(super) mod page;

use std::io::IsTerminal;

use clap::{Args, Subcommand};
use nudge_core::{Context, Fault};
use nudge_home::surroundings;
use nudge_memory::review::{AcceptParams, DecideParams, DecisionAnswer, ProposalsAnswer, ProposalsParams};
use serde_json::{Value, json};

use crate::agent_above::refuse_agents;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// List those that are decided, replaced or expired, too
    #[arg(long)]
    all: bool,
    /// List and do not ask
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Accept these; they become your own statements
    Accept {
        /// Numbers of proposals
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
        /// Other words for the one statement that is named
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
    },
    /// Turn these down; they do not come back
    Drop {
        /// Numbers of proposals
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
}

impl ReviewArgs {
    /// Lists what waits, decides on what is named, or asks about each in a terminal.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        refuse_agents("nudge review")?;
        match self.verb {
            Some(Verb::Accept { ids, text: Some(_) }) if ids.len() > 1 => {
                Err(Failure::Usage("--text goes with one proposal".to_owned()))
            }
            Some(Verb::Accept { ids, text }) => {
                decide_all(invocation, &ids, |id| accept(invocation, id, text.clone()))
            }
            Some(Verb::Drop { ids }) => decide_all(invocation, &ids, |id| drop_one(invocation, id)),
            None => self.look(invocation),
        }
    }

    fn look(&self, invocation: &Invocation) -> Result<Exit, Failure> {
        let answer = invocation.call("list_proposals", &ProposalsParams { all: self.all }, here())?;
        let typed: ProposalsAnswer = invocation.typed(&answer)?;
        let asks = !self.all && !self.list && !invocation.output.is_json() && is_attended();
        if !asks || typed.proposals.is_empty() {
            return invocation.show::<ProposalsAnswer>(&answer, page::list);
        }
        ask::each(invocation, &typed.proposals)
    }
}

/// Where the person stands: what was said in a private project is shown in it alone.
fn here() -> Context {
    surroundings::here(&working_directory())
}

fn is_attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

fn accept(invocation: &Invocation, id: i64, text: Option<String>) -> Result<Value, Fault> {
    invocation.call("accept_proposal", &AcceptParams { id, text }, here())
}

fn drop_one(invocation: &Invocation, id: i64) -> Result<Value, Fault> {
    invocation.call("drop_proposal", &DecideParams { id }, here())
}

/// Decides on each; what fails is said, and the others are decided all the same.
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
    Ok(if failed.is_some() { Exit::Failed } else { Exit::Ok })
}
