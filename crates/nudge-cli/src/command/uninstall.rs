//! `nudge uninstall`: takes Nudge out of an agent's settings.

use clap::Args;
use nudge_core::Fault;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::registration::{Action, Agent, Change, Place, Record, Row, SettingsFile, Target, page};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Agent to take Nudge out of
    agent: Agent,
    /// Say what would be changed and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl UninstallArgs {
    /// Restores what nobody changed since; takes our entries out of the rest.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let place = Place::find(invocation.home()?)?;
        let record = Record::read(&place.home, self.agent)?.unwrap_or_default();
        let mut plans = Vec::new();
        for target in targets(&place, &record, self.agent) {
            plans.push(Plan::of(target, &place, &record)?);
        }
        let changed = plans.iter().any(|plan| plan.action != Action::Unchanged);
        if !self.dry_run {
            carry_out(&plans)?;
            record.forget(&place.home, self.agent);
        }
        let rows: Vec<Row> = plans.iter().map(Plan::row).collect();
        let answer = json!({
            "agent": self.agent.name(),
            "changed": changed && !self.dry_run,
            "dry_run": self.dry_run,
            "files": rows,
        });
        invocation.output.answer(&answer, |page| page::uninstalled(page, self.agent, &rows, self.dry_run));
        Ok(Exit::Ok)
    }
}

/// Where entries of ours may be: where they would go now, and where they went when the agent's directory was another.
fn targets(place: &Place, record: &Record, agent: Agent) -> Vec<Target> {
    let mut targets = Target::all(place, agent);
    let real = |path: &std::path::Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    for path in record.paths() {
        if !targets.iter().any(|target| real(target.path()) == path)
            && let Some(kind) = targets.iter().find(|target| target.path().file_name() == path.file_name())
        {
            targets.push(kind.at(path));
        }
    }
    targets
}

/// What one file says and is to say.
struct Plan {
    target: Target,
    file: SettingsFile,
    action: Action,
    /// What is to be there; nothing removes the file.
    wanted: Option<String>,
}

impl Plan {
    fn of(target: Target, place: &Place, record: &Record) -> Result<Self, Fault> {
        let file = SettingsFile::read(target.path())?;
        let (action, wanted) = Self::decide(&target, &file, place, record)?;
        if action != Action::Unchanged {
            file.check_writable()?;
        }
        Ok(Self { target, file, action, wanted })
    }

    fn decide(
        target: &Target,
        file: &SettingsFile,
        place: &Place,
        record: &Record,
    ) -> Result<(Action, Option<String>), Fault> {
        let Some(text) = file.text() else { return Ok((Action::Unchanged, None)) };
        if let Some(original) = record.original(file) {
            let action = if original.is_some() { Action::Restored } else { Action::Removed };
            return Ok((action, original));
        }
        let rest = target.without(text, place)?;
        if rest == text {
            Ok((Action::Unchanged, Some(rest)))
        } else if record.made(file.path()) && target.is_bare(&rest) {
            Ok((Action::Removed, None))
        } else {
            Ok((Action::Changed, Some(rest)))
        }
    }

    fn row(&self) -> Row {
        let what = match self.action {
            Action::Unchanged => "nothing of Nudge in it".to_owned(),
            Action::Restored => "as it was before Nudge".to_owned(),
            Action::Removed => "was made by Nudge".to_owned(),
            _ => format!("without {}; what others changed stays", self.target.ours()),
        };
        Row { path: self.file.path().to_owned(), action: self.action, what, entries: None }
    }
}

fn carry_out(plans: &[Plan]) -> Result<(), Fault> {
    let mut staged = Vec::new();
    for plan in plans.iter().filter(|plan| plan.action != Action::Unchanged) {
        staged.push(Change::stage(&plan.file, plan.wanted.as_deref())?);
    }
    Change::commit_all(staged)
}
