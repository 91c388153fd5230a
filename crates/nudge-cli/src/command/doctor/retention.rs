//! Whether old rows go when their days are over.

use nudge_home::Home;
use nudge_memory::upkeep::{self, RetentionHold};

use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::words::without_millis;

const NAME: &str = "retention";

/// What keeps retention from removing what is old; nothing where it goes on.
pub(super) fn held(home: &Home) -> Vec<Finding> {
    // What is wrong with the store is said where the store is looked at.
    let Ok(Some(memory)) = upkeep::look(home, now()) else { return Vec::new() };
    let Ok(Some(hold)) = upkeep::retention_hold(&memory, now()) else { return Vec::new() };
    jumped(&hold).into_iter().chain(stopped(&hold)).collect()
}

fn jumped(hold: &RetentionHold) -> Option<Finding> {
    let (from, to) = (without_millis(hold.counts_from.as_ref()?), without_millis(hold.jumped_to.as_ref()?));
    Some(Finding::warn(
        NAME,
        format!("the clock jumped from {from} to {to}; retention counts from before that"),
        "if the clock is right, say so with `nudge maintain --clock-is-right`; if not, set it right",
    ))
}

fn stopped(hold: &RetentionHold) -> Option<Finding> {
    let (due, kept) = (hold.due?, hold.kept?);
    Some(Finding::warn(
        NAME,
        format!("the sweep stopped: {due} of {kept} rows are due, more than a tenth of what is kept"),
        "see that the clock and `nudge config` are right, then run `nudge maintain --remove-all-due`",
    ))
}
