//! The change feed: one ordered list of changes, for all readers of the store.

use nudge_core::{EntryId, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row};
use std::time::Duration;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::writer::Writer;

/// How many rows are kept at least: a week of the busiest use seen (14,000 events a day), so that a
/// late reader need not start over.
const KEPT_ROWS: i64 = 100_000;

/// How long a row is kept at least.
const KEPT_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// How many rows one pass removes at most; about ten milliseconds under the write lock.
const TRIMMED_AT_ONCE: i64 = 10_000;

/// A writer trims after this many appended rows, for stores that are never swept.
const TRIM_EVERY: i64 = 4_096;

/// A reader silent for this long counts as gone; it starts over if it returns.
const READER_SILENCE: Duration = Duration::from_secs(30 * 24 * 60 * 60);

nudge_core::named_enum! {
    /// What happened to an entry.
    pub enum ChangeKind: i64 {
        /// It was created.
        Created = 1 => "created",
        /// It has a new version.
        Updated = 2 => "updated",
        /// It was deleted.
        Deleted = 3 => "deleted",
        /// It was used; its content is unchanged.
        Used = 4 => "used",
        /// A session or project was renamed.
        Renamed = 5 => "renamed",
        /// The agent of a session is working.
        Busy = 6 => "busy",
        /// The agent of a session has ended its turn.
        Idle = 7 => "idle",
        /// A session ended.
        Ended = 8 => "ended",
        /// The user has looked at a session.
        Observed = 9 => "observed",
        /// A resumed session got its first prompt.
        Resumed = 10 => "resumed",
        /// Something only a newer program knows; treat it as a change of unknown extent.
        Other = 0 => "other",
    }
}

/// One row of the feed. It has no text: readers that need it read the entry, if it still exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its position in the order; positions increase and may have gaps.
    pub position: i64,
    /// The entry.
    pub entry: EntryId,
    /// The entry's scheme, so that a reader can skip kinds it does not follow.
    pub scheme: String,
    /// The scope it is or was in; `None` in rows from before scopes were recorded.
    pub scope: Option<Scope>,
    /// What happened.
    pub kind: ChangeKind,
    /// The entry's version at that time.
    pub version: i64,
    /// When it happened.
    pub at: Timestamp,
}

/// The changes after a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedPage {
    /// The changes, oldest first.
    pub changes: Vec<Change>,
    /// The position of the newest change; equal to the last one here when everything is read.
    pub head: i64,
}

/// A registered reader of the feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedReader {
    /// Its name.
    pub name: String,
    /// How far it has read.
    pub position: i64,
    /// When it was last active.
    pub seen_at: Timestamp,
}

pub(crate) const CHANGES_AFTER: &str =
    "SELECT f.position, f.entry_id, s.name, f.kind, f.version, f.at, p.kind, p.key
       FROM feed f CROSS JOIN scheme s ON s.id = f.scheme_id LEFT JOIN scope p ON p.id = f.scope_id
      WHERE f.position > ?1 ORDER BY f.position LIMIT ?2";

pub(crate) const FEED_HEAD: &str = "SELECT max(position) FROM feed";

pub(crate) const FEED_FLOOR: &str = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'feed_floor'";

impl Reader<'_> {
    /// The changes after a position, oldest first; 0 is before the first.
    ///
    /// Returns [`StoreError::FeedGone`] if some of them were trimmed, or if the position is beyond
    /// the head, as after restoring a backup. The reader then takes a snapshot and continues from
    /// the head.
    pub fn feed_after(&self, position: i64, limit: u32) -> Result<FeedPage, StoreError> {
        let (floor, head) = (self.feed_floor()?, self.feed_head()?);
        if position < floor || position > head {
            return Err(StoreError::FeedGone { oldest: floor });
        }
        let mut found = self.sql(CHANGES_AFTER)?;
        let changes = found
            .query_map((position, limit), |row| {
                Ok(Change {
                    position: row.get(0)?,
                    entry: EntryId(row.get(1)?),
                    scheme: row.get(2)?,
                    kind: ChangeKind::from_code(row.get(3)?).unwrap_or(ChangeKind::Other),
                    version: row.get(4)?,
                    at: Timestamp::from_millis(row.get(5)?),
                    scope: scope_from(row)?,
                })
            })?
            .collect::<Result<Vec<_>, _>>()?;
        Ok(FeedPage { changes, head })
    }

    /// The position of the newest change. A reader that has just taken a snapshot continues here.
    pub fn feed_head(&self) -> Result<i64, StoreError> {
        let newest: Option<i64> = self.sql(FEED_HEAD)?.query_row([], |row| row.get(0))?;
        newest.map_or_else(|| self.feed_floor(), Ok)
    }

    /// The oldest position that can be continued from.
    pub fn feed_floor(&self) -> Result<i64, StoreError> {
        let floor: Option<i64> = self.sql(FEED_FLOOR)?.query_row([], |row| row.get(0)).optional()?;
        Ok(floor.unwrap_or(0))
    }

    /// The readers of the feed, slowest first.
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
    /// Stores how far a reader has read, registering it if it is new.
    ///
    /// Changes after its position are kept for it. A position that is already gone is rejected with
    /// [`StoreError::FeedGone`].
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

    /// Removes a reader, so that nothing is kept for it; returns whether it was known.
    pub fn forget_feed_reader(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.sql("DELETE FROM feed_reader WHERE name = ?1")?.execute([name])? > 0)
    }

    /// Appends a change of an entry, in the transaction that makes it.
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

    /// Like [`Self::append`], for a known scope.
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

    /// Removes rows that every known reader has seen, that are older than a day and not among the
    /// newest; a limited number at a time.
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
