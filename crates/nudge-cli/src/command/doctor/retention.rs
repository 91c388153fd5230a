//! Whether retention removes old rows on time.

use nudge_home::Home;
use nudge_memory::upkeep::{self, RetentionHold};

use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::time;

const NAME: &str = "retention";

/// Why retention does not remove old rows. Empty if it does.
pub(super) fn check_retention(home: &Home) -> Vec<Finding> {
    // The `store` check reports problems with the store.
    let Ok(Some(memory)) = upkeep::open_for_reading(home, now()) else { return Vec::new() };
    let Ok(Some(hold)) = upkeep::retention_hold(&memory, now()) else { return Vec::new() };
    jumped(&hold).into_iter().chain(stopped(&hold)).collect()
}

fn jumped(hold: &RetentionHold) -> Option<Finding> {
    let (from, to) =
        (time::exact_of_text(hold.counts_from.as_ref()?), time::exact_of_text(hold.jumped_to.as_ref()?));
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
