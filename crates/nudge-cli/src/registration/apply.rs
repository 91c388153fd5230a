//! Carries out a plan.

use std::fs::File;

use nudge_core::Fault;

use super::file::Change;
use super::ledger::{Ledger, missing_dirs};
use super::place::InstallContext;
use super::plan::Plan;

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
