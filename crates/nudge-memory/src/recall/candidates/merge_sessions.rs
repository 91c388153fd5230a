//! Merges many sessions: their rows, newest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nudge_core::EntryId;
use nudge_store::{RowHead, SessionId, StoreError};

/// How many rows of a session are read at once, after the first.
const PAGE: u32 = 32;

/// After this many rows elsewhere without one here, a session waits until the others are done.
const AWAY: u32 = 200;

/// The result for one row.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
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
pub(super) trait Page:
    Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError>
{
}

impl<F: Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError>> Page for F {}

/// Sessions, each with a read position.
pub(super) struct MergedSessions<P> {
    page: P,
    ahead: BinaryHeap<SessionCursor>,
    aside: Vec<SessionCursor>,
}

impl<P: Page> MergedSessions<P> {
    /// Starts with the newest row of each session.
    pub(super) fn new(sessions: &[SessionId], page: P) -> Result<Self, StoreError> {
        let mut ahead = BinaryHeap::with_capacity(sessions.len());
        for session in sessions {
            ahead.extend(SessionCursor::of(page(*session, None, 1)?, 0));
        }
        Ok(Self { page, ahead, aside: Vec::new() })
    }

    /// Visits at most this many rows, newest first. Sessions that have to wait come last.
    pub(super) fn walk(
        &mut self,
        rows: u32,
        mut look: impl FnMut(&RowHead) -> Result<Verdict, StoreError>,
    ) -> Result<(), StoreError> {
        for _ in 0..rows {
            if self.ahead.is_empty() {
                self.ahead.extend(self.aside.drain(..));
            }
            let Some(cursor) = self.ahead.pop() else { break };
            let away = match look(&cursor.newest)? {
                Verdict::Here => 0,
                Verdict::Away => cursor.away + 1,
                Verdict::Unknown => cursor.away,
                Verdict::Over => {
                    self.ahead.clear();
                    continue;
                }
            };
            self.go_on(cursor, away)?;
        }
        Ok(())
    }

    /// A position just after the newest row that was not visited.
    pub(super) fn rest(&self) -> Option<RowHead> {
        let newest = self.ahead.iter().chain(&self.aside).max()?.newest;
        Some(RowHead { id: EntryId(newest.id.0 + 1), ..newest })
    }

    fn go_on(&mut self, mut cursor: SessionCursor, away: u32) -> Result<(), StoreError> {
        let next = match cursor.older.pop() {
            Some(newest) => Some(SessionCursor { newest, away, ..cursor }),
            None => SessionCursor::of((self.page)(cursor.newest.session, Some(&cursor.newest), PAGE)?, away),
        };
        match next {
            Some(next) if away >= AWAY => self.aside.push(SessionCursor { away: 0, ..next }),
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

    fn shown(rows: u32, verdict: impl Fn(i64) -> Verdict) -> (Vec<i64>, Option<i64>) {
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
        assert_eq!(shown(1_000, |_| Verdict::Here), (ids().collect(), None));
        assert_eq!(shown(10, |_| Verdict::Unknown), (ids().take(10).collect(), Some(885)));
        let over = |id| if id < 800 { Verdict::Over } else { Verdict::Here };
        assert_eq!(shown(1_000, over), (ids().take_while(|id| *id > 798).collect(), None));
    }

    #[test]
    fn one_that_left_waits_for_the_others() {
        let odd_is_away = |id| if id % 2 == 0 { Verdict::Here } else { Verdict::Away };
        let (given, rest) = shown(1_000, odd_is_away);
        assert_eq!((given.len(), rest), (ids().count(), None));
        let away: Vec<i64> = ids().filter(|id| id % 2 == 1).skip(AWAY as usize).collect();
        assert_eq!(given[given.len() - away.len()..], away);
    }
}
