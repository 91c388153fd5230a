//! What failed lately, with what led to it: from the logs of servers, commands and hooks.

use std::time::Duration;

use nudge_client::Failed;
use nudge_core::{FaultKind, Timestamp};
use nudge_home::Home;

use crate::command::doctor::finding::Finding;
use crate::invocation::now;
use crate::pages::words::without_millis;

/// How long ago a failure is still worth a line.
const RECENT: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// How many different ones are shown.
const SHOWN: usize = 3;

/// The newest failures, those alike together; nothing where there are none.
pub(super) fn recent(home: &Home) -> Option<Finding> {
    let mut found = Failed::since(home, now().minus(RECENT));
    found.retain(|(_, failed)| FaultKind::from_id(&failed.id).is_some_and(FaultKind::is_failure));
    let alike = alike(found);
    let mut said: Vec<String> = alike.iter().take(SHOWN).map(Alike::words).collect();
    let more = alike.len().saturating_sub(SHOWN);
    if more > 0 {
        said.push(format!("and {more} more"));
    }
    let way_out = format!(
        "see what is said of `store` and `index` above; all of it is in {}",
        home.log_dir().display()
    );
    (!said.is_empty()).then(|| Finding::warn("failures", said.join("; "), way_out))
}

/// Failures of one thing for one cause.
struct Alike {
    newest: Timestamp,
    times: usize,
    failed: Failed,
}

impl Alike {
    fn words(&self) -> String {
        let Failed { what, by, reason, cause, .. } = &self.failed;
        let (times, last) =
            if self.times > 1 { (format!(" {}×", self.times), "last ") } else { (String::new(), "") };
        let at = self.newest.to_string();
        let why = if cause.is_empty() { reason } else { cause };
        format!("{what} failed{times} ({by}), {last}{}: {why}", without_millis(&at))
    }
}

/// Puts those together that differ only in when they were and how long they took; the newest first.
fn alike(found: Vec<(Timestamp, Failed)>) -> Vec<Alike> {
    let mut groups: Vec<Alike> = Vec::new();
    for (at, failed) in found.into_iter().rev() {
        let is_like = |known: &&mut Alike| {
            let known = &known.failed;
            (&known.what, &known.by, &known.reason, &known.cause)
                == (&failed.what, &failed.by, &failed.reason, &failed.cause)
        };
        match groups.iter_mut().find(is_like) {
            Some(known) => known.times += 1,
            None => groups.push(Alike { newest: at, times: 1, failed }),
        }
    }
    groups
}
