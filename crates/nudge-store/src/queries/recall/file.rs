//! Which sessions touched a file, and when.

use nudge_core::{EntryId, Timestamp};
use rusqlite::OptionalExtension;

use super::session::Window;
use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::project::ProjectId;

/// An observation that touched a file.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct FileTouch {
    /// The observation.
    pub id: EntryId,
    /// When it happened.
    pub at: Timestamp,
}

/// How many of the newest ids are searched for the latest events: imported rows have a new id and
/// an old time.
const LOOKED_AT: u32 = 5_000;

pub(crate) const TOUCHES: &str = "SELECT f.entry_id, o.at
       FROM observation_file f CROSS JOIN observation o ON o.entry_id = f.entry_id
      WHERE f.file_id = ?1 AND o.at >= ?2 AND o.at < ?3 ORDER BY f.entry_id DESC LIMIT ?4";

/// How many of the newest touches of a file decide which project it belongs to.
const LAST: u32 = 50;

const ENDING: &str = "SELECT path, id FROM file
      WHERE substr(path, -length(?1) - 1) = '/' || ?1
        AND (substr(path, 1, length(?2) + 1) = ?2 || '/'
             OR EXISTS (SELECT 1 FROM (SELECT entry_id FROM observation_file WHERE file_id = file.id
                                        ORDER BY entry_id DESC LIMIT ?5) t
                         CROSS JOIN entry e ON e.id = t.entry_id
                         WHERE e.scope_id IN (SELECT value FROM json_each(?3))))
      ORDER BY id DESC LIMIT ?4";

impl Reader<'_> {
    /// The id of a file that was touched.
    pub fn file_number(&self, path: &str) -> Result<Option<i64>, StoreError> {
        let mut found = self.sql("SELECT id FROM file WHERE path = ?1")?;
        Ok(found.query_row([path], |row| row.get(0)).optional()?)
    }

    /// Files of a project with paths that end in these segments, the most recently added first:
    /// those below `root`, and those touched from one of its scopes. Scans all files.
    pub fn files_ending(
        &self,
        end: &str,
        root: &str,
        scopes: &[i64],
        limit: u32,
    ) -> Result<Vec<(String, i64)>, StoreError> {
        let scopes = serde_json::to_string(scopes).expect("numbers are always JSON");
        let mut found = self.sql(ENDING)?;
        let rows = found.query_map((end, root, scopes, limit, LAST), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The worktrees, other than the main one, in which a project's sessions worked, newest first.
    pub fn worktrees_of(&self, project: ProjectId, limit: u32) -> Result<Vec<String>, StoreError> {
        let mut found = self.sql(
            "SELECT worktree FROM agent_session WHERE project_id = ?1 AND worktree IS NOT NULL
              GROUP BY worktree ORDER BY max(started_at) DESC LIMIT ?2",
        )?;
        Ok(found.query_map((project.0, limit), |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The root directories of all projects but one.
    pub fn other_roots(&self, project: ProjectId) -> Result<Vec<String>, StoreError> {
        let mut found = self.sql("SELECT root FROM project WHERE id <> ?1 AND root <> ''")?;
        Ok(found.query_map([project.0], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The last observations that touched a file in a time range, newest first.
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
