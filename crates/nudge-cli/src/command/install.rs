//! `nudge install`: puts Nudge into the agents of this machine, so that it works from the next session on.

mod by_hand;
mod daemon;
mod history;

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_home::settings::DEFAULT_PORT;

use crate::agent_above::refuse_agents;
use crate::confirm::{self, Answer};
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::page::{self, Found};
use crate::registration::{Agent, Detected, Place, Plan, apply, safe_program};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without agents, Nudge goes into every agent that is found on this machine. It
shows what changes and asks first. `nudge uninstall` puts every file back.
Nudge never approves or trusts itself: Codex asks you to trust its hooks.")]
pub(crate) struct InstallArgs {
    /// Agents to put Nudge into [default: all that are found]
    agents: Vec<Agent>,
    /// Only for the project you stand in
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Register the hooks alone, not the MCP server
    #[arg(long)]
    no_mcp: bool,
    /// Register the MCP server over HTTP instead of standard input and output; implies --daemon
    #[arg(long, conflicts_with = "no_mcp")]
    http: bool,
    /// Start a server in the background, and wait until it answers
    #[arg(long)]
    daemon: bool,
    /// Import the last 30 days of the agents' own transcripts, without asking
    #[arg(long, conflicts_with = "no_import")]
    import: bool,
    /// Import nothing, without asking
    #[arg(long)]
    no_import: bool,
}

impl InstallArgs {
    /// Plans every change, shows it, asks, and writes all of it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let (by_hand, able): (Vec<Agent>, Vec<Agent>) =
            self.agents.iter().partition(|agent| agent.0.installer().is_none());
        if !by_hand.is_empty() && able.is_empty() {
            return by_hand::run(invocation, &by_hand);
        }
        if !self.dry_run {
            refuse_agents("nudge install")?;
        }
        let place = self.place(invocation)?;
        safe_program::check(std::path::Path::new(&place.program))?;
        let found = self.found(&place)?;
        self.check_http(&found)?;
        let agents: Vec<Agent> = found.iter().map(|(agent, _)| *agent).collect();
        let plan = Plan::install(&place, &agents, !self.no_mcp)?;
        if self.dry_run {
            invocation.output.answer(&page::to_json(&plan, &place, &found, false), |page| {
                page::differences(page, &plan, false);
                page::planned(page, &plan, &found);
                page.end().text("Nothing was changed.").end();
            });
            return Ok(Exit::Ok);
        }
        if !plan.is_empty() {
            let show = |page: &mut Page| {
                page::differences(page, &plan, true);
                page::planned(page, &plan, &found);
            };
            if !self.yes && !confirm::agreed(invocation, "Make these changes?", show)? {
                return Ok(confirm::declined(invocation));
            }
            if self.http {
                // Agents read it where it lies, and one of them does not start without it.
                place.home.secure_run_dir()?;
                nudge_client::token::ensure(&place.home)?;
            }
            apply::install(&plan, &place)?;
        }
        let answer = page::to_json(&plan, &place, &found, true);
        invocation.output.answer(&answer, |page| {
            installed(page, &plan, &found, self.project);
            by_hand::steps(page, &by_hand, &place);
        });
        if self.daemon || self.http {
            daemon::start(invocation, &place.home)?;
        }
        if self.wants_history(invocation, &plan) {
            history::import(invocation, &agents)?;
        }
        Ok(Exit::Ok)
    }

    fn place(&self, invocation: &Invocation) -> Result<Place, Fault> {
        let mut place = Place::find(invocation.home()?)?;
        if self.project {
            place = place.in_project_of(&working_directory())?;
        }
        if self.http {
            let recorded = nudge_client::status::status(&place.home).port;
            let port = invocation.globals.port.or(recorded).unwrap_or(DEFAULT_PORT);
            place = place.with_url(format!("http://127.0.0.1:{port}/mcp"));
        }
        Ok(place)
    }

    /// The agents that are meant.
    fn found(&self, place: &Place) -> Result<Found, Fault> {
        let all =
            Agent::installable().map(|(agent, installer)| (agent, Detected::of(agent, installer, place)));
        let found: Found = if self.agents.is_empty() {
            all.filter(|(_, detected)| detected.is_there()).collect()
        } else {
            all.filter(|(agent, _)| self.agents.contains(agent)).collect()
        };
        if found.is_empty() {
            let names: Vec<&str> = Agent::installable().map(|(agent, _)| agent.name()).collect();
            return Err(Fault::new(
                FaultKind::NotFound,
                "no_agent",
                format!("no agent was found on this machine; looked for {}", names.join(", ")),
            )
            .next("name the agent to install into it all the same: `nudge install claude`"));
        }
        Ok(found)
    }

    /// An agent that can take a token only where others may read it is not given one.
    fn check_http(&self, found: &Found) -> Result<(), Fault> {
        let barred = found
            .iter()
            .find_map(|(agent, _)| Some((*agent, agent.0.installer()?.no_http?)).filter(|_| self.http));
        match barred {
            None => Ok(()),
            Some((agent, why)) => Err(Fault::invalid("no_http", why).next(format!(
                "leave --http out for {}: `nudge install {}`",
                agent.title(),
                agent.name()
            ))),
        }
    }

    fn wants_history(&self, invocation: &Invocation, plan: &Plan) -> bool {
        if self.import || self.no_import || self.yes || plan.is_empty() {
            return self.import;
        }
        let question = "Import the last 30 days of these agents' own transcripts? It stays on this machine.";
        confirm::ask(invocation, question) == Answer::Yes
    }
}

fn installed(page: &mut Page, plan: &Plan, found: &Found, is_for_project: bool) {
    let titles: Vec<&str> = found.iter().map(|(agent, _)| agent.title()).collect();
    let titles = titles.join(", ");
    if plan.is_empty() {
        page.good("✔").text(format!(" Nudge is in {titles} already; nothing to change")).end();
    } else {
        page.good("✔").text(format!(" Nudge is in {titles} now")).end();
    }
    page::done(page, plan, found);
    if plan.is_empty() {
        return;
    }
    page.end();
    for (agent, _) in found {
        if let Some(afterwards) = agent.0.installer().and_then(|installer| installer.afterwards) {
            page.warning("to do").text(format!("  {afterwards}")).end();
        }
    }
    if is_for_project {
        page.warning("note")
            .text("  These files hold paths of this machine: keep them out of commits.")
            .end();
    }
    page.text("Start a new session: those that run now go on as they are.").end();
    page.text("`nudge doctor` checks that it works; `nudge uninstall` takes it out again.").end();
}
