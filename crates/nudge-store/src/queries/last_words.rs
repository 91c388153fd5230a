//! The end of a session: the agent's last message, its branch, open to-dos.

use nudge_core::EntryId;
use serde_json::{Map, Value};

use super::recent::{ROWS_WALKED, RecentRow, recent_from, select_recent, text};
use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::project::ProjectId;

/// The end of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastWords {
    /// The agent's message at the end of its last turn.
    pub conclusion: Option<(EntryId, String)>,
    /// The attributes of that message.
    pub attributes: Map<String, Value>,
    /// Its last branch.
    pub branch: Option<String>,
    /// The open to-dos when the agent last wrote its list.
    pub todos: Option<(EntryId, Vec<String>)>,
}

/// Starts, ends, conclusions and noted to-dos among the newest rows of a session.
pub(crate) const LAST_WORDS: &str = "SELECT o.entry_id, o.kind, substr(e.body, 1, 1500), e.attributes ->> '$.branch', e.attributes -> '$.todos',
            k.project_id IS ?2, CASE o.kind WHEN 19 THEN e.attributes END
       FROM observation o
      CROSS JOIN entry e ON e.id = o.entry_id
      CROSS JOIN scope s ON s.id = e.scope_id
       LEFT JOIN project_key k ON k.key = s.key
      WHERE o.session_id = ?1 AND o.kind IN (8, 9, 18, 19)
        AND o.at >= ifnull((SELECT w.at FROM observation w WHERE w.session_id = ?1
                             ORDER BY w.at DESC LIMIT 1 OFFSET ?3), 0)
      ORDER BY o.at DESC, o.entry_id DESC";

/// The last commands of a session.
pub(crate) const COMMANDS: &str = select_recent!(
    "WHERE o.session_id = ?1 AND k.project_id IS ?2 AND o.kind IN (4, 5)
       AND o.at >= ifnull((SELECT w.at FROM observation w WHERE w.session_id = ?1
                            ORDER BY w.at DESC LIMIT 1 OFFSET ?4), 0)
     ORDER BY o.at DESC, o.entry_id DESC LIMIT ?3"
);

impl Reader<'_> {
    /// The end of a session in a project. Only its newest rows are read.
    pub fn last_words(&self, session: SessionId, project: ProjectId) -> Result<LastWords, StoreError> {
        let mut found = self.sql(LAST_WORDS)?;
        let mut rows = found.query((session.0, project.0, ROWS_WALKED))?;
        let mut left = LastWords::default();
        while let Some(row) = rows.next()? {
            let entry = EntryId(row.get(0)?);
            let (kind, is_here): (u8, bool) = (row.get(1)?, row.get(5)?);
            if !is_here {
                continue;
            }
            if left.branch.is_none() {
                left.branch = row.get(3)?;
            }
            if kind == 19 && left.conclusion.is_none() {
                left.conclusion = Some((entry, row.get(2)?));
                let attributes: Option<String> = row.get(6)?;
                left.attributes =
                    attributes.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
            }
            if let (None, Some(todos)) = (&left.todos, row.get::<_, Option<String>>(4)?) {
                left.todos = Some((entry, serde_json::from_str(&todos).unwrap_or_default()));
            }
            if left.conclusion.is_some() && left.branch.is_some() && left.todos.is_some() {
                break;
            }
        }
        Ok(left)
    }

    /// The last commands of a session in a project, newest first. Only its newest rows are read.
    pub fn commands_in_session(
        &self,
        session: SessionId,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<RecentRow>, StoreError> {
        let mut found = self.sql(COMMANDS)?;
        let rows = found.query_map((session.0, project.0, limit, ROWS_WALKED), recent_from)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
