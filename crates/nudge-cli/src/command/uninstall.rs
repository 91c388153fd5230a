//! `nudge uninstall`: takes Nudge out of agents, and with `--purge` its memory, too.

mod purge;
mod server;

use std::path::PathBuf;

use clap::Args;
use nudge_core::Fault;
use serde_json::json;

use crate::agent_above::refuse_agents;
use crate::confirm;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::page::{self, Found};
use crate::registration::{Agent, Detected, Ledger, Place, Plan, SettingsFile, Target, apply};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
A file that nobody changed since is restored byte for byte. Where something else
changed it, only what is Nudge's is taken out. The memory stays unless --purge
is given.")]
pub(crate) struct UninstallArgs {
    /// Agents to take Nudge out of [default: all that it is in]
    agents: Vec<Agent>,
    /// Only for the project you stand in
    #[arg(long)]
    project: bool,
    /// Delete the memory, too: everything that Nudge ever stored
    #[arg(long, conflicts_with = "project")]
    purge: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
}

impl UninstallArgs {
    /// Restores what nobody changed since; takes our entries out of the rest.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if !self.dry_run {
            refuse_agents("nudge uninstall")?;
        }
        let place = self.place(invocation)?;
        let ledger = Ledger::read(&place.home)?;
        let found = self.found(&place, &ledger);
        let agents: Vec<Agent> = found.iter().map(|(agent, _)| *agent).collect();
        let staying = left(&ledger, &agents);
        if self.purge && !staying.is_empty() {
            let why =
                format!("--purge would take the memory from {}, which Nudge stays in", staying.join(", "));
            return Err(Fault::invalid("still_installed", why).next("leave out the names of agents").into());
        }
        let plan = Plan::uninstall(&place, &ledger, &agents)?;
        let doomed = if self.purge { purge::found(&place.home) } else { Vec::new() };
        if self.dry_run {
            invocation.output.answer(&self.answer(&plan, &place, &found, &doomed), |page| {
                page::differences(page, &plan, false);
                page::planned(page, &plan, &found);
                purge::planned(page, &doomed);
                page.end().text("Nothing was changed.").end();
            });
            return Ok(Exit::Ok);
        }
        let is_work = !plan.is_empty() || !doomed.is_empty();
        let question =
            if self.purge { "Do this, and delete the memory for good?" } else { "Make these changes?" };
        let show = |page: &mut Page| {
            page::differences(page, &plan, true);
            page::planned(page, &plan, &found);
            purge::planned(page, &doomed);
        };
        if is_work && !self.yes && !confirm::agreed(invocation, question, show)? {
            return Ok(confirm::declined(invocation));
        }
        let leaves = place.project.is_none() && staying.is_empty();
        if leaves || self.purge {
            server::stop(&place.home, self.purge);
        }
        apply::uninstall(&plan, &place)?;
        if self.purge {
            purge::run(&place.home, &ledger)?;
        }
        invocation.output.answer(&self.answer(&plan, &place, &found, &doomed), |page| {
            uninstalled(page, &plan, &found, self.purge);
            for agent in self.agents.iter().filter(|agent| agent.0.installer().is_none()) {
                page.text(format!(
                    "Nudge was put into {} by hand: take out what `nudge install {}` lists.",
                    agent.title(),
                    agent.name()
                ));
                page.end();
            }
        });
        Ok(Exit::Ok)
    }

    fn place(&self, invocation: &Invocation) -> Result<Place, Fault> {
        let place = Place::find(invocation.home()?)?;
        if !self.project {
            return Ok(place);
        }
        place.in_project_of(&working_directory())
    }

    /// The agents that are meant: those that are named, or else those that have anything of ours.
    fn found(&self, place: &Place, ledger: &Ledger) -> Found {
        let is_meant = |agent: Agent, installer| {
            if !self.agents.is_empty() {
                return self.agents.contains(&agent);
            }
            ledger.agents().contains(agent.name())
                || Target::of_agent(place, agent, installer).iter().any(|target| has_ours(target, place))
        };
        let meant = Agent::installable().filter(|(agent, installer)| is_meant(*agent, installer));
        meant.map(|(agent, installer)| (agent, Detected::of(agent, installer, place))).collect()
    }

    fn answer(&self, plan: &Plan, place: &Place, found: &Found, doomed: &[PathBuf]) -> serde_json::Value {
        let mut answer = page::to_json(plan, place, found, !self.dry_run);
        answer["purged"] = json!(self.purge && !self.dry_run);
        if self.purge {
            answer["memory"] = json!(doomed);
        }
        answer
    }
}

fn has_ours(target: &Target, place: &Place) -> bool {
    let Ok(file) = SettingsFile::read(target.path()) else { return false };
    file.text().is_some_and(|text| target.without(text, place).is_ok_and(|rest| rest != text))
}

/// The agents that something of ours stays in.
fn left<'a>(ledger: &'a Ledger, leaving: &[Agent]) -> Vec<&'a str> {
    let is_leaving = |name: &&str| leaving.iter().any(|agent| agent.name() == *name);
    ledger.agents().into_iter().filter(|name| !is_leaving(name)).collect()
}

fn uninstalled(page: &mut Page, plan: &Plan, found: &Found, purged: bool) {
    let titles: Vec<&str> = found.iter().map(|(agent, _)| agent.title()).collect();
    if plan.is_empty() {
        page.good("✔").text(" Nudge is in no agent; nothing to change").end();
    } else {
        page.good("✔").text(format!(" Nudge is out of {}", titles.join(", "))).end();
    }
    page::done(page, plan, found);
    if purged {
        page.end()
            .text("The memory is deleted. Sessions that still run may write to it again: end them.")
            .end();
    } else if !plan.is_empty() {
        page.end().text("The memory stays where it is; `nudge uninstall --purge` deletes it.").end();
    }
}
