//! The state of capture: events that hooks could not store, lost events, and recent failures.

use std::time::Duration;

use nudge_client::Failed;
use nudge_core::{FaultKind, Timestamp};
use nudge_home::Home;
use nudge_memory::capture::drops::{DropReason, Drops};
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::troubles;
use rustix::fs::Access;
use rustix::io::Errno;

use crate::command::doctor::finding::{Finding, Fix};
use crate::intake::SETTINGS_REASON;
use crate::invocation::now;
use crate::pages::time;
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
    if counts.get(SETTINGS_REASON).is_some_and(is_recent) {
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

// Recent failures with their causes, from the logs of servers, commands and hooks.

/// Older failures are not shown.
const RECENT_FAILURES: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How many different failures to show.
const MAX_SHOWN: usize = 3;

/// The newest failures, grouped by cause; `None` if there are none.
pub(super) fn recent(home: &Home) -> Option<Finding> {
    let mut found = Failed::since(home, now().minus(RECENT_FAILURES));
    found.retain(|(_, failed)| FaultKind::from_id(&failed.id).is_some_and(FaultKind::is_failure));
    let alike = group_failures(found);
    let mut said: Vec<String> = alike.iter().take(MAX_SHOWN).map(FailureGroup::words).collect();
    let more = alike.len().saturating_sub(MAX_SHOWN);
    if more > 0 {
        said.push(format!("and {more} more"));
    }
    let way_out = format!("see `store` and `index` above; the full log is in {}", home.log_dir().display());
    (!said.is_empty()).then(|| Finding::warn("failures", said.join("; "), way_out))
}

/// Failures of one command or hook with the same cause.
struct FailureGroup {
    newest: Timestamp,
    times: usize,
    failed: Failed,
}

impl FailureGroup {
    fn words(&self) -> String {
        let Failed { what, by, reason, cause, .. } = &self.failed;
        let (times, last) =
            if self.times > 1 { (format!(" {}×", self.times), "last ") } else { (String::new(), "") };
        let at = self.newest.to_string();
        let why = if cause.is_empty() { reason } else { cause };
        format!("{what} failed{times} ({by}), {last}{}: {why}", time::exact_of_text(&at))
    }
}

/// Groups the failures that differ only in time and duration; newest first.
fn group_failures(found: Vec<(Timestamp, Failed)>) -> Vec<FailureGroup> {
    let mut groups: Vec<FailureGroup> = Vec::new();
    for (at, failed) in found.into_iter().rev() {
        let is_like = |known: &&mut FailureGroup| {
            let known = &known.failed;
            (&known.what, &known.by, &known.reason, &known.cause)
                == (&failed.what, &failed.by, &failed.reason, &failed.cause)
        };
        match groups.iter_mut().find(is_like) {
            Some(known) => known.times += 1,
            None => groups.push(FailureGroup { newest: at, times: 1, failed }),
        }
    }
    groups
}
