//! The most important rows of a project, from any of its newest sessions.
//!
//! Rows are weighed by kind and time before anything else of them is read, so that many rows of one
//! kind cannot hide those of another. The number of rows read is bounded: a start costs the same in
//! a store of any size.

use std::collections::HashMap;

use nudge_context::{INVISIBLE_WORK_FACTOR, worth};
use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{ProjectId, Reader, RecentRow, RowHead, SessionId};

/// How many of the newest rows are weighed, per session and in all.
const WEIGHED_EACH: u32 = 500;
const WEIGHED: usize = 2_500;

/// How many rows are read for each row wanted.
const READ: usize = 2;

/// How many rows about one file, or with the same text and outcome, are kept. One of them is shown.
/// The others show how much it represents, and replace it if it is withheld.
const ALIKE: u8 = 3;

/// At most this many rows of a project, the best first. Each session comes with whether its rows
/// count as aside.
pub(super) fn best_rows(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    project: ProjectId,
    wanted: usize,
    now: Timestamp,
) -> Result<Vec<RecentRow>, Fault> {
    let mut alike: HashMap<Likeness, u8> = HashMap::new();
    let mut files: HashMap<i64, u8> = HashMap::new();
    let mut here = ProjectCheck { reader, project, scopes: HashMap::new() };
    let (mut found, mut read) = (Vec::new(), 0);
    for head in weighed(reader, sessions, now)? {
        if found.len() >= wanted || read >= wanted * READ {
            break;
        }
        if !here.contains(&head)? {
            continue;
        }
        let file = reader.first_file(head.id)?;
        if file.is_some_and(|file| count_and_check_limit(files.entry(file).or_default())) {
            continue;
        }
        read += 1;
        let Some(row) = reader.recent_row(head.id)? else { continue };
        if file.is_none() && count_and_check_limit(alike.entry(likeness(&row)).or_default()) {
            continue;
        }
        found.push(row);
    }
    Ok(found)
}

/// The newest rows of the sessions, the most important first.
fn weighed(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    now: Timestamp,
) -> Result<Vec<RowHead>, Fault> {
    let mut found: Vec<(f64, RowHead)> = Vec::new();
    for (session, is_aside) in sessions {
        let room = WEIGHED.saturating_sub(found.len()).min(WEIGHED_EACH as usize);
        let rows = reader.row_heads_of_session(*session, None, room as u32)?;
        found.extend(rows.into_iter().filter_map(|head| {
            let kind = head.kind.filter(|kind| !is_of_session(*kind))?;
            let worth = worth(kind, head.at, now) * if *is_aside { INVISIBLE_WORK_FACTOR } else { 1.0 };
            Some((worth, head))
        }));
        if found.len() >= WEIGHED {
            break;
        }
    }
    found.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(b.id.cmp(&a.id)));
    Ok(found.into_iter().map(|(_, head)| head).collect())
}

/// Whether a row is about the session itself, or only something its agent said: not an action.
const fn is_of_session(kind: ObservationKind) -> bool {
    matches!(
        kind,
        ObservationKind::SessionStart
            | ObservationKind::SessionEnd
            | ObservationKind::SessionCompact
            | ObservationKind::Conclusion
    )
}

/// Checks which rows belong to the project: an agent may have moved to another one during a
/// session.
struct ProjectCheck<'r> {
    reader: &'r Reader<'r>,
    project: ProjectId,
    scopes: HashMap<i64, bool>,
}

impl ProjectCheck<'_> {
    fn contains(&mut self, head: &RowHead) -> Result<bool, Fault> {
        let Some(scope) = self.reader.scope_of(head.id)? else { return Ok(false) };
        if let Some(known) = self.scopes.get(&scope) {
            return Ok(*known);
        }
        let is_here = self.reader.project_of(head.id)? == Some(self.project);
        self.scopes.insert(scope, is_here);
        Ok(is_here)
    }
}

/// The key by which two rows without a file count as the same.
type Likeness = (ObservationKind, String, bool);

fn likeness(row: &RecentRow) -> Likeness {
    (row.kind, row.text.clone(), matches!(row.outcome, Outcome::Failed { .. }))
}

/// Counts one more; true if the limit was already reached.
const fn count_and_check_limit(count: &mut u8) -> bool {
    *count = count.saturating_add(1);
    *count > ALIKE
}
