//! `nudge uninstall`: removes Nudge from agents and, with `--purge`, deletes its memory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use clap::Args;
use nudge_client::lock;
use nudge_client::status::status;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::flags::{DryRunFlag, YesFlag};
use crate::input;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::registration::page::{self, Found};
use crate::registration::{Agent, Detected, InstallContext, Ledger, Plan, SettingsFile, Target, plan};

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
        let doomed = if self.purge { found_data(&place.home) } else { Vec::new() };
        if self.dry_run.dry_run {
            invocation.output.answer(&self.answer(&plan, &place, &found, &doomed), |page| {
                page::differences(page, &plan, false);
                page::planned(page, &plan, &found);
                planned_purge(page, &doomed);
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
            planned_purge(page, &doomed);
        };
        if is_work && !self.yes.yes && !input::agreed(invocation, question, show)? {
            return Ok(input::declined(invocation));
        }
        let leaves = place.project.is_none() && staying.is_empty();
        if leaves || self.purge {
            stop_server(&place.home, self.purge);
        }
        plan::uninstall(&plan, &place)?;
        if self.purge {
            purge_data(&place.home, &ledger)?;
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

// Stops the server that an installation started.

/// How long the server may take to end by itself.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Asks the server to end, if one runs, and kills it after a second. A server that an agent started
/// ends with that agent, so it is left alone unless its memory is deleted.
fn stop_server(home: &Home, also_of_agents: bool) {
    let server = status(home);
    let Some(pid) = server.pid.filter(|_| server.running) else { return forget(home) };
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    if !also_of_agents && !is_detached(pid) {
        return;
    }
    let _ = kill_process(pid, Signal::TERM);
    wait_for_end(home);
    if status(home).pid == server.pid && lock::is_held(&home.lock_file()) {
        let _ = kill_process(pid, Signal::KILL);
        wait_for_end(home);
    }
    forget(home);
}

/// Waits until the server has ended, but no longer than it may take.
fn wait_for_end(home: &Home) {
    let began = Instant::now();
    while lock::is_held(&home.lock_file()) && began.elapsed() < STOP_TIMEOUT {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Removes the state file of a server that has ended.
fn forget(home: &Home) {
    if !lock::is_held(&home.lock_file()) {
        let _ = std::fs::remove_file(home.state_file());
    }
}

/// Whether a process leads its own session. A detached server does; a server that an agent started
/// does not.
fn is_detached(pid: Pid) -> bool {
    rustix::process::getsid(Some(pid)).is_ok_and(|session| session == pid)
}

// Deletes the memory with everything that belongs to it, and nothing else.

/// The files that Nudge creates in the directory of a memory.
const IN_ROOT: [&str; 8] = [
    "nudge.db",
    "nudge.db-wal",
    "nudge.db-shm",
    "nudge.db-journal",
    "nudge.db-made",
    "pause.json",
    "client-tokens.json",
    "client-tokens.lock",
];

/// The files that Nudge creates in its subdirectories, by name prefix. The index and the spool
/// belong to Nudge alone.
const IN_DIRS: [(&str, &[&str]); 6] = [
    (
        "run",
        &[
            "lock",
            "state.json",
            "token",
            ".token-",
            "nudge.sock",
            "drops",
            "index-started",
            "version-",
            "ui-sessions",
            ".ui-sessions-",
        ],
    ),
    ("run/spool", &[""]),
    ("logs", &["server.log", "hooks.log", "hooks.json", "hook-times"]),
    ("backups", &["nudge-", ".nudge-backup-", ".tmp"]),
    ("install", &["ledger.json"]),
    ("index", &[""]),
];

/// The files to delete. A directory that is not a memory has none of our files, whatever their
/// names.
fn found_data(home: &Home) -> Vec<PathBuf> {
    let root = home.root();
    let is_memory = IN_ROOT.iter().take(5).any(|name| root.join(name).exists())
        || root.join("install/ledger.json").exists()
        || (home.is_default() && root.is_dir());
    if !is_memory {
        return Vec::new();
    }
    let mut found: Vec<PathBuf> = IN_ROOT.iter().map(|name| root.join(name)).collect();
    for (dir, names) in IN_DIRS {
        // A directory called `index` is ours only if it contains a search index.
        let is_index = dir != "index" || root.join("index/meta.json").exists();
        let items = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
        let ours = items.map(|item| item.path()).filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_file = fs::symlink_metadata(path).is_ok_and(|facts| !facts.is_dir());
            is_file && is_index && names.iter().any(|ours| name.starts_with(ours))
        });
        found.extend(ours);
    }
    // The socket is elsewhere if its path was too long for this directory.
    found.extend(Some(home.socket()).filter(|socket| !socket.starts_with(root)));
    found.retain(|path| fs::symlink_metadata(path).is_ok());
    found.sort();
    found
}

/// Prints what will be deleted.
fn planned_purge(page: &mut Page, doomed: &[PathBuf]) {
    if doomed.is_empty() {
        return;
    }
    page.strong("Memory").end();
    let dir = doomed.first().and_then(|path| path.parent()).unwrap_or(Path::new(""));
    page.text("  ")
        .bad("delete   ")
        .text(format!(" {} files of Nudge, below {}", doomed.len(), dir.display()))
        .end();
}

/// Deletes the files, and the directories made for them that are now empty.
fn purge_data(home: &Home, ledger: &Ledger) -> Result<(), Fault> {
    for path in found_data(home) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(Fault::new(
                    FaultKind::Unavailable,
                    "not_deleted",
                    format!("cannot delete {}: {error}", path.display()),
                )
                .next("end the running sessions, then run this again"));
            }
            _ => {}
        }
    }
    for (dir, _) in IN_DIRS.iter().rev() {
        // The system refuses to remove a directory with other files in it, so it stays.
        let _ = fs::remove_dir(home.root().join(dir));
    }
    let _ = fs::remove_dir(home.root());
    ledger.remove_made_dirs();
    Ok(())
}
