//! The state of capture: events that hooks could not store, and lost events.

use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::troubles;
use rustix::fs::Access;
use rustix::io::Errno;

use crate::command::doctor::finding::{Finding, Fix};
use crate::intake::SETTINGS;
use crate::invocation::now;
use crate::pages::words::count;

/// Older problems are not reported.
const RECENT_MS: i64 = 7 * 86_400_000;

/// Events that hooks had to spool or skip, and events that wait for import.
pub(super) fn hooks(home: &Home) -> Finding {
    let mut counts = troubles::counts(home);
    // The user asked for pauses; `nudge status` lists them.
    counts.remove("paused");
    let mut parts: Vec<String> =
        counts.iter().map(|(reason, count)| format!("{reason} {}×", count.times)).collect();
    let waiting = Spool::of(home).waiting_bytes();
    if waiting > 0 {
        parts.push(format!("{} KiB wait in the spool", waiting.div_ceil(1024)));
    }
    let is_recent = |count: &troubles::Count| count.last > now().as_millis() - RECENT_MS;
    let facts = if parts.is_empty() { "no trouble".to_owned() } else { parts.join(", ") };
    if waiting > 0 {
        return Finding::warn(
            "hooks",
            facts,
            "the next command that writes takes the spool in, and so does a server and `nudge restore`",
        )
        .fixed_by(Fix::Maintain);
    }
    if counts.get(SETTINGS).is_some_and(is_recent) {
        return Finding::warn(
            "hooks",
            facts,
            "broken settings kept events out; run `nudge doctor` in the project where it happened",
        );
    }
    if counts.values().any(is_recent) {
        let log = home.log_dir().join("hooks.log");
        return Finding::warn("hooks", facts, format!("see {}", log.display()));
    }
    Finding::ok("hooks", facts)
}

/// Lost events.
pub(super) fn drops(home: &Home) -> Finding {
    let report = match Drops::of(home).read() {
        Ok(report) => report,
        Err(error) => {
            return Finding::warn(
                "drops",
                format!("the drop record cannot be read: {error}"),
                "make run/drops readable",
            );
        }
    };
    if report.total == 0 {
        return no_drops_recorded(home);
    }
    let total = i64::try_from(report.total).unwrap_or(i64::MAX);
    let reasons: Vec<String> =
        report.by_reason.iter().map(|(reason, times)| format!("{reason} {times}×")).collect();
    let newest = report.newest.map_or_else(String::new, |at: Timestamp| format!("; the newest at {at}"));
    let facts = format!("{} lost: {}{newest}", count(total, "event"), reasons.join(", "));
    let recent = report.newest.is_some_and(|at| at.as_millis() > now().as_millis() - RECENT_MS);
    if recent {
        let no_event = DropReason::UnreadableInput.name();
        let mut ways = Vec::new();
        if report.by_reason.contains_key(no_event) {
            ways.push(
                "what was sent to `nudge hook` was no event: see that only the agent's own hooks run it",
            );
        }
        if report.by_reason.keys().any(|reason| *reason != no_event) {
            ways.push("see that the disk has room and the home can be written");
        }
        Finding::warn("drops", facts, ways.join("; "))
    } else {
        Finding::ok("drops", facts)
    }
}

/// The drop record is empty. That means no loss only if the record can be written.
fn no_drops_recorded(home: &Home) -> Finding {
    let record = home.run_dir().join("drops");
    match rustix::fs::access(&record, Access::WRITE_OK) {
        Err(error) if error != Errno::NOENT => Finding::warn(
            "drops",
            format!("what is lost cannot be noted: {}: {error}", record.display()),
            "make that file writable for you",
        ),
        _ => Finding::ok("drops", "nothing was lost"),
    }
}
