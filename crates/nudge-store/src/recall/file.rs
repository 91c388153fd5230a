//! Who touched a file, and when.

use nudge_core::{EntryId, Timestamp};
use rusqlite::OptionalExtension;

use super::session::Window;
use crate::error::StoreError;
use crate::reader::Reader;

/// An observation that touched a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileTouch {
    /// The observation.
    pub id: EntryId,
    /// When it happened.
    pub at: Timestamp,
}

/// Among so many of the newest ids those that happened last are looked for: what was imported late has a new id and an old time.
const LOOKED_AT: u32 = 5_000;

pub(crate) const TOUCHES: &str = "SELECT f.entry_id, o.at
       FROM observation_file f CROSS JOIN observation o ON o.entry_id = f.entry_id
      WHERE f.file_id = ?1 AND o.at >= ?2 AND o.at < ?3 ORDER BY f.entry_id DESC LIMIT ?4";

impl Reader<'_> {
    /// The number of a file that was touched.
    pub fn file_number(&self, path: &str) -> Result<Option<i64>, StoreError> {
        let mut found = self.sql("SELECT id FROM file WHERE path = ?1")?;
        Ok(found.query_row([path], |row| row.get(0)).optional()?)
    }

    /// Files that were touched whose paths end so, from a segment on, the one that was first seen last before the others.
    /// Looks at every file there is.
    pub fn files_ending(&self, end: &str, limit: u32) -> Result<Vec<(String, i64)>, StoreError> {
        let mut found = self.sql(
            "SELECT path, id FROM file WHERE substr(path, -length(?1) - 1) = '/' || ?1 ORDER BY id DESC LIMIT ?2",
        )?;
        Ok(found.query_map((end, limit), |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
    }

    /// The last observations that touched a file within a time, newest first.
    pub fn touches_of_file(
        &self,
        file: i64,
        window: Window,
        limit: usize,
    ) -> Result<Vec<FileTouch>, StoreError> {
        let mut found = self.sql(TOUCHES)?;
        let rows = found
            .query_map((file, window.from.as_millis(), window.until.as_millis(), LOOKED_AT), |row| {
                Ok(FileTouch { id: EntryId(row.get(0)?), at: Timestamp::from_millis(row.get(1)?) })
            })?;
        let mut touches: Vec<FileTouch> = rows.collect::<Result<_, _>>()?;
        touches.sort_by_key(|touch| std::cmp::Reverse((touch.at, touch.id)));
        touches.dedup_by_key(|touch| touch.id);
        touches.truncate(limit);
        Ok(touches)
    }
}
