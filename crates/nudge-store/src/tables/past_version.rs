//! Past versions of stated entries: they can be read and restored after they were replaced or
//! deleted.

use nudge_core::{EntryId, EntryPath, Provenance, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::integrity::MAX_NUMBER;
use crate::db::reader::{FromRow, Reader};
use crate::tables::entry::{holds, provenance_from, scope_from};
use crate::tables::writer::Writer;

/// How many past versions are kept per path.
pub const PAST_VERSIONS_KEPT: u32 = 20;

/// How a version ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// A newer version replaced it.
    Replaced,
    /// The entry was deleted.
    Deleted,
}

impl Ending {
    /// The number in the store. Its meaning never changes.
    const fn code(self) -> i64 {
        match self {
            Self::Replaced => 1,
            Self::Deleted => 2,
        }
    }
}

/// A version that is no longer the current one.
#[derive(Clone, Debug, PartialEq)]
pub struct PastVersion {
    /// Its number in the log. Never reused.
    pub id: i64,
    /// The namespace of the entry.
    pub scope: Scope,
    /// The path of the entry.
    pub path: EntryPath,
    /// The entry it was a version of, which may be deleted.
    pub entry: EntryId,
    /// Its version number.
    pub version: i64,
    /// Who wrote it.
    pub writer: Provenance,
    /// When it was written.
    pub written_at: Timestamp,
    /// Who replaced or deleted it.
    pub ended_by: Provenance,
    /// When it was replaced or deleted.
    pub ended_at: Timestamp,
    /// How it ended.
    pub ending: Ending,
    /// Whether it contained a secret. Then neither body nor attributes were kept.
    pub secret: bool,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Its text.
    pub body: String,
}

/// `SELECT` of all columns of a [`PastVersion`], in the order [`PastVersion::from_row`] reads them.
macro_rules! select_past_version {
    ($rest:literal) => {
        concat!(
            "SELECT v.id, v.path, v.entry_id, v.version, v.written_at, v.ended_at, v.ending, v.secret,
                    v.attributes, v.body,
                    s.kind, s.key,
                    w.source, w.tier, w.client, w.session, w.project, w.machine,
                    b.source, b.tier, b.client, b.session, b.project, b.machine
               FROM past_version v
              CROSS JOIN scope s ON s.id = v.scope_id
              CROSS JOIN provenance w ON w.id = v.writer_id
              CROSS JOIN provenance b ON b.id = v.ended_by ",
            $rest
        )
    };
}

impl Reader<'_> {
    /// The past versions that contain each of these texts, ignoring case.
    pub fn versions_holding(&self, texts: &[String]) -> Result<Vec<i64>, StoreError> {
        let mut found = self.sql("SELECT id, path, attributes, body FROM past_version")?;
        let mut rows = found.query([])?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next()? {
            let (path, attributes, body): (String, String, String) = (row.get(1)?, row.get(2)?, row.get(3)?);
            if holds(texts, [path.as_str(), &attributes, &body]) {
                ids.push(row.get(0)?);
            }
        }
        Ok(ids)
    }

    /// The past versions of a path and of its variants (`path?if=…`), newest first.
    pub fn past_versions(
        &self,
        scope: &Scope,
        path: &str,
        limit: u32,
    ) -> Result<Vec<PastVersion>, StoreError> {
        self.all(
            select_past_version!(
                "WHERE (v.path = ?1 OR (v.path >= ?1 || '?if=' AND v.path < ?1 || '?if>'))
                   AND v.scope_id = (SELECT id FROM scope WHERE kind = ?2 AND key = ?3)
                 ORDER BY v.id DESC LIMIT ?4"
            ),
            (path, scope.kind(), scope.key(), limit),
        )
    }

    /// The versions of any path that ended last, newest first.
    pub fn newest_past_versions(&self, limit: u32) -> Result<Vec<PastVersion>, StoreError> {
        self.all(select_past_version!("ORDER BY v.id DESC LIMIT ?1"), [limit])
    }

    /// The past version with that number.
    pub fn past_version(&self, id: i64) -> Result<Option<PastVersion>, StoreError> {
        Ok(self.all(select_past_version!("WHERE v.id = ?1"), [id])?.pop())
    }
}

impl Writer<'_> {
    /// Keeps the current version of an entry, just before `by` replaces or deletes it. A secret is
    /// recorded without its text. Only the newest versions of a path stay.
    pub fn keep_version(
        &self,
        id: EntryId,
        ending: Ending,
        secret: bool,
        by: &Provenance,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let ended_by = self.provenance_id(by)?;
        let path: Option<String> = self
            .sql(
                "INSERT INTO past_version (scope_id, entry_id, version, writer_id, written_at, ended_by, ended_at,
                                           ending, secret, path, attributes, body)
                 SELECT scope_id, id, version, writer_id, updated_at, ?2, ?3, ?4, ?5, path,
                        CASE WHEN ?5 THEN '{}' ELSE attributes END, CASE WHEN ?5 THEN '' ELSE body END
                   FROM entry WHERE id = ?1
                 RETURNING path",
            )?
            .query_row((id.0, ended_by, now.as_millis(), ending.code(), secret), |row| row.get(0))
            .optional()?;
        let path = path.ok_or(StoreError::NoEntry(id))?;
        self.sql(
            "DELETE FROM past_version WHERE id IN (
                SELECT id FROM past_version
                 WHERE path = ?1 AND scope_id = (SELECT scope_id FROM entry WHERE id = ?2)
                 ORDER BY id DESC LIMIT -1 OFFSET ?3)",
        )?
        .execute((path, id.0, PAST_VERSIONS_KEPT))?;
        Ok(())
    }

    /// Deletes the past versions of one path, because it now contains a secret.
    pub fn forget_versions(&self, scope: &Scope, path: &EntryPath) -> Result<(), StoreError> {
        self.sql(
            "DELETE FROM past_version
              WHERE path = ?1 AND scope_id = (SELECT id FROM scope WHERE kind = ?2 AND key = ?3)",
        )?
        .execute((path.as_str(), scope.kind(), scope.key()))?;
        Ok(())
    }

    /// Deletes past versions that contain all of these texts, ignoring case, and returns how many.
    pub fn forget_versions_holding(&self, texts: &[String]) -> Result<u64, StoreError> {
        let holding = self.versions_holding(texts)?;
        for id in &holding {
            self.sql("DELETE FROM past_version WHERE id = ?1")?.execute([id])?;
        }
        Ok(holding.len() as u64)
    }

    /// Deletes the past versions of entries that were deleted before a time, and returns how many.
    pub fn forget_versions_of_the_gone(&self, before: Timestamp) -> Result<u64, StoreError> {
        let removed = self
            .sql(
                "DELETE FROM past_version
                  WHERE ended_at < ?1 AND NOT EXISTS (
                        SELECT 1 FROM entry e
                         WHERE e.path = past_version.path AND e.scope_id = past_version.scope_id)",
            )?
            .execute([before.as_millis()])?;
        Ok(removed as u64)
    }
}

impl FromRow for PastVersion {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        let attributes =
            serde_json::from_str(row.get_ref(8)?.as_str().map_err(|_| unreadable("attributes"))?);
        let Ok(Value::Object(attributes)) = attributes else {
            return Err(unreadable("attributes"));
        };
        let deleted = row.get::<_, i64>(6)? == Ending::Deleted.code();
        Ok(Self {
            id,
            scope: scope_from(row, 10, id)?,
            path: EntryPath::parse(row.get_ref(1)?.as_str().map_err(|_| unreadable("path"))?)
                .map_err(|_| unreadable("path"))?,
            entry: EntryId(row.get(2)?),
            version: row.get(3)?,
            writer: provenance_from(row, 12, id)?,
            written_at: Timestamp::from_millis(row.get(4)?),
            ended_by: provenance_from(row, 18, id)?,
            ended_at: Timestamp::from_millis(row.get(5)?),
            ending: if deleted { Ending::Deleted } else { Ending::Replaced },
            secret: row.get(7)?,
            attributes,
            body: row.get(9)?,
        })
    }
}

// The history that an imported entry brings from its original memory.

/// The history of an imported hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// Its version there, from 1 to 2^53 - 1. Here it gets that version, or one more than the entry
    /// it replaces, whichever is higher.
    pub version: i64,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// How often it was used, from 0 to 2^53 - 1.
    pub use_count: i64,
}

impl History {
    /// Rejects numbers that are out of range.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let numbers = [("version", self.version, 1), ("use_count", self.use_count, 0)];
        for (field, value, least) in numbers {
            if !(least..=MAX_NUMBER).contains(&value) {
                return Err(StoreError::OutOfRange { field, least, most: MAX_NUMBER });
            }
        }
        Ok(())
    }
}
