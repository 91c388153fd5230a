//! Recent failures with their causes, from the logs of servers, commands and hooks.

use std::time::Duration;

use nudge_client::Failed;
use nudge_core::{FaultKind, Timestamp};
use nudge_home::Home;

use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::time;

/// Older failures are not shown.
const RECENT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How many different failures to show.
const SHOWN: usize = 3;

/// The newest failures, grouped by cause; `None` if there are none.
pub(super) fn recent(home: &Home) -> Option<Finding> {
    let mut found = Failed::since(home, now().minus(RECENT));
    found.retain(|(_, failed)| FaultKind::from_id(&failed.id).is_some_and(FaultKind::is_failure));
    let alike = group_failures(found);
    let mut said: Vec<String> = alike.iter().take(SHOWN).map(FailureGroup::words).collect();
    let more = alike.len().saturating_sub(SHOWN);
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
