//! Candidates for the recent context: the rows that may belong to it, found newest first.
//!
//! Among rows of one kind in one place, the newer counts more. So a walk from the newest row can
//! stop when a row counts less than as many others as are wanted, each about another file. All
//! walks are also bounded, so that an answer costs the same in a store of ten million rows. Rows
//! beyond these bounds are left out:
//!
//! * In a project: the newest 4,000 rows of the sessions that worked in it (see
//!   [`Reader::sessions_in`]), wherever they began; and of the rows before those, these sessions'
//!   rows among the next 1,500 of a kind, 3,000 in all.
//! * In all projects: the newest 2,000 rows of each kind.
//! * Prompts: the newest 1,000 of those sessions, or those among the newest 2,000 of all sessions.

mod shortlist;

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

use nudge_core::{EntryId, ObservationKind, Timestamp};
use nudge_store::{Reader, RowHead, SessionId, StoreError};
use shortlist::{SeenFiles, Shortlist};

use super::candidates::shortlist::{Match, score_of};
use super::place::Asked;
use crate::projects::HiddenProjects;

pub(super) use shortlist::Candidate;

/// How many rows of a project's sessions are read: a few days of busy work, at one to two
/// microseconds each.
const MAX_OF_SESSIONS: u32 = 4_000;

/// How many older rows are read for a project, of one kind and of all kinds.
const MAX_OLDER_OF_KIND: u32 = 1_500;

const MAX_OLDER: u32 = 3_000;

/// How many rows of a kind are read from all projects.
const MAX_OF_KIND: u32 = 2_000;

/// How many prompts of a project's sessions are read.
const MAX_PROMPTS: u32 = 1_000;

/// How many rows of a kind are read at once.
const KIND_PAGE: u32 = 100;

/// What the candidates are needed for.
pub(super) struct Wanted<'a> {
    /// The project asked about.
    pub(super) asked: &'a Asked,
    /// Whether other projects are left out.
    pub(super) only: bool,
    /// How many rows are returned in the end.
    pub(super) rows: usize,
    /// The current time.
    pub(super) now: Timestamp,
    /// The projects that are hidden from the caller.
    pub(super) hidden: &'a HiddenProjects,
}

/// The candidates, each once, in no order. A kind and a file may occur twice: the newest row here,
/// and the newest anywhere.
pub(super) fn candidates(reader: &Reader<'_>, wanted: &Wanted<'_>) -> Result<Vec<Candidate>, StoreError> {
    let mut search = Search { reader, wanted, list: Shortlist::new(wanted.rows) };
    let sessions = match wanted.asked {
        Asked::In(place) => reader.sessions_in(&place.scopes)?,
        Asked::All | Asked::Nowhere => Vec::new(),
    };
    search.done_here(&sessions)?;
    if !wanted.only || *wanted.asked == Asked::All {
        search.done_anywhere()?;
    }
    search.prompts_here(&sessions)?;
    if *wanted.asked == Asked::All {
        search.prompts_anywhere()?;
    }
    Ok(search.list.into_found())
}

/// The kinds, heaviest first: their rows let the walks over the others stop early.
fn heaviest_first() -> [ObservationKind; ObservationKind::ALL.len()] {
    let mut kinds = ObservationKind::ALL;
    kinds.sort_by(|a, b| b.weight().total_cmp(&a.weight()));
    kinds
}

struct Search<'a> {
    reader: &'a Reader<'a>,
    wanted: &'a Wanted<'a>,
    list: Shortlist,
}

impl Search<'_> {
    /// The project's rows from the sessions that worked there.
    fn done_here(&mut self, sessions: &[SessionId]) -> Result<(), StoreError> {
        let reader = self.reader;
        let [heaviest, ..] = heaviest_first();
        let mut met = SeenFiles::default();
        let mut merged = MergedSessions::new(sessions, |session, before, limit| {
            reader.row_heads_of_session(session, before, limit)
        })?;
        merged.walk(MAX_OF_SESSIONS, |head| {
            if self.is_too_little(Some(heaviest), head.at, Match::Here) {
                return Ok(RowResult::Over);
            }
            self.add_if_here(head, &mut met)
        })?;
        merged.rest().map_or(Ok(()), |rest| self.older_here(rest, sessions, &mut met))
    }

    /// Older rows of these sessions, of kinds that had too few.
    fn older_here(
        &mut self,
        from: RowHead,
        sessions: &[SessionId],
        met: &mut SeenFiles,
    ) -> Result<(), StoreError> {
        let sessions: HashSet<SessionId> = sessions.iter().copied().collect();
        let mut room = MAX_OLDER;
        for kind in heaviest_first() {
            let rows = room.min(MAX_OLDER_OF_KIND);
            room -= self.each_of_kind(kind, Some(from), rows, Match::Here, |search, head| {
                if sessions.contains(&head.session) {
                    search.add_if_here(head, met)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The newest rows of all projects. For each file only the newest row of each kind: an older
    /// one may count more because it is here, but then it was already found here.
    fn done_anywhere(&mut self) -> Result<(), StoreError> {
        let place = match self.wanted.asked {
            Asked::In(_) => Match::Elsewhere,
            Asked::All | Asked::Nowhere => Match::NotAsked,
        };
        let mut met = SeenFiles::default();
        for kind in heaviest_first() {
            self.each_of_kind(kind, None, MAX_OF_KIND, place, |search, head| {
                let file = search.reader.first_file(head.id)?;
                if search.is_closed(head)? {
                    return Ok(());
                }
                if met.insert(head, file) && !search.list.has(head.id) {
                    let is_here = search.is_here(head)?;
                    search.add(head, file, is_here);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The user's prompts in the project.
    fn prompts_here(&mut self, sessions: &[SessionId]) -> Result<(), StoreError> {
        let reader = self.reader;
        let mut merged = MergedSessions::new(sessions, |session, before, limit| {
            reader.prompt_heads(session, before, limit)
        })?;
        let mut met = SeenFiles::default();
        merged.walk(MAX_PROMPTS, |head| {
            if self.is_too_little(None, head.at, Match::Here) {
                return Ok(RowResult::Over);
            }
            self.add_if_here(head, &mut met)
        })
    }

    /// The user's newest prompts in all projects.
    fn prompts_anywhere(&mut self) -> Result<(), StoreError> {
        let rows = if self.wanted.hidden.is_empty() { self.wanted.rows } else { MAX_PROMPTS as usize };
        let mut taken = 0;
        for head in self.reader.newest_prompts(rows)? {
            if taken < self.wanted.rows && !self.is_closed(&head)? {
                self.add(&head, None, false);
                taken += 1;
            }
        }
        Ok(())
    }

    /// Calls `look` on the rows of a kind before a row, newest first, until the limit is reached or
    /// the rest counts too little in that place. Returns how many it visited.
    fn each_of_kind(
        &mut self,
        kind: ObservationKind,
        mut before: Option<RowHead>,
        rows: u32,
        place: Match,
        mut look: impl FnMut(&mut Self, &RowHead) -> Result<(), StoreError>,
    ) -> Result<u32, StoreError> {
        let mut looked = 0;
        while looked < rows {
            let page = self.reader.row_heads_of_kind(kind, before.as_ref(), KIND_PAGE.min(rows - looked))?;
            for head in &page {
                if self.is_too_little(Some(kind), head.at, place) {
                    return Ok(looked);
                }
                look(self, head)?;
                looked += 1;
            }
            before = page.last().copied();
            if before.is_none() {
                break;
            }
        }
        Ok(looked)
    }

    /// Adds a row that counts enough, is the newest of its kind about its file, and is in the
    /// project. The checks are in order of cost, the cheapest first.
    fn add_if_here(&mut self, head: &RowHead, met: &mut SeenFiles) -> Result<RowResult, StoreError> {
        if self.is_too_little(head.kind, head.at, Match::Here) || self.list.has(head.id) {
            return Ok(RowResult::Unknown);
        }
        let file = self.reader.first_file(head.id)?;
        if met.has(head, file) {
            return Ok(RowResult::Unknown);
        }
        if !self.is_here(head)? {
            return Ok(RowResult::Away);
        }
        met.insert(head, file);
        self.add(head, file, true);
        Ok(RowResult::Here)
    }

    fn add(&mut self, head: &RowHead, file: Option<i64>, is_here: bool) {
        let place = match self.wanted.asked {
            Asked::In(_) if is_here => Match::Here,
            Asked::In(_) => Match::Elsewhere,
            Asked::All | Asked::Nowhere => Match::NotAsked,
        };
        let score = score_of(head.kind, head.at, self.wanted.now, place);
        self.list.add(Candidate { score, head: *head, file, is_here });
    }

    fn is_here(&self, head: &RowHead) -> Result<bool, StoreError> {
        let Asked::In(place) = self.wanted.asked else { return Ok(false) };
        Ok(self.reader.scope_of(head.id)?.is_some_and(|scope| place.scopes.contains(&scope)))
    }

    /// Whether it is in a project that is hidden from the caller.
    fn is_closed(&self, head: &RowHead) -> Result<bool, StoreError> {
        let hidden = self.wanted.hidden;
        Ok(!hidden.is_empty() && self.reader.scope_of(head.id)?.is_some_and(|scope| hidden.hide_scope(scope)))
    }

    fn is_too_little(&self, kind: Option<ObservationKind>, at: Timestamp, place: Match) -> bool {
        self.list.is_too_little(score_of(kind, at, self.wanted.now, place))
    }
}

// Merges many sessions: their rows, newest first.

/// How many rows of a session are read at once, after the first.
const SESSION_PAGE: u32 = 32;

/// After this many rows elsewhere without one here, a session waits until the others are done.
const MAX_AWAY: u32 = 200;

/// The result for one row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum RowResult {
    /// It is in the place searched.
    Here,
    /// It is in another place.
    Away,
    /// Its place was not checked.
    Unknown,
    /// All older rows count too little.
    Over,
}

/// Reads the rows of a session before a given row, newest first.
trait Page: Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError> {}

impl<F: Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError>> Page for F {}

/// Sessions, each with a read position.
struct MergedSessions<P> {
    page: P,
    ahead: BinaryHeap<SessionCursor>,
    waiting: Vec<SessionCursor>,
}

impl<P: Page> MergedSessions<P> {
    /// Starts with the newest row of each session.
    fn new(sessions: &[SessionId], page: P) -> Result<Self, StoreError> {
        let mut ahead = BinaryHeap::with_capacity(sessions.len());
        for session in sessions {
            ahead.extend(SessionCursor::of(page(*session, None, 1)?, 0));
        }
        Ok(Self { page, ahead, waiting: Vec::new() })
    }

    /// Visits at most this many rows, newest first. Sessions that have to wait come last.
    fn walk(
        &mut self,
        rows: u32,
        mut look: impl FnMut(&RowHead) -> Result<RowResult, StoreError>,
    ) -> Result<(), StoreError> {
        for _ in 0..rows {
            if self.ahead.is_empty() {
                self.ahead.extend(self.waiting.drain(..));
            }
            let Some(cursor) = self.ahead.pop() else { break };
            let away = match look(&cursor.newest)? {
                RowResult::Here => 0,
                RowResult::Away => cursor.away + 1,
                RowResult::Unknown => cursor.away,
                RowResult::Over => {
                    self.ahead.clear();
                    continue;
                }
            };
            self.go_on(cursor, away)?;
        }
        Ok(())
    }

    /// A position just after the newest row that was not visited.
    fn rest(&self) -> Option<RowHead> {
        let newest = self.ahead.iter().chain(&self.waiting).max()?.newest;
        Some(RowHead { id: EntryId(newest.id.0 + 1), ..newest })
    }

    fn go_on(&mut self, mut cursor: SessionCursor, away: u32) -> Result<(), StoreError> {
        let next = match cursor.older.pop() {
            Some(newest) => Some(SessionCursor { newest, away, ..cursor }),
            None => SessionCursor::of(
                (self.page)(cursor.newest.session, Some(&cursor.newest), SESSION_PAGE)?,
                away,
            ),
        };
        match next {
            Some(next) if away >= MAX_AWAY => self.waiting.push(SessionCursor { away: 0, ..next }),
            next => self.ahead.extend(next),
        }
        Ok(())
    }
}

/// A session with unread rows.
struct SessionCursor {
    newest: RowHead,
    /// Rows already read, the newest last.
    older: Vec<RowHead>,
    /// How many rows in a row were elsewhere.
    away: u32,
}

impl SessionCursor {
    /// `None` if no rows are left.
    fn of(mut page: Vec<RowHead>, away: u32) -> Option<Self> {
        page.reverse();
        page.pop().map(|newest| Self { newest, older: page, away })
    }
}

impl Ord for SessionCursor {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.newest.at, self.newest.id).cmp(&(other.newest.at, other.newest.id))
    }
}

impl PartialOrd for SessionCursor {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SessionCursor {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SessionCursor {}

#[cfg(test)]
mod tests {
    use nudge_core::Timestamp;

    use super::*;

    const SESSIONS: [SessionId; 3] = [SessionId(0), SessionId(7), SessionId(1)];

    /// Even ids belong to one session, odd ones to another; four share a millisecond, every third
    /// is missing.
    fn page(session: SessionId, before: Option<&RowHead>, limit: u32) -> Result<Vec<RowHead>, StoreError> {
        let end = before.map_or(900, |head| head.id.0);
        let ids = (1..end).rev().filter(|id| id % 2 == session.0 && id % 3 != 0).take(limit as usize);
        let row = |id| RowHead { id: EntryId(id), session, kind: None, at: Timestamp::from_millis(id / 4) };
        Ok(ids.map(row).collect())
    }

    fn shown(rows: u32, verdict: impl Fn(i64) -> RowResult) -> (Vec<i64>, Option<i64>) {
        let mut merged = MergedSessions::new(&SESSIONS, page).expect("read");
        let mut given = Vec::new();
        let look = |head: &RowHead| {
            given.push(head.id.0);
            Ok(verdict(head.id.0))
        };
        merged.walk(rows, look).expect("read");
        (given, merged.rest().map(|head| head.id.0))
    }

    fn ids() -> impl Iterator<Item = i64> {
        (1..900).rev().filter(|id| id % 3 != 0)
    }

    #[test]
    fn sessions_are_read_as_one_from_the_newest_on() {
        assert_eq!(shown(1_000, |_| RowResult::Here), (ids().collect(), None));
        assert_eq!(shown(10, |_| RowResult::Unknown), (ids().take(10).collect(), Some(885)));
        let over = |id| if id < 800 { RowResult::Over } else { RowResult::Here };
        assert_eq!(shown(1_000, over), (ids().take_while(|id| *id > 798).collect(), None));
    }

    #[test]
    fn one_that_left_waits_for_the_others() {
        let odd_is_away = |id| if id % 2 == 0 { RowResult::Here } else { RowResult::Away };
        let (given, rest) = shown(1_000, odd_is_away);
        assert_eq!((given.len(), rest), (ids().count(), None));
        let away: Vec<i64> = ids().filter(|id| id % 2 == 1).skip(MAX_AWAY as usize).collect();
        assert_eq!(given[given.len() - away.len()..], away);
    }
}
