//! What is weighed for the recent context: whatever may belong to its rows, found newest first.
//!
//! Of one kind in one place the newer counts more. So a walk from the newest on may end as soon as a row counts less than as
//! many others as are wanted, each of another file. All walks are bounded too, so that an answer costs the same in a store of
//! ten million rows. Beyond these bounds things are left out:
//!
//! * Of a project: the newest 4,000 rows of the sessions that worked in it (see [`Reader::sessions_in`]), wherever they
//!   began; and before those, what these sessions left among the next 1,500 rows of a kind, 3,000 in all.
//! * Of everything: the newest 2,000 rows of each kind.
//! * Of prompts: the newest 1,000 of those sessions, or those among the newest 2,000 of everybody.

mod merge_sessions;
mod shortlist;

use std::collections::HashSet;

use nudge_core::{ObservationKind, Timestamp};
use nudge_store::{Reader, RowHead, SessionId, StoreError};

use super::place::Asked;
use super::score::{Match, score};
use crate::projects::Walls;
use merge_sessions::{Strands, Verdict};
pub(super) use shortlist::Candidate;
use shortlist::{Met, Shortlist};

/// How many rows of the sessions of a project are looked at: some days of busy work, for one to two microseconds each.
const OF_SESSIONS: u32 = 4_000;

/// How many older rows of a kind are looked at for a project, and of all kinds.
const OLDER_OF_KIND: u32 = 1_500;
const OLDER: u32 = 3_000;

/// How many rows of a kind are looked at anywhere.
const OF_KIND: u32 = 2_000;

/// How many prompts of the sessions of a project are looked at.
const PROMPTS: u32 = 1_000;

/// How many rows of a kind are read at once.
const PAGE: u32 = 100;

/// What the candidates are wanted for.
pub(super) struct Wanted<'a> {
    /// Where.
    pub(super) asked: &'a Asked,
    /// Whether other projects are left out.
    pub(super) only: bool,
    /// How many rows are told in the end.
    pub(super) rows: usize,
    /// The time.
    pub(super) now: Timestamp,
    /// What is closed to whoever asks.
    pub(super) walls: &'a Walls,
}

/// The candidates, each once, in no order. Of a kind and a file there may be two: the newest here, and the newest anywhere.
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
    search.said_here(&sessions)?;
    if *wanted.asked == Asked::All {
        search.said_anywhere()?;
    }
    Ok(search.list.into_found())
}

/// The kinds, those that weigh most first: what they leave ends the walks over the others early.
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
    /// What was done in the project by the sessions that worked there.
    fn done_here(&mut self, sessions: &[SessionId]) -> Result<(), StoreError> {
        let reader = self.reader;
        let [heaviest, ..] = heaviest_first();
        let mut met = Met::default();
        let mut strands = Strands::new(sessions, |session, before, limit| {
            reader.row_heads_of_session(session, before, limit)
        })?;
        strands.walk(OF_SESSIONS, |glimpse| {
            if self.is_too_little(Some(heaviest), glimpse.at, Match::Here) {
                return Ok(Verdict::Over);
            }
            self.take_here(glimpse, &mut met)
        })?;
        strands.rest().map_or(Ok(()), |rest| self.older_here(rest, sessions, &mut met))
    }

    /// What they did before, as far as it is of a kind that there was too little of.
    fn older_here(&mut self, from: RowHead, sessions: &[SessionId], met: &mut Met) -> Result<(), StoreError> {
        let sessions: HashSet<SessionId> = sessions.iter().copied().collect();
        let mut room = OLDER;
        for kind in heaviest_first() {
            let rows = room.min(OLDER_OF_KIND);
            room -= self.each_of_kind(kind, Some(from), rows, Match::Here, |search, glimpse| {
                if sessions.contains(&glimpse.session) {
                    search.take_here(glimpse, met)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// What was done last, wherever. Of a file only the newest row of each kind: an older one may count more because it is
    /// here, but then it was found here.
    fn done_anywhere(&mut self) -> Result<(), StoreError> {
        let place = match self.wanted.asked {
            Asked::In(_) => Match::Elsewhere,
            Asked::All | Asked::Nowhere => Match::NotAsked,
        };
        let mut met = Met::default();
        for kind in heaviest_first() {
            self.each_of_kind(kind, None, OF_KIND, place, |search, glimpse| {
                let file = search.reader.first_file(glimpse.id)?;
                if search.is_closed(glimpse)? {
                    return Ok(());
                }
                if met.insert(glimpse, file) && !search.list.has(glimpse.id) {
                    let is_here = search.is_here(glimpse)?;
                    search.add(glimpse, file, is_here);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// What the person said in the project.
    fn said_here(&mut self, sessions: &[SessionId]) -> Result<(), StoreError> {
        let reader = self.reader;
        let mut strands =
            Strands::new(sessions, |session, before, limit| reader.prompt_heads(session, before, limit))?;
        let mut met = Met::default();
        strands.walk(PROMPTS, |glimpse| {
            if self.is_too_little(None, glimpse.at, Match::Here) {
                return Ok(Verdict::Over);
            }
            self.take_here(glimpse, &mut met)
        })
    }

    /// What the person said last, wherever.
    fn said_anywhere(&mut self) -> Result<(), StoreError> {
        let rows = if self.wanted.walls.is_empty() { self.wanted.rows } else { PROMPTS as usize };
        let mut taken = 0;
        for glimpse in self.reader.newest_prompts(rows)? {
            if taken < self.wanted.rows && !self.is_closed(&glimpse)? {
                self.add(&glimpse, None, false);
                taken += 1;
            }
        }
        Ok(())
    }

    /// Shows the rows of a kind before one, newest first, until so many were shown or the rest counts too little in that
    /// place. Says how many it were.
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
            let page = self.reader.row_heads_of_kind(kind, before.as_ref(), PAGE.min(rows - looked))?;
            for glimpse in &page {
                if self.is_too_little(Some(kind), glimpse.at, place) {
                    return Ok(looked);
                }
                look(self, glimpse)?;
                looked += 1;
            }
            before = page.last().copied();
            if before.is_none() {
                break;
            }
        }
        Ok(looked)
    }

    /// Takes a row that counts enough, is the newest of its kind about its file, and lies here. Asks in this order: each
    /// question costs more than the one before.
    fn take_here(&mut self, glimpse: &RowHead, met: &mut Met) -> Result<Verdict, StoreError> {
        if self.is_too_little(glimpse.kind, glimpse.at, Match::Here) || self.list.has(glimpse.id) {
            return Ok(Verdict::Unknown);
        }
        let file = self.reader.first_file(glimpse.id)?;
        if met.has(glimpse, file) {
            return Ok(Verdict::Unknown);
        }
        if !self.is_here(glimpse)? {
            return Ok(Verdict::Away);
        }
        met.insert(glimpse, file);
        self.add(glimpse, file, true);
        Ok(Verdict::Here)
    }

    fn add(&mut self, glimpse: &RowHead, file: Option<i64>, is_here: bool) {
        let place = match self.wanted.asked {
            Asked::In(_) if is_here => Match::Here,
            Asked::In(_) => Match::Elsewhere,
            Asked::All | Asked::Nowhere => Match::NotAsked,
        };
        let score = score(glimpse.kind, glimpse.at, self.wanted.now, place);
        self.list.add(Candidate { score, glimpse: *glimpse, file, is_here });
    }

    fn is_here(&self, glimpse: &RowHead) -> Result<bool, StoreError> {
        let Asked::In(place) = self.wanted.asked else { return Ok(false) };
        Ok(self.reader.scope_of(glimpse.id)?.is_some_and(|scope| place.scopes.contains(&scope)))
    }

    /// Whether it lies in a project that is closed to whoever asks.
    fn is_closed(&self, glimpse: &RowHead) -> Result<bool, StoreError> {
        let walls = self.wanted.walls;
        Ok(!walls.is_empty()
            && self.reader.scope_of(glimpse.id)?.is_some_and(|scope| walls.hide_scope(scope)))
    }

    fn is_too_little(&self, kind: Option<ObservationKind>, at: Timestamp, place: Match) -> bool {
        self.list.is_too_little(score(kind, at, self.wanted.now, place))
    }
}
