//! The latest rows, newest first, each with only what one line needs; the end of a session.

use std::collections::HashSet;

use nudge_core::{EntryId, ObservationKind, Outcome, Speaker, Timestamp};
use rusqlite::Row;
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::observation::outcome_from;
use crate::tables::project::ProjectId;

/// An agent's action, abridged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentRow {
    /// Its entry.
    pub entry: EntryId,
    /// Its session.
    pub session: SessionId,
    /// The project it happened in; an agent may leave the one it began in.
    pub project: Option<ProjectId>,
    /// When it happened.
    pub at: Timestamp,
    /// The kind of observation.
    pub kind: ObservationKind,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The beginning of its text.
    pub text: String,
    /// The file it is about.
    pub file: Option<String>,
    /// For a note: whether the user wrote it.
    pub by_person: bool,
}

/// A prompt, abridged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecentPrompt {
    /// Its entry.
    pub entry: EntryId,
    /// The project it was said in.
    pub project: Option<ProjectId>,
    /// Who said it.
    pub speaker: Speaker,
    /// When it was said.
    pub at: Timestamp,
    /// The beginning of its text.
    pub text: String,
    /// The program that reported it.
    pub client: Option<String>,
    /// Its session.
    pub session: SessionId,
}

/// How many of a session's newest rows are searched for more than mere reads, and how many of its
/// newest prompts for those that were acted on. A session that read a hundred thousand files costs
/// no more than one that read a thousand.
const ROWS_WALKED: u32 = 1_000;

const PROMPTS_WALKED: u32 = 300;

/// The text of a commit is its message, not the command that made it.
macro_rules! text {
    () => {
        "CASE o.kind WHEN 12 THEN ifnull(nullif(trim(e.attributes ->> '$.commit_message', char(9, 10, 13, 32)), ''), substr(e.body, 1, 1000))
                     ELSE substr(e.body, 1, 1000) END"
    };
}

macro_rules! select_recent {
    ($rest:literal) => {
        concat!(
            "SELECT o.entry_id, o.session_id, k.project_id, o.at, o.kind, o.outcome, o.exit_status, o.pinned, ",
            text!(),
            ", f.path,
                    CASE o.kind WHEN 17 THEN (SELECT w.source = 'user' AND w.tier <> 'model'
                                                FROM provenance w WHERE w.id = e.writer_id) ELSE 0 END
               FROM observation o
              CROSS JOIN entry e ON e.id = o.entry_id
              CROSS JOIN scope s ON s.id = e.scope_id
               LEFT JOIN project_key k ON k.key = s.key
               LEFT JOIN observation_file t ON t.entry_id = o.entry_id AND t.position = 0
               LEFT JOIN file f ON f.id = t.file_id ",
            $rest
        )
    };
}

/// Kinds 8, 9 and 11 happened to the session; no agent did them.
pub(crate) const OF_SESSION: &str = select_recent!(
    "WHERE o.session_id = ?1 AND o.at >= ?2 AND o.kind NOT IN (8, 9, 11)
      ORDER BY o.at DESC, o.entry_id DESC LIMIT ?3"
);

/// More than a mere read, and nothing that happened to the session. The project is compared with
/// IS, so that it keeps its place in the join order.
const RECENT_ACTIONS: &str = select_recent!(
    "WHERE o.session_id = ?1 AND k.project_id IS ?2 AND o.kind NOT IN (1, 6, 8, 9, 11, 15, 16, 18, 19)
       AND o.at >= ifnull((SELECT w.at FROM observation w WHERE w.session_id = ?1
                            ORDER BY w.at DESC LIMIT 1 OFFSET ?4), 0)
     ORDER BY o.at DESC, o.entry_id DESC LIMIT ?3"
);

/// For a change, all of its files; for anything else, only the main one.
const DEEDS_AFTER: &str = concat!(
    "SELECT o.at, CASE WHEN o.kind IN (4, 5, 12, 13) THEN (SELECT ",
    text!(),
    " FROM entry e WHERE e.id = o.entry_id) END, f.path
       FROM observation o
       LEFT JOIN observation_file t ON t.entry_id = o.entry_id AND (t.position = 0 OR o.kind IN (2, 3))
       LEFT JOIN file f ON f.id = t.file_id
      WHERE o.session_id = ?1 AND o.at > ?2 AND o.kind NOT IN (8, 9, 11)
      ORDER BY o.at, o.entry_id LIMIT ?3"
);

macro_rules! select_prompt {
    ($rest:literal) => {
        concat!(
            "SELECT p.entry_id, k.project_id, p.speaker, p.at, substr(e.body, 1, 1000),
                    (SELECT nullif(w.client, '') FROM provenance w WHERE w.id = e.writer_id),
                    p.session_id
               FROM prompt p
              CROSS JOIN entry e ON e.id = p.entry_id
              CROSS JOIN scope s ON s.id = e.scope_id
               LEFT JOIN project_key k ON k.key = s.key ",
            $rest
        )
    };
}

pub(crate) const LAST_PROMPTS: &str =
    select_prompt!("WHERE p.session_id = ?1 AND p.speaker = 1 ORDER BY p.at DESC, p.entry_id DESC LIMIT ?2");

pub(crate) const FIRST_PROMPTS: &str = select_prompt!(
    "WHERE p.session_id = ?1 AND p.speaker = 1 AND k.project_id IS ?2 ORDER BY p.at, p.entry_id LIMIT ?3"
);

/// What was asked after a prompt.
pub(crate) const LATER_PROMPTS: &str = select_prompt!(
    "WHERE p.session_id = ?1 AND p.speaker = 1 AND p.at >= ?2 AND (p.at, p.entry_id) > (?2, ?3)
     ORDER BY p.at, p.entry_id LIMIT ?4"
);

/// Prompts that were acted on, not counting notes and conclusions.
pub(crate) const ACTED_ON: &str = select_prompt!(
    "WHERE p.session_id = ?1 AND p.speaker = 1 AND k.project_id IS ?2
       AND p.at >= ifnull((SELECT w.at FROM prompt w WHERE w.session_id = ?1 AND w.speaker = 1
                            ORDER BY w.at DESC LIMIT 1 OFFSET ?4), 0)
       AND EXISTS (SELECT 1 FROM observation a WHERE a.prompt_id = p.entry_id AND a.kind NOT IN (17, 19))
     ORDER BY p.at DESC, p.entry_id DESC LIMIT ?3"
);

impl Reader<'_> {
    /// The last actions in a session since a time, newest first.
    pub fn recent_in_session(
        &self,
        session: SessionId,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<RecentRow>, StoreError> {
        self.all(OF_SESSION, (session.0, since.as_millis(), limit))
    }

    /// A session's last actions in a project that are more than a mere read, newest first. Only the
    /// session's newest rows are read.
    pub fn actions_in_session(
        &self,
        session: SessionId,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<RecentRow>, StoreError> {
        self.all(RECENT_ACTIONS, (session.0, project.0, limit, ROWS_WALKED))
    }

    /// Visits a session's actions after a time, oldest first: the time, the beginning of the
    /// command, and the file touched. An action on several files is visited once per file. `limit`
    /// counts visits.
    pub fn visit_actions_after(
        &self,
        session: SessionId,
        after: Timestamp,
        limit: u32,
        mut visit: impl FnMut(Timestamp, Option<String>, Option<String>),
    ) -> Result<(), StoreError> {
        let mut found = self.sql(DEEDS_AFTER)?;
        let mut rows = found.query((session.0, after.as_millis(), limit))?;
        while let Some(row) = rows.next()? {
            visit(Timestamp::from_millis(row.get(0)?), row.get(1)?, row.get(2)?);
        }
        Ok(())
    }

    /// The project of an entry of any kind.
    pub fn project_of(&self, entry: EntryId) -> Result<Option<ProjectId>, StoreError> {
        let mut found = self.sql(
            "SELECT k.project_id FROM entry e CROSS JOIN scope s ON s.id = e.scope_id
              CROSS JOIN project_key k ON k.key = s.key WHERE e.id = ?1",
        )?;
        Ok(found.query_map([entry.0], |row| Ok(ProjectId(row.get(0)?)))?.next().transpose()?)
    }

    /// The user's last prompts in a session, in a project, that were acted on, newest first. Only
    /// the session's newest prompts are read.
    pub fn prompts_acted_on(
        &self,
        session: SessionId,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<RecentPrompt>, StoreError> {
        self.all(ACTED_ON, (session.0, project.0, limit, PROMPTS_WALKED))
    }

    /// The user's last prompts in a session, newest first.
    pub fn recent_prompts(&self, session: SessionId, limit: u32) -> Result<Vec<RecentPrompt>, StoreError> {
        self.all(LAST_PROMPTS, (session.0, limit))
    }

    /// The user's first prompts in a session while it was in a project, oldest first.
    pub fn first_prompts(
        &self,
        session: SessionId,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<RecentPrompt>, StoreError> {
        self.all(FIRST_PROMPTS, (session.0, project.0, limit))
    }

    /// The user's next prompts after one in its session, oldest first.
    pub fn prompts_after(&self, prompt: &RecentPrompt, limit: u32) -> Result<Vec<RecentPrompt>, StoreError> {
        self.all(LATER_PROMPTS, (prompt.session.0, prompt.at.as_millis(), prompt.entry.0, limit))
    }

    /// What any speaker said in a session while it was in another project than the given one.
    pub fn prompts_outside(
        &self,
        session: SessionId,
        project: ProjectId,
    ) -> Result<HashSet<EntryId>, StoreError> {
        let mut found = self.sql(
            "SELECT p.entry_id FROM prompt p
              CROSS JOIN entry e ON e.id = p.entry_id
              CROSS JOIN scope s ON s.id = e.scope_id
               LEFT JOIN project_key k ON k.key = s.key
              WHERE p.session_id = ?1 AND k.project_id IS NOT ?2",
        )?;
        let rows = found.query_map((session.0, project.0), |row| Ok(EntryId(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// One prompt, abridged.
    pub fn recent_prompt(&self, entry: EntryId) -> Result<Option<RecentPrompt>, StoreError> {
        self.first(select_prompt!("WHERE p.entry_id = ?1"), [entry.0])
    }

    /// How many actions belong to a prompt, not counting notes and conclusions.
    pub fn actions_of(&self, prompt: EntryId) -> Result<u32, StoreError> {
        let mut found =
            self.sql("SELECT count(*) FROM observation WHERE prompt_id = ?1 AND kind NOT IN (17, 19)")?;
        Ok(found.query_row([prompt.0], |row| row.get(0))?)
    }

    /// One row, abridged.
    pub fn recent_row(&self, entry: EntryId) -> Result<Option<RecentRow>, StoreError> {
        self.first(select_recent!("WHERE o.entry_id = ?1"), [entry.0])
    }

    /// Pinned rows of a project, newest first.
    pub fn pinned_in(&self, project: ProjectId, limit: u32) -> Result<Vec<RecentRow>, StoreError> {
        let sql = select_recent!(
            "WHERE o.pinned = 1 AND o.kind NOT IN (8, 9, 11) AND k.project_id = ?1 ORDER BY o.entry_id DESC LIMIT ?2"
        );
        self.all(sql, (project.0, limit))
    }

    /// Pinned rows of all other projects, newest first.
    pub fn pinned_outside(
        &self,
        project: Option<ProjectId>,
        limit: u32,
    ) -> Result<Vec<RecentRow>, StoreError> {
        let sql = select_recent!(
            "WHERE o.pinned = 1 AND o.kind NOT IN (8, 9, 11) AND k.project_id <> ?1 ORDER BY o.entry_id DESC LIMIT ?2"
        );
        self.all(sql, (project.map_or(-1, |project| project.0), limit))
    }
}

impl FromRow for RecentPrompt {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            entry: EntryId(row.get(0)?),
            project: row.get::<_, Option<i64>>(1)?.map(ProjectId),
            speaker: Speaker::from_code(row.get(2)?).unwrap_or(Speaker::Program),
            at: Timestamp::from_millis(row.get(3)?),
            text: row.get(4)?,
            client: row.get(5)?,
            session: SessionId(row.get(6)?),
        })
    }
}

impl FromRow for RecentRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            entry: EntryId(row.get(0)?),
            session: SessionId(row.get(1)?),
            project: row.get::<_, Option<i64>>(2)?.map(ProjectId),
            at: Timestamp::from_millis(row.get(3)?),
            // A kind that only a newer program knows becomes another tool.
            kind: ObservationKind::from_number(row.get(4)?).unwrap_or(ObservationKind::ToolOther),
            outcome: outcome_from(row.get(5)?, row.get(6)?),
            pinned: row.get(7)?,
            text: row.get(8)?,
            file: row.get(9)?,
            by_person: row.get(10)?,
        })
    }
}

// What an agent concluded: its last message in a turn.

/// The agent's message at the end of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// Its entry.
    pub entry: EntryId,
    /// When it was said.
    pub at: Timestamp,
    /// The message.
    pub text: String,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

pub(crate) const CONCLUSION_OF: &str = "SELECT o.entry_id, o.at, substr(e.body, 1, 1500), e.attributes
       FROM observation o CROSS JOIN entry e ON e.id = o.entry_id
      WHERE o.prompt_id = ?1 AND o.kind = 19
      ORDER BY o.at DESC, o.entry_id DESC LIMIT 1";

impl Reader<'_> {
    /// The last conclusion of the turn that a prompt began.
    pub fn conclusion_of(&self, prompt: EntryId) -> Result<Option<Conclusion>, StoreError> {
        self.first(CONCLUSION_OF, [prompt.0])
    }

    /// The last commit of the turn that a prompt began.
    pub fn commit_of(&self, prompt: EntryId) -> Result<Option<RecentRow>, StoreError> {
        let sql = select_recent!(
            "WHERE o.prompt_id = ?1 AND o.kind = 12 ORDER BY o.at DESC, o.entry_id DESC LIMIT 1"
        );
        self.first(sql, [prompt.0])
    }
}

impl FromRow for Conclusion {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        Ok(Self {
            entry: EntryId(row.get(0)?),
            at: Timestamp::from_millis(row.get(1)?),
            text: row.get(2)?,
            attributes: serde_json::from_str(&row.get::<_, String>(3)?).unwrap_or_default(),
        })
    }
}

// The end of a session: the agent's last message, its branch, open to-dos.

/// The end of a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LastWords {
    /// The agent's message at the end of its last turn.
    pub conclusion: Option<Conclusion>,
    /// Its last branch.
    pub branch: Option<String>,
    /// The open to-dos when the agent last wrote its list.
    pub todos: Option<(EntryId, Vec<String>)>,
}

/// Starts, ends, conclusions and noted to-dos among the newest rows of a session.
pub(crate) const LAST_WORDS: &str = "SELECT o.entry_id, o.kind, substr(e.body, 1, 1500), e.attributes ->> '$.branch', e.attributes -> '$.todos',
            k.project_id IS ?2, CASE o.kind WHEN 19 THEN e.attributes END, o.at
       FROM observation o
      CROSS JOIN entry e ON e.id = o.entry_id
      CROSS JOIN scope s ON s.id = e.scope_id
       LEFT JOIN project_key k ON k.key = s.key
      WHERE o.session_id = ?1 AND o.kind IN (8, 9, 18, 19)
        AND o.at >= ifnull((SELECT w.at FROM observation w WHERE w.session_id = ?1
                             ORDER BY w.at DESC LIMIT 1 OFFSET ?3), 0)
      ORDER BY o.at DESC, o.entry_id DESC";

/// The last commands of a session.
pub(crate) const LAST_COMMANDS: &str = select_recent!(
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
                let attributes: Option<String> = row.get(6)?;
                left.conclusion = Some(Conclusion {
                    entry,
                    at: Timestamp::from_millis(row.get(7)?),
                    text: row.get(2)?,
                    attributes: attributes
                        .and_then(|json| serde_json::from_str(&json).ok())
                        .unwrap_or_default(),
                });
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
        self.all(LAST_COMMANDS, (session.0, project.0, limit, ROWS_WALKED))
    }
}

#[cfg(test)]
mod tests;
