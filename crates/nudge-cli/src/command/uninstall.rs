//! `nudge uninstall`: removes Nudge from agents and, with `--purge`, deletes its memory.

mod purge;
mod server;

use std::path::PathBuf;

use clap::Args;
use nudge_core::Fault;
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::confirm;
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::flags::{DryRunFlag, YesFlag};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::page::{self, Found};
use crate::registration::{Agent, Detected, InstallContext, Ledger, Plan, SettingsFile, Target, apply};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A file that did not change since the install is restored byte for byte. From a
file that did change, only Nudge's entries are removed. The memory stays unless
you pass --purge.")]
pub(crate) struct UninstallArgs {
    /// Agents to remove Nudge from [default: every agent it is installed in]
    agents: Vec<Agent>,
    /// Only for the project you are in
    #[arg(long = "this-project", alias = "project")]
    project: bool,
    /// Also delete the memory: everything that Nudge stored
    #[arg(long, conflicts_with = "project")]
    purge: bool,
    #[command(flatten)]
    dry_run: DryRunFlag,
    #[command(flatten)]
    yes: YesFlag,
}

impl UninstallArgs {
    /// Restores files that nobody changed since the installation. Removes our entries from the
    /// others.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        if !self.dry_run.dry_run {
            refuse_agents(UserOnly::Uninstall)?;
        }
        let place = self.place(invocation)?;
        let ledger = Ledger::read(&place.home)?;
        let found = self.found(&place, &ledger);
        let agents: Vec<Agent> = found.iter().map(|(agent, _)| *agent).collect();
        let staying = left(&ledger, &agents);
        if self.purge && !staying.is_empty() {
            let why = format!("--purge would delete the memory that {} still uses", staying.join(", "));
            return Err(Fault::invalid("still_installed", why)
                .next("run it without agent names, to uninstall from all of them")
                .into());
        }
        let plan = Plan::uninstall(&place, &ledger, &agents)?;
        let doomed = if self.purge { purge::found(&place.home) } else { Vec::new() };
        if self.dry_run.dry_run {
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
        if is_work && !self.yes.yes && !confirm::agreed(invocation, question, show)? {
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
                    "Nudge was added to {} by hand: remove what `nudge install {}` lists.",
                    agent.title(),
                    agent.name()
                ));
                page.end();
            }
        });
        Ok(Exit::Ok)
    }

    fn place(&self, invocation: &Invocation) -> Result<InstallContext, Fault> {
        let place = InstallContext::find(invocation.home()?)?;
        if !self.project {
            return Ok(place);
        }
        place.in_project_of(&working_directory())
    }

    /// The agents to uninstall from: the named ones, or else those that have our entries.
    fn found(&self, place: &InstallContext, ledger: &Ledger) -> Found {
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

    fn answer(
        &self,
        plan: &Plan,
        place: &InstallContext,
        found: &Found,
        doomed: &[PathBuf],
    ) -> serde_json::Value {
        let mut answer = page::to_json(plan, place, found, !self.dry_run.dry_run);
        answer["purged"] = json!(self.purge && !self.dry_run.dry_run);
        if self.purge {
            answer["memory"] = json!(doomed);
        }
        answer
    }
}

fn has_ours(target: &Target, place: &InstallContext) -> bool {
    let Ok(file) = SettingsFile::read(target.path()) else { return false };
    file.text().is_some_and(|text| target.without(text, place).is_ok_and(|rest| rest != text))
}

/// The agents that keep our entries.
fn left<'a>(ledger: &'a Ledger, leaving: &[Agent]) -> Vec<&'a str> {
    let is_leaving = |name: &&str| leaving.iter().any(|agent| agent.name() == *name);
    ledger.agents().into_iter().filter(|name| !is_leaving(name)).collect()
}

fn uninstalled(page: &mut Page, plan: &Plan, found: &Found, purged: bool) {
    let titles: Vec<&str> = found.iter().map(|(agent, _)| agent.title()).collect();
    if plan.is_empty() {
        page.good("✔").text(" Nudge is not installed in any agent; nothing to change").end();
    } else {
        page.good("✔").text(format!(" removed Nudge from {}", titles.join(", "))).end();
    }
    page::done(page, plan, found);
    if purged {
        page.end().text("The memory is deleted. End running sessions: they may write to it again.").end();
    } else if !plan.is_empty() {
        page.end().text("The memory is kept; `nudge uninstall --purge` deletes it.").end();
    }
}
