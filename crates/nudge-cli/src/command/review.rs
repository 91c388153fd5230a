//! `nudge review`: the person decides on what agents proposed.

use std::io::{BufRead, IsTerminal};

use clap::{Args, Subcommand};
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::Value as HintValue;
use nudge_memory::review::{DecideParams, DecisionAnswer, ProposalView, ProposalsAnswer, ProposalsParams};
use nudge_memory::statements::proposals::{Action, State};
use serde_json::{Value, json};

use crate::agent_above::refuse_agents;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::hint;
use crate::pages::words::without_millis;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    verb: Option<Verb>,
    /// List those that are decided, too
    #[arg(long)]
    all: bool,
    /// List and do not ask
    #[arg(long)]
    list: bool,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make these changes; they become your own statements
    Accept {
        /// Numbers of proposals
        #[arg(required = true, value_name = "ID")]
        ids: Vec<i64>,
    },
    /// Turn these changes down; they do not come back
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
            Some(Verb::Accept { ids }) => decide_all(invocation, "accept_proposal", &ids),
            Some(Verb::Drop { ids }) => decide_all(invocation, "drop_proposal", &ids),
            None => self.look(invocation),
        }
    }

    fn look(&self, invocation: &Invocation) -> Result<Exit, Failure> {
        let answer =
            invocation.call("list_proposals", &ProposalsParams { all: self.all }, Context::unknown())?;
        let typed: ProposalsAnswer = invocation.typed(&answer)?;
        let asks = !self.all && !self.list && !invocation.output.is_json() && is_attended();
        if !asks || typed.proposals.is_empty() {
            return invocation.show::<ProposalsAnswer>(&answer, list);
        }
        ask(invocation, &typed.proposals)
    }
}

fn is_attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Decides on each; what fails is said, and the others are decided all the same.
fn decide_all(invocation: &Invocation, operation: &str, ids: &[i64]) -> Result<Exit, Failure> {
    let mut answers: Vec<Value> = Vec::new();
    let mut failed: Option<Fault> = None;
    for id in ids {
        match invocation.call(operation, &DecideParams { id: *id }, Context::unknown()) {
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
                Ok(decision) => decided(page, &decision),
                Err(_) => {
                    let why = answer["error"]["message"].as_str().unwrap_or_default();
                    page.bad("error:").text(format!(" {}: {why}", answer["id"])).end();
                }
            }
        }
    });
    Ok(if failed.is_some() { Exit::Failed } else { Exit::Ok })
}

/// One question for each proposal; anything but an answer leaves it waiting.
fn ask(invocation: &Invocation, proposals: &[ProposalView]) -> Result<Exit, Failure> {
    let mut lines = std::io::stdin().lock().lines();
    for proposal in proposals {
        invocation.output.answer(&Value::Null, |page| {
            one(page, proposal);
            page.strong("accept, drop, skip or quit?").text(" [a/d/s/q, Enter skips]").end();
        });
        let operation = match answer_in(invocation, &mut lines) {
            Answer::Accept => "accept_proposal",
            Answer::Drop => "drop_proposal",
            Answer::Skip => continue,
            Answer::Quit => break,
        };
        let answer = invocation.call(operation, &DecideParams { id: proposal.id }, Context::unknown())?;
        let typed: DecisionAnswer = invocation.typed(&answer)?;
        invocation.output.answer(&answer, |page| decided(page, &typed));
    }
    Ok(Exit::Ok)
}

/// What the person said to a proposal.
enum Answer {
    Accept,
    Drop,
    Skip,
    Quit,
}

/// Reads an answer; what is none is asked for again.
fn answer_in(invocation: &Invocation, lines: &mut impl Iterator<Item = std::io::Result<String>>) -> Answer {
    loop {
        let Some(Ok(line)) = lines.next() else { return Answer::Quit };
        match line.trim().to_lowercase().as_str() {
            "a" | "accept" | "y" | "yes" => return Answer::Accept,
            "d" | "drop" | "n" | "no" => return Answer::Drop,
            "" | "s" | "skip" => return Answer::Skip,
            "q" | "quit" => return Answer::Quit,
            _ => invocation.output.answer(&Value::Null, |page| {
                page.text("say a, d, s or q").end();
            }),
        }
    }
}

fn decided(page: &mut Page, decision: &DecisionAnswer) {
    let name = format!("{}/{}", decision.component, decision.key);
    match (decision.state, &decision.hint) {
        (State::Accepted, Some(hint)) => {
            page.good("✔").text(" accepted: ").strong(name).text(format!(" (v{})", hint.version)).end()
        }
        (State::Accepted, None) => page.good("✔").text(" accepted: deleted ").strong(name).end(),
        _ => page.good("✔").text(" dropped the change of ").strong(name).end(),
    };
}

fn list(page: &mut Page, answer: &ProposalsAnswer) {
    if answer.proposals.is_empty() {
        page.text("nothing to review: no agent proposed a change to what you stated").end();
        return;
    }
    for proposal in &answer.proposals {
        one(page, proposal);
    }
    page.faint("`nudge review accept ID` makes a change, `nudge review drop ID` turns it down").end();
}

/// What would change, beside what is there, and where it comes from.
fn one(page: &mut Page, proposal: &ProposalView) {
    let columns = page.columns();
    let verb = match proposal.action {
        Action::Set => "set",
        Action::Delete => "delete",
    };
    page.text(format!("{:>5}  {verb} ", proposal.id))
        .strong(format!("{}/{}", proposal.component, proposal.key));
    if proposal.state != State::Waiting {
        let state = if proposal.state == State::Accepted { "accepted" } else { "dropped" };
        page.text(format!(" ({state})"));
    }
    page.end();
    let mut row = |name: &str, text: &str| {
        page.text("       ").faint(format!("{name:<5}")).text(cut(text, columns, 12)).end();
    };
    match (&proposal.current, &proposal.current_stated_by) {
        (Some(current), Some(by)) => row("now", &format!("{current}  — {by}")),
        (None, Some(by)) => row("now", &format!("(secret)  — {by}")),
        _ => row("now", "(nothing)"),
    }
    if let Some(value) = &proposal.value {
        let text = HintValue::from_json(value.clone()).map_or_else(|_| value.to_string(), |v| v.0.text());
        row("new", &text);
    }
    if let Some(reason) = &proposal.reason {
        row("why", reason);
    }
    if let Some(ttl) = &proposal.ttl {
        row("ttl", ttl);
    }
    if let Some(scope) = &proposal.scope {
        row("if", &hint::conditions(scope));
    }
    let client = proposal.client.as_deref().map_or_else(String::new, |client| format!(" ({client})"));
    let times = if proposal.times > 1 { format!(", {} times", proposal.times) } else { String::new() };
    let at = without_millis(&proposal.last_at);
    row("from", &format!("{}{client}, {at}{times}", proposal.proposed_by));
}
