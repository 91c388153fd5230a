//! Hints learn from the commands that agents run, so nobody has to report that one worked.

use std::path::Path;

use nudge_core::hint::Sensitivity;
use nudge_core::{Context, EnvView, Fault, HintMeta, HintValue, ObservationKind, Outcome};
use nudge_outcomes::fingerprint;

use super::{choice, stored};
use crate::capture::reaction::Ended;

use crate::capture::CapturedVia;
use nudge_home::surroundings;

/// The hash that finds a hint when its command runs. `None` for a secret, which is stored in its
/// row only.
pub(super) fn command_of(value: &HintValue, meta: &HintMeta) -> Option<i64> {
    match value {
        HintValue::Command { cmd, .. } if meta.sensitivity != Some(Sensitivity::Secret) => Some(hash(cmd)),
        _ => None,
    }
}

/// Records how a command ended in the hints that contain it and apply where it ran. Success counts
/// as a use; failure lowers their confidence. Old runs say nothing about the present, so an import
/// has no effect.
///
/// Conditions on the environment are treated as not met, because the agent's variables are not
/// known.
pub(crate) fn from_command(ended: &Ended<'_>) -> Result<(), Fault> {
    let ran = matches!(ended.kind, ObservationKind::Command | ObservationKind::CommandError);
    if !ran || ended.event.via == CapturedVia::Import {
        return Ok(());
    }
    let Ended { writer, at: now, body: command, outcome, .. } = *ended;
    let rows = writer.hints_of_command(hash(command), now)?;
    if rows.is_empty() {
        return Ok(());
    }
    let here = surroundings::here(Path::new(ended.event.cwd.as_deref().unwrap_or("/")));
    let here = choice::CallerFacts::at(Context { env: EnvView::Absent, ..here }, Vec::new);
    let hints = rows.into_iter().map(stored::hint_of).collect::<Result<Vec<_>, _>>()?;
    for ranked in choice::split_by_eligibility(hints, &here, now)?.eligible {
        match outcome {
            Outcome::Success => writer.hint_worked(ranked.hint.id, now)?,
            _ => writer.hint_failed(ranked.hint.id, now)?,
        }
    }
    Ok(())
}

fn hash(command: &str) -> i64 {
    fingerprint(&["command", command.trim()])
}
