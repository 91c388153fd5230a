//! `nudge install`: puts Nudge into an agent's settings, so that it works from the next session on.

use clap::Args;
use nudge_core::Fault;
use serde_json::json;

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::registration::{
    Action, Agent, Change, Place, Record, Row, SettingsFile, Target, missing_dirs, page,
};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    /// Agent to put Nudge into
    agent: Agent,
    /// Say what would be changed and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Register the hooks alone, not the MCP server
    #[arg(long)]
    no_mcp: bool,
}

impl InstallArgs {
    /// Plans every change, then writes all of them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let place = Place::find(invocation.home()?)?;
        let mut plans = Vec::new();
        for target in Target::all(&place, self.agent) {
            if !(self.no_mcp && target.is_server()) {
                plans.push(Plan::of(target, &place)?);
            }
        }
        let changed = plans.iter().any(|plan| plan.change().is_some());
        if changed && !self.dry_run {
            carry_out(&plans, &place, self.agent)?;
        }
        let rows: Vec<Row> = plans.iter().map(|plan| plan.row(&place)).collect::<Result<_, _>>()?;
        let answer = json!({
            "agent": self.agent.name(),
            "changed": changed && !self.dry_run,
            "dry_run": self.dry_run,
            "program": place.program,
            "home": place.passed_home(),
            "files": rows,
        });
        invocation.output.answer(&answer, |page| page::installed(page, self.agent, &rows, self.dry_run));
        Ok(Exit::Ok)
    }
}

/// What one file says and is to say.
struct Plan {
    target: Target,
    file: SettingsFile,
    wanted: String,
}

impl Plan {
    fn of(target: Target, place: &Place) -> Result<Self, Fault> {
        let file = SettingsFile::read(target.path())?;
        let wanted = target.with(file.text(), place)?;
        let plan = Self { target, file, wanted };
        if plan.change().is_some() {
            plan.file.check_writable()?;
        }
        Ok(plan)
    }

    /// The text to write, if it is another than the present one.
    fn change(&self) -> Option<&str> {
        (self.file.text() != Some(&self.wanted)).then_some(&self.wanted)
    }

    fn row(&self, place: &Place) -> Result<Row, Fault> {
        let (action, what) = match (self.change(), self.file.text()) {
            (None, _) => (Action::Unchanged, self.target.what_stays(&self.wanted)),
            (Some(_), None) => (Action::Created, self.target.what()),
            (Some(_), Some(_)) => (Action::Changed, self.target.what()),
        };
        let entries = Some(self.target.entries(place)?);
        Ok(Row { path: self.file.path().to_owned(), action, what, entries })
    }
}

/// Notes how to undo it, then does it: a fall between the two leaves a note of something that is not there, never the
/// other way round.
fn carry_out(plans: &[Plan], place: &Place, agent: Agent) -> Result<(), Fault> {
    let mut record = Record::read(&place.home, agent)?.unwrap_or_default();
    let changes: Vec<(&Plan, &str)> = plans.iter().filter_map(|plan| Some((plan, plan.change()?))).collect();
    record.note_dirs(missing_dirs(place.home.root()));
    for (plan, wanted) in &changes {
        record.note_dirs(missing_dirs(plan.file.path().parent().unwrap_or(plan.file.path())));
        let before = record.original(&plan.file);
        let before = match before {
            Some(original) => original,
            None => plan.file.text().map(|text| plan.target.without(text, place)).transpose()?,
        };
        record.note(plan.file.path(), before.as_deref(), wanted);
    }
    record.write(&place.home, agent)?;
    let mut staged = Vec::new();
    for (plan, wanted) in changes {
        staged.push(Change::stage(&plan.file, Some(wanted))?);
    }
    Change::commit_all(staged)
}
