//! The change feed: one ordered list of what happened, for everyone who follows the store.

use nudge_core::{EntryId, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row};
use std::time::Duration;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// How many rows are kept at least: a week of the busiest use seen (14,000 events a day), so that a
/// listener that comes late need not start over.
const KEPT_ROWS: i64 = 100_000;

/// How long a row is kept at least.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// How many rows one pass removes at most; about ten milliseconds of work under the write lock.
const TRIMMED_AT_ONCE: i64 = 10_000;

/// After how many appended rows a writer trims on its own, for stores that nobody sweeps.
const TRIM_EVERY: i64 = 4_096;

/// A reader not heard of for so long is taken for gone; it starts over if it returns.
const READER_SILENCE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// What happened to an entry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is new.
    Created,
    /// It has a new version.
    Updated,
    /// It is gone.
    Deleted,
    /// It was used; what it says is unchanged.
    Used,
    /// A session or project has another name.
    Renamed,
    /// The agent of a session is at work.
    Busy,
    /// The agent of a session has ended its turn.
    Idle,
    /// A session ended.
    Ended,
    /// The person has looked at a session.
    Observed,
    /// A session that was taken up again got its first prompt.
    Resumed,
    /// Something a newer program knows about; to be taken as a change of unknown extent.
    Other,
}

impl ChangeKind {
    const ALL: [Self; 10] = [
        Self::Created,
        Self::Updated,
        Self::Deleted,
        Self::Used,
        Self::Renamed,
        Self::Busy,
        Self::Idle,
        Self::Ended,
        Self::Observed,
        Self::Resumed,
    ];

    /// The number in the feed. Never changes its meaning.
    const fn code(self) -> i64 {
        match self {
            Self::Other => 0,
            Self::Created => 1,
            Self::Updated => 2,
            Self::Deleted => 3,
            Self::Used => 4,
            Self::Renamed => 5,
            Self::Busy => 6,
            Self::Idle => 7,
            Self::Ended => 8,
            Self::Observed => 9,
            Self::Resumed => 10,
        }
    }

    fn from_code(code: i64) -> Self {
        Self::ALL.into_iter().find(|kind| kind.code() == code).unwrap_or(Self::Other)
    }

    /// The word for it, for listeners.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Other => "other",
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Used => "used",
            Self::Renamed => "renamed",
            Self::Busy => "busy",
            Self::Idle => "idle",
            Self::Ended => "ended",
            Self::Observed => "observed",
            Self::Resumed => "resumed",
        }
    }
}

/// One row of the feed. It has no text: who wants that reads the entry, if it still exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its place in the order; positions rise and may leave gaps.
    pub position: i64,
    /// The entry.
    pub entry: EntryId,
    /// The entry's scheme, so that a reader can pass over kinds it does not follow.
    pub scheme: String,
    /// The scope it lies in, or lay in; `None` in rows from before scopes were noted.
    pub scope: Option<Scope>,
    /// What happened.
    pub kind: ChangeKind,
    /// The entry's version then.
    pub version: i64,
    /// When.
    pub at: Timestamp,
}

/// What comes after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedPage {
    /// The changes, oldest first.
    pub changes: Vec<Change>,
    /// The position of the newest change there is; equal to the last one here when all is read.
    pub head: i64,
}

/// A registered follower of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedReader {
    /// Its name.
    pub name: String,
    /// How far it has come.
    pub position: i64,
    /// When it was last heard of.
    pub seen_at: Timestamp,
}

pub(crate) const AFTER: &str = "SELECT f.position, f.entry_id, s.name, f.kind, f.version, f.at, p.kind, p.key
       FROM feed f CROSS JOIN scheme s ON s.id = f.scheme_id LEFT JOIN scope p ON p.id = f.scope_id
      WHERE f.position > ?1 ORDER BY f.position LIMIT ?2";

pub(crate) const HEAD: &str = "SELECT max(position) FROM feed";

pub(crate) const FLOOR: &str = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'feed_floor'";

impl Reader<'_> {
    /// The changes after a position, oldest first; 0 is before the first.
    ///
    /// [`StoreError::FeedGone`] when some of them were trimmed, or when the position lies beyond
    /// the head, as after restoring a backup: the reader then takes a snapshot and goes on from the
    /// head.
    pub fn feed_after(&self, position: i64, limit: u32) -> Result<FeedPage, StoreError> {
        let (floor, head) = (self.feed_floor()?, self.feed_head()?);
        if position < floor || position > head {
            return Err(StoreError::FeedGone { oldest: floor });
        }
        let mut found = self.sql(AFTER)?;
        let changes = found
            .query_map((position, limit), |row| {
                Ok(Change {
                    position: row.get(0)?,
                    entry: EntryId(row.get(1)?),
                    scheme: row.get(2)?,
                    kind: ChangeKind::from_code(row.get(3)?),
                    version: row.get(4)?,
                    at: Timestamp::from_millis(row.get(5)?),
                    scope: scope_from(row)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        Ok(FeedPage { changes, head })
    }

    /// The position of the newest change; where a reader continues that has just taken a snapshot.
    pub fn feed_head(&self) -> Result<i64, StoreError> {
        let newest: Option<i64> = self.sql(HEAD)?.query_row([], |row| row.get(0))?;
        newest.map_or_else(|| self.feed_floor(), Ok)
    }

    /// The oldest position that can be continued from.
    pub fn feed_floor(&self) -> Result<i64, StoreError> {
        let floor: Option<i64> = self.sql(FLOOR)?.query_row([], |row| row.get(0)).optional()?;
        Ok(floor.unwrap_or(0))
    }

    /// Who follows the feed, slowest first.
    pub fn feed_readers(&self) -> Result<Vec<FeedReader>, StoreError> {
        let mut found =
            self.sql("SELECT name, position, seen_at FROM feed_reader ORDER BY position, name")?;
        let readers = found.query_map([], |row| {
            Ok(FeedReader {
                name: row.get(0)?,
                position: row.get(1)?,
                seen_at: Timestamp::from_millis(row.get(2)?),
            })
        })?;
        Ok(readers.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Notes how far a reader has come, registering it if it is new.
    ///
    /// What comes after its position is kept for it. A position that is already gone is refused
    /// with [`StoreError::FeedGone`].
    pub fn advance_feed_reader(&self, name: &str, position: i64, now: Timestamp) -> Result<(), StoreError> {
        let floor = self.feed_floor()?;
        if position < floor || position > self.feed_head()? {
            return Err(StoreError::FeedGone { oldest: floor });
        }
        self.sql(
            "INSERT INTO feed_reader (name, position, seen_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (name) DO UPDATE SET position = excluded.position, seen_at = excluded.seen_at",
        )?
        .execute((name, position, now.as_millis()))?;
        Ok(())
    }

    /// Registers a reader at the head and returns that position, or the one it had reached before.
    pub fn register_feed_reader(&self, name: &str, now: Timestamp) -> Result<i64, StoreError> {
        let known: Option<i64> = self
            .sql("SELECT position FROM feed_reader WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        let position = match known {
            Some(position) => position,
            None => self.feed_head()?,
        };
        self.advance_feed_reader(name, position, now)?;
        Ok(position)
    }

    /// Forgets a reader, so that nothing is kept for it; says whether it was known.
    pub fn forget_feed_reader(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.sql("DELETE FROM feed_reader WHERE name = ?1")?.execute([name])? > 0)
    }

    /// Appends a change of an entry in the transaction that makes it.
    pub(crate) fn append(
        &self,
        entry: EntryId,
        scheme: &str,
        kind: ChangeKind,
        version: i64,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let scope: Option<i64> = self
            .sql("SELECT scope_id FROM entry WHERE id = ?1")?
            .query_row([entry.0], |row| row.get(0))
            .optional()?;
        self.append_in(scope, entry, scheme, kind, version, at)
    }

    /// The same where the scope is known.
    pub(crate) fn append_in(
        &self,
        scope: Option<i64>,
        entry: EntryId,
        scheme: &str,
        kind: ChangeKind,
        version: i64,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let scheme = self.scheme_id(scheme)?;
        let position = self
            .sql(
                "INSERT INTO feed (entry_id, scheme_id, kind, version, at, scope_id)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .insert((entry.0, scheme, kind.code(), version, at.as_millis(), scope))?;
        if position % TRIM_EVERY == 0 {
            self.trim_feed(at)?;
        }
        Ok(())
    }

    /// Removes rows that every known reader has seen, that are older than a day and that are not
    /// among the newest; a bounded number at a time.
    pub(crate) fn trim_feed(&self, now: Timestamp) -> Result<u64, StoreError> {
        self.sql("DELETE FROM feed_reader WHERE seen_at < ?1")?
            .execute([now.minus(READER_SILENCE).as_millis()])?;
        let floor = self.feed_floor()?;
        let slowest: Option<i64> =
            self.sql("SELECT min(position) FROM feed_reader")?.query_row([], |row| row.get(0))?;
        let oldest_kept = self.feed_head()?.saturating_sub(KEPT_ROWS);
        let wanted = slowest.map_or(oldest_kept, |position| position.min(oldest_kept));
        let upto = wanted.min(floor.saturating_add(TRIMMED_AT_ONCE));
        let young: Option<i64> = self
            .sql("SELECT min(position) FROM feed WHERE position > ?1 AND position <= ?2 AND at >= ?3")?
            .query_row((floor, upto, now.minus(KEPT_FOR).as_millis()), |row| row.get(0))?;
        let upto = young.map_or(upto, |young| upto.min(young - 1));
        if upto <= floor {
            return Ok(0);
        }
        let removed = self.sql("DELETE FROM feed WHERE position <= ?1")?.execute([upto])?;
        self.put_meta("feed_floor", &upto.to_string())?;
        Ok(removed as u64)
    }
}

fn scope_from(row: &Row<'_>) -> rusqlite::Result<Option<Scope>> {
    let (kind, key): (Option<String>, Option<String>) = (row.get(6)?, row.get(7)?);
    Ok(kind.and_then(|kind| Scope::from_parts(&kind, key.as_deref().unwrap_or_default())))
}
