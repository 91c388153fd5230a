//! How pauses are shown.

use std::time::Duration;

use nudge_core::Timestamp;
use nudge_memory::capture::pause::{Pause, PauseScope, Pauses};

use super::page::Page;
use super::time;
use super::words::spell;

/// Lists what is paused, one line each.
pub(crate) fn list(page: &mut Page, pauses: &Pauses, now: Timestamp) {
    for pause in &pauses.pauses {
        page.warning("paused:").text(" ").text(name(&pause.scope)).text(end(pause, now)).end();
    }
}

/// What is paused.
pub(crate) fn name(scope: &PauseScope) -> String {
    match scope {
        PauseScope::All => "everything".to_owned(),
        PauseScope::Session { session } => format!("session {session}"),
        PauseScope::Project { name, .. } => format!("project {name}"),
    }
}

/// When it ends.
pub(crate) fn end(pause: &Pause, now: Timestamp) -> String {
    pause.until.map_or_else(
        || " until `nudge unpause`".to_owned(),
        |until| {
            let left = Timestamp::from_millis(until).since(now).as_millis().div_ceil(1000);
            let length = spell(Duration::from_secs(u64::try_from(left).unwrap_or(u64::MAX)));
            format!(" until {} ({length} left)", time::short(Timestamp::from_millis(until), now))
        },
    )
}
