//! Hints learn from the commands that agents run: nobody has to remember to say that one worked.

use std::path::Path;

use nudge_core::hint::Sensitivity;
use nudge_core::{Context, EnvView, Fault, HintMeta, HintValue, Outcome, Timestamp};
use nudge_store::Writer;

use super::{choice, stored};
use crate::ambient;
use crate::capture::fingerprint;

/// The hash by which a hint is found when its command runs. A secret has none: it lives in its row only.
pub(super) fn command_of(value: &HintValue, meta: &HintMeta) -> Option<i64> {
    match value {
        HintValue::Command { cmd, .. } if meta.sensitivity != Some(Sensitivity::Secret) => Some(hash(cmd)),
        _ => None,
    }
}

/// Tells the hints that hold this command, and apply where it ran, how it ended. Success counts as a use, failure
/// lowers their confidence, and an unknown end says nothing.
///
/// Conditions on the environment do not hold here: the variables of the agent are not known.
pub(crate) fn from_command(
    writer: &Writer<'_>,
    command: &str,
    outcome: Outcome,
    cwd: Option<&str>,
    now: Timestamp,
) -> Result<(), Fault> {
    if outcome == Outcome::Unknown {
        return Ok(());
    }
    let rows = writer.hints_of_command(hash(command), now)?;
    if rows.is_empty() {
        return Ok(());
    }
    let here = ambient::here(Path::new(cwd.unwrap_or("/")));
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
