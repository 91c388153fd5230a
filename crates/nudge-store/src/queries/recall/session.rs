//! The rows of a session, in order and within a time range; the sessions that touched a file.

use nudge_core::{EntryId, ObservationKind, Timestamp};
use rusqlite::{OptionalExtension, Row};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::observation::Known;
use crate::tables::project::ProjectId;
use crate::tables::prompt::PromptRow;

/// A time range: from `from`, up to but excluding `until`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Where it begins.
    pub from: Timestamp,
    /// Where it ends.
    pub until: Timestamp,
}

/// An observation as one line of a longer listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedObservation {
    /// Its entry.
    pub id: EntryId,
    /// Its session.
    pub session: SessionId,
    /// The prompt it belongs to.
    pub prompt: Option<EntryId>,
    /// The kind of observation.
    pub kind: ObservationKind,
    /// When it happened.
    pub at: Timestamp,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The file it is about.
    pub file: Option<String>,
    /// The beginning of its text.
    pub begin: String,
    /// Its scope.
    pub scope: i64,
}

/// Reads this many characters of a text for one line: four times what is shown, because some of it
/// is dropped.
macro_rules! select_traced {
    ($rest:literal) => {
        concat!(
            "SELECT o.entry_id, o.session_id, o.prompt_id, o.kind, o.at, o.pinned, p.path, substr(e.body, 1, 480), e.scope_id
               FROM observation o
              CROSS JOIN entry e ON e.id = o.entry_id
               LEFT JOIN observation_file f ON f.entry_id = o.entry_id AND f.position = 0
               LEFT JOIN file p ON p.id = f.file_id ",
            $rest
        )
    };
}

pub(crate) const TRACE_OBSERVATIONS: &str =
    select_traced!("WHERE o.session_id = ?1 AND o.at >= ?2 AND o.at < ?3 ORDER BY o.at, o.entry_id LIMIT ?4");

pub(crate) const TRACE_PROMPTS: &str =
    "SELECT p.entry_id, p.session_id, p.at, p.speaker, e.body, e.attributes
       FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id
      WHERE p.session_id = ?1 AND p.at >= ?2 AND p.at < ?3 ORDER BY p.at, p.entry_id LIMIT ?4";

impl Reader<'_> {
    /// The prompts of a session in a time range, oldest first.
    pub fn prompts_within(
        &self,
        session: SessionId,
        window: Window,
        limit: u32,
    ) -> Result<Vec<PromptRow>, StoreError> {
        let mut found = self.sql(TRACE_PROMPTS)?;
        let mut rows = found.query((session.0, window.from.as_millis(), window.until.as_millis(), limit))?;
        let mut prompts = Vec::new();
        while let Some(row) = rows.next()? {
            prompts.push(PromptRow::from_row(row)?);
        }
        Ok(prompts)
    }

    /// The observations of a session in a time range, oldest first.
    pub fn observations_within(
        &self,
        session: SessionId,
        window: Window,
        limit: u32,
    ) -> Result<Vec<TracedObservation>, StoreError> {
        self.all(TRACE_OBSERVATIONS, (session.0, window.from.as_millis(), window.until.as_millis(), limit))
    }

    /// The number of a session's observations in a time range: for each of its prompts, and without
    /// one.
    pub fn observations_by_prompt(
        &self,
        session: SessionId,
        window: Window,
    ) -> Result<Vec<(Option<EntryId>, u64)>, StoreError> {
        let mut found = self.sql(
            "SELECT prompt_id, count(*) FROM observation
              WHERE session_id = ?1 AND at >= ?2 AND at < ?3 GROUP BY prompt_id",
        )?;
        let rows =
            found.query_map((session.0, window.from.as_millis(), window.until.as_millis()), |row| {
                let count: i64 = row.get(1)?;
                Ok((row.get::<_, Option<i64>>(0)?.map(EntryId), count.unsigned_abs()))
            })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One observation as a line.
    pub fn traced_observation(&self, id: EntryId) -> Result<Option<TracedObservation>, StoreError> {
        self.first(select_traced!("WHERE o.entry_id = ?1"), [id.0])
    }

    /// One prompt.
    pub fn prompt(&self, id: EntryId) -> Result<Option<PromptRow>, StoreError> {
        let mut found = self.sql(
            "SELECT p.entry_id, p.session_id, p.at, p.speaker, e.body, e.attributes
               FROM prompt p CROSS JOIN entry e ON e.id = p.entry_id WHERE p.entry_id = ?1",
        )?;
        let mut rows = found.query([id.0])?;
        rows.next()?.map(PromptRow::from_row).transpose()
    }

    /// The entry of a session's summary.
    pub fn summary_entry(&self, session: SessionId) -> Result<Option<EntryId>, StoreError> {
        let found: Option<i64> = self
            .sql("SELECT id FROM entry WHERE path = ?1 LIMIT 1")?
            .query_row([session.summary_path().as_str()], |row| row.get(0))
            .optional()?;
        Ok(found.map(EntryId))
    }
}

impl FromRow for TracedObservation {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let known = Known::of(row, 0)?;
        Ok(Self {
            id: known.id(),
            session: SessionId(row.get(1)?),
            prompt: row.get::<_, Option<i64>>(2)?.map(EntryId),
            // A kind that only a newer program knows.
            kind: ObservationKind::from_number(row.get(3)?).unwrap_or(ObservationKind::ToolOther),
            at: Timestamp::from_millis(row.get(4)?),
            pinned: row.get(5)?,
            file: row.get(6)?,
            begin: row.get(7)?,
            scope: row.get(8)?,
        })
    }
}

// Which sessions touched a file, and when.

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

pub(crate) const FILE_TOUCHES: &str = "SELECT f.entry_id, o.at
       FROM observation_file f CROSS JOIN observation o ON o.entry_id = f.entry_id
      WHERE f.file_id = ?1 AND o.at >= ?2 AND o.at < ?3 ORDER BY f.entry_id DESC LIMIT ?4";

/// How many of the newest touches of a file decide which project it belongs to.
const MAX_TOUCHES: u32 = 50;

const FILES_ENDING: &str = "SELECT path, id FROM file
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
        let mut found = self.sql(FILES_ENDING)?;
        let rows =
            found.query_map((end, root, scopes, limit, MAX_TOUCHES), |row| Ok((row.get(0)?, row.get(1)?)))?;
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
        let mut found = self.sql(FILE_TOUCHES)?;
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
