//! Hints learn from the commands that agents run: nobody has to remember to say that one worked.

use std::path::Path;

use nudge_core::hint::Sensitivity;
use nudge_core::{Context, EnvView, Fault, HintMeta, HintValue, ObservationKind, Outcome};

use super::{choice, stored};
use crate::capture::reaction::Ended;
use crate::capture::{Via, fingerprint};
use nudge_home::surroundings;

/// The hash by which a hint is found when its command runs. A secret has none: it lives in its row only.
pub(super) fn command_of(value: &HintValue, meta: &HintMeta) -> Option<i64> {
    match value {
        HintValue::Command { cmd, .. } if meta.sensitivity != Some(Sensitivity::Secret) => Some(hash(cmd)),
        _ => None,
    }
}

/// Tells the hints that hold a command, and apply where it ran, how it ended. Success counts as a use, failure
/// lowers their confidence. What happened long ago teaches nothing about now, so an import teaches nothing.
///
/// Conditions on the environment do not hold here: the variables of the agent are not known.
pub(crate) fn from_command(ended: &Ended<'_>) -> Result<(), Fault> {
    let ran = matches!(ended.kind, ObservationKind::Command | ObservationKind::CommandError);
    if !ran || ended.event.via == Via::Import {
        return Ok(());
    }
    let Ended { writer, at: now, body: command, outcome, .. } = *ended;
    let rows = writer.hints_of_command(hash(command), now)?;
    if rows.is_empty() {
        return Ok(());
    }
    let here = surroundings::here(Path::new(ended.event.cwd.as_deref().unwrap_or("/")));
    let here = choice::Standing::at(Context { env: EnvView::Absent, ..here });
    let hints = rows.into_iter().map(stored::hint_of).collect::<Result<Vec<_>, _>>()?;
    for ranked in choice::sort(hints, &here, now)?.eligible {
        match outcome {
            Outcome::Success => writer.hint_worked(ranked.hint.id, now)?,
            _ => writer.hint_failed(ranked.hint.id, now)?,
        }
    }
    Ok(())
}

fn hash(command: &str) -> i64 {
    fingerprint::of(&["command", command.trim()])
}
