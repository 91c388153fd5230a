//! `nudge install`: sets up Nudge in the agents of this machine. It works from their next session
//! on.

mod history;

use std::time::Duration;

use clap::Args;
use nudge_client::status::status;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use nudge_home::settings::DEFAULT_PORT;
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::flags::{DryRunFlag, YesFlag};
use crate::input::{self, Answer};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::page::{self, Found};
use crate::registration::{Agent, Detected, InstallContext, Plan, plan, safe_program};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Without agents, install sets up every agent it finds on this machine. It lists
the files it would change and asks first; --diff shows the changes line by line.
`nudge uninstall` restores every file. Nudge never approves or trusts itself:
Codex asks you to trust its hooks.

Examples:
  nudge install
  nudge install claude codex --dry-run
  nudge install --this-project --yes")]
pub(crate) struct InstallArgs {
    /// Agents to set up [default: every agent found]
    agents: Vec<Agent>,
    /// Only for the project you are in
    #[arg(long = "this-project", alias = "project")]
    project: bool,
    #[command(flatten)]
    dry_run: DryRunFlag,
    #[command(flatten)]
    yes: YesFlag,
    /// Show the changes line by line before asking
    #[arg(long)]
    diff: bool,
    /// Register only the hooks, not the MCP server
    #[arg(long)]
    no_mcp: bool,
    /// Register the MCP server over HTTP instead of stdio; implies --daemon
    #[arg(long, conflicts_with = "no_mcp")]
    http: bool,
    /// Start a server in the background and wait until it answers
    #[arg(long)]
    daemon: bool,
    /// Import the last 30 days of transcripts without asking
    #[arg(long, conflicts_with = "no_import")]
    import: bool,
    /// Do not import transcripts, and do not ask
    #[arg(long)]
    no_import: bool,
}

impl InstallArgs {
    /// Plans every change, shows the plan, asks, and writes all changes.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let (by_hand, able): (Vec<Agent>, Vec<Agent>) =
            self.agents.iter().partition(|agent| agent.0.installer().is_none());
        if !by_hand.is_empty() && able.is_empty() {
            return print_manual_steps(invocation, &by_hand);
        }
        if !self.dry_run.dry_run {
            refuse_agents(UserOnly::Install)?;
        }
        let place = self.place(invocation)?;
        safe_program::check(std::path::Path::new(&place.program))?;
        let found = self.found(&place)?;
        self.check_http(&found)?;
        let agents: Vec<Agent> = found.iter().map(|(agent, _)| *agent).collect();
        let plan = Plan::install(&place, &agents, !self.no_mcp)?;
        if self.dry_run.dry_run {
            invocation.output.answer(&page::to_json(&plan, &place, &found, false), |page| {
                page::differences(page, &plan, false);
                page::planned(page, &plan, &found);
                page.end().text("Nothing was changed.").end();
            });
            return Ok(Exit::Ok);
        }
        if !plan.is_empty() {
            let show = |page: &mut Page| {
                page::planned(page, &plan, &found);
                if self.diff {
                    page.end();
                    page::differences(page, &plan, false);
                } else {
                    page.faint("  --diff shows the changes line by line").end();
                }
            };
            if !self.yes.yes && !input::agreed(invocation, "Make these changes?", show)? {
                return Ok(input::declined(invocation));
            }
            if self.http {
                // Agents read the token file directly, and one of them does not start without it.
                place.home.secure_run_dir()?;
                nudge_client::token::ensure(&place.home)?;
            }
            plan::install(&plan, &place)?;
        }
        let answer = page::to_json(&plan, &place, &found, true);
        invocation.output.answer(&answer, |page| {
            installed(page, &plan, &found, self.project);
            steps(page, &by_hand, &place);
        });
        if self.daemon || self.http {
            start_server(invocation, &place.home)?;
        }
        if self.wants_history(invocation, &plan) {
            history::import(invocation, &agents)?;
        }
        Ok(Exit::Ok)
    }

    fn place(&self, invocation: &Invocation) -> Result<InstallContext, Fault> {
        let mut place = InstallContext::find(invocation.home()?)?;
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

    /// The agents to install into.
    fn found(&self, place: &InstallContext) -> Result<Found, Fault> {
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
                format!("no agent found on this machine (looked for {})", names.join(", ")),
            )
            .next("name an agent to install anyway: `nudge install claude`"));
        }
        Ok(found)
    }

    /// Rejects an agent that can keep the token only in a file that others can read.
    fn check_http(&self, found: &Found) -> Result<(), Fault> {
        let barred = found
            .iter()
            .find_map(|(agent, _)| Some((*agent, agent.0.installer()?.no_http?)).filter(|_| self.http));
        match barred {
            None => Ok(()),
            Some((agent, why)) => Err(Fault::invalid("no_http", why).next(format!(
                "run it without --http for {}: `nudge install {}`",
                agent.title(),
                agent.name()
            ))),
        }
    }

    fn wants_history(&self, invocation: &Invocation, plan: &Plan) -> bool {
        if self.import || self.no_import || self.yes.yes || plan.is_empty() {
            return self.import;
        }
        let question = "Import the last 30 days of these agents' transcripts? They stay on this machine.";
        input::ask(invocation, question) == Answer::Yes
    }
}

fn installed(page: &mut Page, plan: &Plan, found: &Found, is_for_project: bool) {
    let titles: Vec<&str> = found.iter().map(|(agent, _)| agent.title()).collect();
    let titles = titles.join(", ");
    if plan.is_empty() {
        page.good("✔").text(format!(" Nudge is already installed in {titles}; nothing to change")).end();
    } else {
        page.good("✔").text(format!(" installed Nudge in {titles}")).end();
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
            .text("  These files contain paths of this machine: keep them out of commits.")
            .end();
    }
    page.text("Start a new session: running sessions do not change.").end();
    page.text("`nudge doctor` checks that it works; `nudge uninstall` removes it.").end();
}

// Manual steps for agents that Nudge cannot set up.

/// Prints the steps.
fn print_manual_steps(invocation: &Invocation, agents: &[Agent]) -> Result<Exit, Failure> {
    let place = InstallContext::find(invocation.home()?)?;
    let listed: Vec<_> = agents
        .iter()
        .map(|agent| json!({"agent": agent.name(), "steps": steps_of(*agent, &place)}))
        .collect();
    let answer = json!({"changed": false, "by_hand": listed});
    invocation.output.answer(&answer, |page| steps(page, agents, &place));
    Ok(Exit::Ok)
}

/// The steps for each of these agents.
fn steps(page: &mut Page, agents: &[Agent], place: &InstallContext) {
    for agent in agents {
        page.text(format!("Nudge cannot change the settings of {} by itself yet. By hand:", agent.title()))
            .end();
        for (number, step) in steps_of(*agent, place).iter().enumerate() {
            page.end().text(format!("{}. ", number + 1));
            let mut lines = step.lines();
            page.text(lines.next().unwrap_or_default()).end();
            for line in lines {
                page.text("   ").text(line).end();
            }
        }
    }
}

fn steps_of(agent: Agent, place: &InstallContext) -> Vec<String> {
    agent.0.manual_steps().iter().map(|step| step.replace("{nudge}", &place.program)).collect()
}

// Starts a server after an installation, and waits until it answers.

/// The timeout for the server. It includes the migration of a large memory.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// How often to report to a waiting user. A start that takes longer than this is slow.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

/// Starts a server unless one answers already.
fn start_server(invocation: &Invocation, home: &Home) -> Result<(), Failure> {
    if status(home).responding {
        say(invocation, "a server is already running");
        return Ok(());
    }
    let mut reported = 1;
    let took = crate::daemon::start(home, invocation.globals.port, START_TIMEOUT, |waited| {
        if waited > REPORT_INTERVAL * reported {
            say(invocation, &format!("still waiting for the server, {} s", waited.as_secs()));
            reported += 1;
        }
    })?;
    let slow = if took > REPORT_INTERVAL {
        format!(", after {} s, which is slow", took.as_secs())
    } else {
        String::new()
    };
    say(invocation, &format!("a server is running in the background{slow}"));
    Ok(())
}

fn say(invocation: &Invocation, text: &str) {
    invocation.output.note(|page| {
        page.text(text).end();
    });
}
