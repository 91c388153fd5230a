//! The planned changes: every file, before and after; and how they are carried out.

use std::fs::File;

use nudge_core::Fault;

use super::Agent;
use super::file::{Change, SettingsFile, real};
use super::ledger::{Ledger, Written, missing_dirs};
use super::page::Action;
use super::place::InstallContext;
use super::target::Target;

/// All changes of one run.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) edits: Vec<Edit>,
}

/// One file and its change.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) target: Target,
    pub(crate) file: SettingsFile,
    pub(crate) action: Action,
    /// The new text; `None` deletes the file.
    pub(crate) after: Option<String>,
    /// Other entries of ours in the same file that are also removed: those for projects, next to
    /// those for the user.
    pub(crate) others: Vec<Target>,
    /// Whether our entries are removed.
    is_removal: bool,
}

impl Plan {
    /// The changes that install Nudge into these agents.
    pub(crate) fn install(
        place: &InstallContext,
        agents: &[Agent],
        with_server: bool,
    ) -> Result<Self, Fault> {
        let mut edits = Vec::new();
        for agent in agents {
            let Some(installer) = agent.0.installer() else { continue };
            for target in Target::of_agent(place, *agent, installer) {
                if with_server || !target.is_server() {
                    edits.push(Edit::adding(target, place)?);
                }
            }
        }
        edits.push(Edit::adding(Target::config(place), place)?);
        Ok(Self { edits })
    }

    /// The changes that remove Nudge from these agents. With the last agent, our own configuration
    /// is removed.
    pub(crate) fn uninstall(
        place: &InstallContext,
        ledger: &Ledger,
        agents: &[Agent],
    ) -> Result<Self, Fault> {
        let mut edits = Vec::new();
        for agent in agents {
            for targets in by_file(targets(place, ledger, *agent)) {
                edits.extend(Edit::removing(targets, place, ledger)?);
            }
        }
        let is_leaving = |written: &Written| {
            let targets =
                edits.iter().flat_map(|edit: &Edit| std::iter::once(&edit.target).chain(&edit.others));
            targets.into_iter().any(|target| {
                real(target.path()) == written.path && target.project() == written.project.as_deref()
            })
        };
        if ledger.files().iter().filter(|written| written.agent.is_some()).all(is_leaving) {
            edits.extend(Edit::removing(vec![Target::config(place)], place, ledger)?);
        }
        Ok(Self { edits })
    }

    /// The edits that change something.
    pub(crate) fn changes(&self) -> impl Iterator<Item = &Edit> {
        self.edits.iter().filter(|edit| edit.action != Action::Unchanged)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes().next().is_none()
    }

    /// The edits in the files of an agent.
    pub(crate) fn of_agent(&self, agent: Agent) -> impl Iterator<Item = &Edit> {
        self.edits.iter().filter(move |edit| edit.target.agent() == Some(agent))
    }
}

impl Edit {
    fn adding(target: Target, place: &InstallContext) -> Result<Self, Fault> {
        let file = SettingsFile::read(target.path())?;
        let after = target.with(file.text(), place)?;
        let action = match file.text() {
            Some(text) if text == after => Action::Unchanged,
            Some(_) => Action::Changed,
            None => Action::Created,
        };
        Self { target, file, action, after: Some(after), others: Vec::new(), is_removal: false }.checked()
    }

    /// Removes all our entries from one file; `None` if there is no such file.
    fn removing(
        mut targets: Vec<Target>,
        place: &InstallContext,
        ledger: &Ledger,
    ) -> Result<Option<Self>, Fault> {
        let target = targets.remove(0);
        let file = SettingsFile::read(target.path())?;
        let Some(text) = file.text() else { return Ok(None) };
        let all: Vec<&Target> = std::iter::once(&target).chain(&targets).collect();
        let (action, after) = without_ours(&all, &file, text, place, ledger)?;
        Self { target, file, action, after, others: targets, is_removal: true }.checked().map(Some)
    }

    fn checked(self) -> Result<Self, Fault> {
        if self.action != Action::Unchanged {
            self.file.check_writable()?;
        }
        Ok(self)
    }

    /// What is added or removed, for users.
    pub(crate) fn what(&self) -> String {
        match self.action {
            Action::Unchanged if self.is_removal => "nothing of Nudge in it".to_owned(),
            Action::Unchanged => self.target.what_stays(self.after.as_deref().unwrap_or_default()),
            Action::Restored => "as it was before Nudge".to_owned(),
            Action::Removed => "was made by Nudge".to_owned(),
            Action::Changed if self.is_removal => {
                format!("without {}; what others changed stays", self.target.ours())
            }
            Action::Created | Action::Changed => self.target.what(),
        }
    }
}

/// The rest of a file without our entries: the original text if nobody changed it since, else the
/// current text minus our entries. The newest entries are removed first.
fn without_ours(
    targets: &[&Target],
    file: &SettingsFile,
    text: &str,
    place: &InstallContext,
    ledger: &Ledger,
) -> Result<(Action, Option<String>), Fault> {
    let mut left: Vec<&Target> = targets.to_vec();
    let mut rest = text.to_owned();
    let mut is_exact = true;
    while !left.is_empty() {
        let noted = left
            .iter()
            .enumerate()
            .find_map(|(at, target)| Some((at, ledger.original(file.path(), target.project(), &rest)?)));
        match noted {
            Some((_, None)) => return Ok((Action::Removed, None)),
            Some((at, Some(original))) => {
                left.remove(at);
                rest = original;
            }
            None => {
                let without = left.remove(0).without(&rest, place)?;
                is_exact &= without == rest;
                rest = without;
            }
        }
    }
    Ok(if rest == text {
        (Action::Unchanged, Some(rest))
    } else if ledger.made(file.path()) && targets.iter().all(|target| target.is_bare(&rest)) {
        (Action::Removed, None)
    } else {
        (if is_exact { Action::Restored } else { Action::Changed }, Some(rest))
    })
}

/// Groups the targets by file, in order.
fn by_file(targets: Vec<Target>) -> Vec<Vec<Target>> {
    let mut files: Vec<Vec<Target>> = Vec::new();
    for target in targets {
        match files.iter_mut().find(|file| real(file[0].path()) == real(target.path())) {
            Some(file) => file.push(target),
            None => files.push(vec![target]),
        }
    }
    files
}

/// Where our entries may be: their paths now, and their paths at installation if those were
/// different.
fn targets(place: &InstallContext, ledger: &Ledger, agent: Agent) -> Vec<Target> {
    let installer = agent.0.installer();
    let mut targets: Vec<Target> =
        installer.map(|installer| Target::of_agent(place, agent, installer)).unwrap_or_default();
    for written in ledger.files() {
        let is_meant = place.project.is_none() || place.project == written.project;
        let is_known = targets.iter().any(|target| {
            real(target.path()) == written.path && target.project() == written.project.as_deref()
        });
        if written.agent.as_deref() == Some(agent.name()) && is_meant && !is_known {
            let project = written.project.as_deref();
            targets.extend(Target::listed(place, agent, &written.path, &written.part, project));
        }
    }
    targets
}

/// Writes the ledger first, then the files. A crash in between leaves a ledger row for a change
/// that was not made, never the other way round.
pub(crate) fn install(plan: &Plan, place: &InstallContext) -> Result<(), Fault> {
    let missing = missing_dirs(place.home.root());
    place.home.prepare()?;
    let _turn = lock_installation(place);
    let mut ledger = Ledger::read(&place.home)?;
    ledger.note_dirs(missing);
    for edit in plan.changes() {
        let path = edit.file.path();
        ledger.note_dirs(missing_dirs(path.parent().unwrap_or(path)));
        let noted = edit.file.text().and_then(|text| ledger.original(path, edit.target.project(), text));
        let before = match noted {
            Some(original) => original,
            None => edit.file.text().map(|text| edit.target.without(text, place)).transpose()?,
        };
        ledger.note(&edit.target, path, before.as_deref(), edit.after.as_deref().unwrap_or_default());
    }
    ledger.write(&place.home)?;
    write(plan)
}

/// Writes the files, then removes their rows from the ledger.
pub(crate) fn uninstall(plan: &Plan, place: &InstallContext) -> Result<(), Fault> {
    let _turn = lock_installation(place);
    let mut ledger = Ledger::read(&place.home)?;
    write(plan)?;
    for edit in &plan.edits {
        for target in std::iter::once(&edit.target).chain(&edit.others) {
            ledger.forget(edit.file.path(), target.project());
        }
    }
    ledger.write(&place.home)?;
    ledger.remove_made_dirs();
    Ok(())
}

/// Allows one installation at a time: two would each write a ledger without the other's rows. The
/// lock lasts until the value is dropped.
fn lock_installation(place: &InstallContext) -> Option<File> {
    let dir = File::open(place.home.root()).ok()?;
    dir.lock().ok().map(|()| dir)
}

fn write(plan: &Plan) -> Result<(), Fault> {
    let mut staged = Vec::new();
    for edit in plan.changes() {
        staged.push(Change::stage(&edit.file, edit.after.as_deref())?);
    }
    Change::commit_all(staged)
}
