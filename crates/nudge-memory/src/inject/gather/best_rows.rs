//! The rows of a project that count most, whichever of its newest sessions they are from.
//!
//! Rows are weighed before anything of them is read but kind and time, so that no number of rows of one kind hides those of
//! another. The walk is bounded: a start costs the same in a store of any size.

use std::collections::HashMap;

use nudge_context::{ASIDE, worth};
use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::{ProjectId, Reader, RecentRow, RowHead, SessionId};

/// How many of the newest rows of one session are weighed, and of all sessions.
const WEIGHED_EACH: u32 = 500;
const WEIGHED: usize = 2_500;

/// How many rows are read in search of as many as are wanted, for each that is wanted.
const READ: usize = 2;

/// How many rows about one file, or with the same text and end, are taken. One of them is shown; the others explain
/// what it stands for, and take the place of one that is withheld.
const ALIKE: u8 = 3;

/// At most so many rows of a project, the best first. A session is given with whether its rows count as aside.
pub(super) fn best_rows(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    project: ProjectId,
    wanted: usize,
    now: Timestamp,
) -> Result<Vec<RecentRow>, Fault> {
    let mut alike: HashMap<Likeness, u8> = HashMap::new();
    let mut files: HashMap<i64, u8> = HashMap::new();
    let mut here = Here { reader, project, scopes: HashMap::new() };
    let (mut found, mut read) = (Vec::new(), 0);
    for glimpse in weighed(reader, sessions, now)? {
        if found.len() >= wanted || read >= wanted * READ {
            break;
        }
        if !here.holds(&glimpse)? {
            continue;
        }
        let file = reader.first_file(glimpse.id)?;
        if file.is_some_and(|file| is_enough(files.entry(file).or_default())) {
            continue;
        }
        read += 1;
        let Some(row) = reader.recent_row(glimpse.id)? else { continue };
        if file.is_none() && is_enough(alike.entry(likeness(&row)).or_default()) {
            continue;
        }
        found.push(row);
    }
    Ok(found)
}

/// The newest rows of the sessions, the one that counts most first.
fn weighed(
    reader: &Reader<'_>,
    sessions: &[(SessionId, bool)],
    now: Timestamp,
) -> Result<Vec<RowHead>, Fault> {
    let mut found: Vec<(f64, RowHead)> = Vec::new();
    for (session, is_aside) in sessions {
        let room = WEIGHED.saturating_sub(found.len()).min(WEIGHED_EACH as usize);
        let rows = reader.row_heads_of_session(*session, None, room as u32)?;
        found.extend(rows.into_iter().filter_map(|glimpse| {
            let kind = glimpse.kind.filter(|kind| !is_of_session(*kind))?;
            let worth = worth(kind, glimpse.at, now) * if *is_aside { ASIDE } else { 1.0 };
            Some((worth, glimpse))
        }));
        if found.len() >= WEIGHED {
            break;
        }
    }
    found.sort_by(|(one, a), (other, b)| other.total_cmp(one).then(b.id.cmp(&a.id)));
    Ok(found.into_iter().map(|(_, glimpse)| glimpse).collect())
}

/// What happened to a session, and what its agent only said: nobody did it.
const fn is_of_session(kind: ObservationKind) -> bool {
    matches!(
        kind,
        ObservationKind::SessionStart
            | ObservationKind::SessionEnd
            | ObservationKind::SessionCompact
            | ObservationKind::Conclusion
    )
}

/// Which rows lie in the project: an agent may have gone to another one in the middle of a session.
struct Here<'r> {
    reader: &'r Reader<'r>,
    project: ProjectId,
    scopes: HashMap<i64, bool>,
}

impl Here<'_> {
    fn holds(&mut self, glimpse: &RowHead) -> Result<bool, Fault> {
        let Some(scope) = self.reader.scope_of(glimpse.id)? else { return Ok(false) };
        if let Some(known) = self.scopes.get(&scope) {
            return Ok(*known);
        }
        let is_here = self.reader.project_of(glimpse.id)? == Some(self.project);
        self.scopes.insert(scope, is_here);
        Ok(is_here)
    }
}

/// What makes two rows without a file say the same.
type Likeness = (ObservationKind, String, bool);

fn likeness(row: &RecentRow) -> Likeness {
    (row.kind, row.text.clone(), matches!(row.outcome, Outcome::Failed { .. }))
}

/// Counts one more, and says whether there were enough before it.
const fn is_enough(count: &mut u8) -> bool {
    *count = count.saturating_add(1);
    *count > ALIKE
}
