//! The number of entries in the memory, and its size.

use nudge_core::Fault;
use nudge_home::Home;
use nudge_memory::upkeep::{self, Counts, RetentionHold};

use crate::invocation::now;
use crate::pages::Page;
use crate::pages::time;
use crate::pages::words::{count, field};

/// How many kinds of observations to name.
const KINDS: usize = 5;

/// Counts the entries; `None` if there is no memory.
pub(super) fn read(home: &Home) -> Result<Option<Counts>, Fault> {
    match upkeep::open_for_reading(home, now())? {
        Some(memory) => upkeep::census(&memory, home, now()).map(Some),
        None => Ok(None),
    }
}

/// The counts as text.
pub(super) fn render(page: &mut Page, counts: &Counts) {
    let log = if counts.log_bytes > 0 { format!(", log {}", size(counts.log_bytes)) } else { String::new() };
    field(page, "size", &format!("{}{log}", size(counts.database_bytes)));
    let captured = [
        count(counts.sessions, "session"),
        count(counts.prompts, "prompt"),
        count(counts.observations, "observation"),
    ];
    field(page, "captured", &format!("{} in {}", captured.join(", "), count(counts.projects, "project")));
    if !counts.kinds.is_empty() {
        let kinds: Vec<String> =
            counts.kinds.iter().take(KINDS).map(|(kind, count)| format!("{count} {kind}")).collect();
        field(page, "mostly", &kinds.join(", "));
    }
    for (name, many, noun) in
        [("pinned", counts.pinned, "observation"), ("summarised", counts.summaries, "session")]
    {
        if many > 0 {
            field(page, name, &count(many, noun));
        }
    }
    if counts.duplicates > 0 {
        field(page, "duplicates", &count(counts.duplicates, "event"));
    }
    if counts.spool_bytes > 0 {
        field(page, "waiting", &format!("{} in the spool", size(counts.spool_bytes)));
    }
    if counts.drops > 0 {
        field(
            page,
            "dropped",
            &format!("{}; run `nudge doctor` to see why", count(counts.drops as i64, "event")),
        );
    }
    if let Some(oldest) = &counts.oldest {
        field(page, "since", &time::long_of_text(oldest));
    }
    if let Some(last) = &counts.last_session {
        let started = time::short_of_text(&last.started_at);
        field(
            page,
            "last session",
            &format!("{}, {} in {}, {started}", last.session, last.harness, last.project),
        );
    }
    if let Some(hold) = &counts.retention {
        held(page, hold);
    }
}

/// Why retention keeps more than the settings say, and the next step.
fn held(page: &mut Page, hold: &RetentionHold) {
    if let (Some(from), Some(to)) = (&hold.counts_from, &hold.jumped_to) {
        let (from, to) = (time::exact_of_text(from), time::exact_of_text(to));
        let why = format!(
            " the clock jumped from {from} to {to}; retention counts from before the jump. \
             If the clock is right: `nudge maintain --clock-is-right`"
        );
        page.warning("clock:").text(why).end();
    }
    if let (Some(due), Some(kept)) = (hold.due, hold.kept) {
        let why = format!(
            " the sweep stopped: {due} of {kept} rows are due, more than a tenth. \
             To remove them: `nudge maintain --remove-all-due`"
        );
        page.warning("retention:").text(why).end();
    }
}

/// Bytes in a unit that keeps the number short.
fn size(bytes: u64) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"];
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1024.0 && unit + 1 < units.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", units[unit])
}
