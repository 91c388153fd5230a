//! Many sessions as one: what happened in any of them, newest first.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use nudge_core::EntryId;
use nudge_store::{RowHead, SessionId, StoreError};

/// How many rows of a session are read at once, after the first.
const PAGE: u32 = 32;

/// A session that did so much elsewhere without coming back waits until the others are through.
const AWAY: u32 = 200;

/// What a row was.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// In the place that is looked for.
    Here,
    /// In another one.
    Away,
    /// Nobody looked where.
    Unknown,
    /// Whatever is older counts too little.
    Over,
}

/// Reads of a session what lies next before something, newest first.
pub(super) trait Page:
    Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError>
{
}

impl<F: Fn(SessionId, Option<&RowHead>, u32) -> Result<Vec<RowHead>, StoreError>> Page for F {}

/// Sessions, each read up to somewhere.
pub(super) struct Strands<P> {
    page: P,
    ahead: BinaryHeap<Strand>,
    aside: Vec<Strand>,
}

impl<P: Page> Strands<P> {
    /// Of each session its newest row.
    pub(super) fn new(sessions: &[SessionId], page: P) -> Result<Self, StoreError> {
        let mut ahead = BinaryHeap::with_capacity(sessions.len());
        for session in sessions {
            ahead.extend(Strand::of(page(*session, None, 1)?, 0));
        }
        Ok(Self { page, ahead, aside: Vec::new() })
    }

    /// Shows so many rows, the newest first, as far as sessions need not wait.
    pub(super) fn walk(
        &mut self,
        rows: u32,
        mut look: impl FnMut(&RowHead) -> Result<Verdict, StoreError>,
    ) -> Result<(), StoreError> {
        for _ in 0..rows {
            if self.ahead.is_empty() {
                self.ahead.extend(self.aside.drain(..));
            }
            let Some(strand) = self.ahead.pop() else { break };
            let away = match look(&strand.newest)? {
                Verdict::Here => 0,
                Verdict::Away => strand.away + 1,
                Verdict::Unknown => strand.away,
                Verdict::Over => {
                    self.ahead.clear();
                    continue;
                }
            };
            self.go_on(strand, away)?;
        }
        Ok(())
    }

    /// Where the newest row lies that was not shown, as something just after it.
    pub(super) fn rest(&self) -> Option<RowHead> {
        let newest = self.ahead.iter().chain(&self.aside).max()?.newest;
        Some(RowHead { id: EntryId(newest.id.0 + 1), ..newest })
    }

    fn go_on(&mut self, mut strand: Strand, away: u32) -> Result<(), StoreError> {
        let next = match strand.older.pop() {
            Some(newest) => Some(Strand { newest, away, ..strand }),
            None => Strand::of((self.page)(strand.newest.session, Some(&strand.newest), PAGE)?, away),
        };
        match next {
            Some(next) if away >= AWAY => self.aside.push(Strand { away: 0, ..next }),
            next => self.ahead.extend(next),
        }
        Ok(())
    }
}

/// A session that has more.
struct Strand {
    newest: RowHead,
    /// What was read beyond, the newest last.
    older: Vec<RowHead>,
    /// How many rows in a row were elsewhere.
    away: u32,
}

impl Strand {
    /// `None` where nothing is left.
    fn of(mut page: Vec<RowHead>, away: u32) -> Option<Self> {
        page.reverse();
        page.pop().map(|newest| Self { newest, older: page, away })
    }
}

impl Ord for Strand {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.newest.at, self.newest.id).cmp(&(other.newest.at, other.newest.id))
    }
}

impl PartialOrd for Strand {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Strand {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Strand {}

#[cfg(test)]
mod tests {
    use nudge_core::Timestamp;

    use super::*;

    const SESSIONS: [SessionId; 3] = [SessionId(0), SessionId(7), SessionId(1)];

    /// Even ids of one session, odd ones of another; four in the same millisecond, each third missing.
    fn page(session: SessionId, before: Option<&RowHead>, limit: u32) -> Result<Vec<RowHead>, StoreError> {
        let end = before.map_or(900, |glimpse| glimpse.id.0);
        let ids = (1..end).rev().filter(|id| id % 2 == session.0 && id % 3 != 0).take(limit as usize);
        let row = |id| RowHead { id: EntryId(id), session, kind: None, at: Timestamp::from_millis(id / 4) };
        Ok(ids.map(row).collect())
    }

    fn shown(rows: u32, verdict: impl Fn(i64) -> Verdict) -> (Vec<i64>, Option<i64>) {
        let mut strands = Strands::new(&SESSIONS, page).expect("read");
        let mut given = Vec::new();
        let look = |glimpse: &RowHead| {
            given.push(glimpse.id.0);
            Ok(verdict(glimpse.id.0))
        };
        strands.walk(rows, look).expect("read");
        (given, strands.rest().map(|glimpse| glimpse.id.0))
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
