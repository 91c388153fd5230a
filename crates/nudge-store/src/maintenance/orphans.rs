//! Rows that nothing refers to any more: files, subagents, empty sessions, words.

use nudge_core::Timestamp;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::{SessionId, SessionRow};
use crate::tables::entry::holds;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// The replacement for a removed word; its id follows.
const PURGED_PREFIX: &str = "purged-";

/// Unreferenced words, at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnusedWords {
    words: Vec<UnusedWord>,
}

/// An unreferenced word.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct UnusedWord {
    table: Table,
    id: i64,
    /// The feed position at that time: any later reference has a feed row after it.
    head: i64,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Table {
    Provenance,
    Scope,
    Tool,
}

impl UnusedWords {
    /// The words.
    pub fn words(&self) -> &[UnusedWord] {
        &self.words
    }

    fn has_scope(&self, id: i64) -> bool {
        self.words.iter().any(|word| word.table == Table::Scope && word.id == id)
    }
}

impl Reader<'_> {
    /// Files that no observation touched.
    pub fn unused_files(&self, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.ids(
            "SELECT f.id FROM file f
              WHERE NOT EXISTS (SELECT 1 FROM observation_file o WHERE o.file_id = f.id) LIMIT ?1",
            limit,
        )
    }

    /// Subagents that no observation happened in.
    pub fn unused_subagents(&self, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.ids(
            "SELECT a.id FROM subagent a
              WHERE NOT EXISTS (SELECT 1 FROM observation o WHERE o.subagent_id = a.id) LIMIT ?1",
            limit,
        )
    }

    /// Sessions from before a time that are empty and have no meaningful summary. A session with
    /// context sets or hypotheses is not empty.
    pub fn empty_sessions(&self, before: Timestamp, limit: u32) -> Result<Vec<SessionId>, StoreError> {
        let mut found = self.sql(
            "SELECT s.id FROM agent_session s
              WHERE s.started_at < ?1
                AND NOT EXISTS (SELECT 1 FROM observation o WHERE o.session_id = s.id)
                AND NOT EXISTS (SELECT 1 FROM prompt p WHERE p.session_id = s.id)
                AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.path = 'summary://' || s.id
                                   AND json_extract(e.attributes, '$.short') IS NULL)
                AND NOT EXISTS (SELECT 1 FROM hypothesis h WHERE h.session_id = s.id)
                AND NOT EXISTS (SELECT 1 FROM scope c CROSS JOIN entry_scope i ON i.scope_id = c.id
                                 WHERE c.kind = 'session' AND c.key = s.name AND i.entry_id <> ifnull(s.entry_id, 0))
              LIMIT ?2",
        )?;
        let rows = found.query_map((before.as_millis(), limit), |row| Ok(SessionId(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether a session is empty: no row, no context set, no hypothesis.
    pub fn is_empty_session(&self, session: &SessionRow) -> Result<bool, StoreError> {
        let own = session.activity.entry;
        let tries: bool =
            self.sql("SELECT 1 FROM hypothesis WHERE session_id = ?1 LIMIT 1")?.exists([session.id.0])?;
        let holds = || {
            let held = self.entries_in(&session.scope(), None)?;
            Ok::<_, StoreError>(held.iter().any(|entry| Some(entry.id) != own))
        };
        Ok(self.last_in_session(session.id)?.is_none() && !tries && !holds()?)
    }

    /// Words that no entry and no observation refers to. Scans all of them.
    pub fn unused_words(&self) -> Result<UnusedWords, StoreError> {
        let tables = [
            (
                Table::Provenance,
                "SELECT id FROM provenance WHERE session <> ?1 || id
                 EXCEPT SELECT origin_id FROM entry EXCEPT SELECT writer_id FROM entry
                 EXCEPT SELECT writer_id FROM past_version EXCEPT SELECT ended_by FROM past_version",
            ),
            (
                Table::Scope,
                // A project's own entry stays in its scope as long as the project exists.
                "SELECT id FROM scope WHERE kind <> 'global' AND key <> ?1 || id
                 EXCEPT SELECT scope_id FROM entry
                         WHERE scheme_id IS NOT (SELECT id FROM scheme WHERE name = 'project')",
            ),
            (
                Table::Tool,
                "SELECT id FROM tool WHERE name <> ?1 || id EXCEPT SELECT tool_id FROM observation",
            ),
        ];
        let head = self.feed_head()?;
        let mut words = Vec::new();
        for (table, sql) in tables {
            let mut found = self.sql(sql)?;
            for id in found.query_map([PURGED_PREFIX], |row| row.get(0))? {
                words.push(UnusedWord { table, id: id?, head });
            }
        }
        Ok(UnusedWords { words })
    }

    /// Whether nothing is left of a project: no session, and no entry in its scopes as far as
    /// `unused` shows.
    pub fn is_deserted(&self, project: ProjectId, unused: &UnusedWords) -> Result<bool, StoreError> {
        let sessions: i64 = self
            .sql("SELECT count(*) FROM agent_session WHERE project_id = ?1")?
            .query_row([project.0], |row| row.get(0))?;
        let scopes: Vec<i64> = self
            .sql(
                "SELECT s.id FROM project_key k CROSS JOIN scope s ON s.kind = 'project' AND s.key = k.key
                  WHERE k.project_id = ?1",
            )?
            .query_map([project.0], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(sessions == 0 && scopes.iter().all(|scope| unused.has_scope(*scope)))
    }

    fn ids(&self, sql: &str, limit: u32) -> Result<Vec<i64>, StoreError> {
        let mut found = self.sql(sql)?;
        let rows = found.query_map([limit], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Removes a file that no observation touched.
    pub fn remove_unused_file(&self, id: i64) -> Result<(), StoreError> {
        self.sql(
            "DELETE FROM file WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM observation_file o WHERE o.file_id = file.id)",
        )?
        .execute([id])?;
        Ok(())
    }

    /// Removes a subagent that no observation happened in.
    pub fn remove_unused_subagent(&self, id: i64) -> Result<(), StoreError> {
        self.sql(
            "DELETE FROM subagent WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM observation o WHERE o.subagent_id = subagent.id)",
        )?
        .execute([id])?;
        Ok(())
    }

    /// Removes an empty session, with its summary and its transcript position. Returns whether it
    /// did.
    pub fn remove_empty_session(&self, id: SessionId, now: Timestamp) -> Result<bool, StoreError> {
        let Some(session) = self.agent_session(id)? else {
            return Ok(false);
        };
        if !self.is_empty_session(&session)? {
            return Ok(false);
        }
        self.remove_scope_of_session(&session, now)?;
        self.remove_summary(id, now)?;
        self.sql(
            "DELETE FROM cursor
                  WHERE name NOT LIKE 'transcript:%' AND (instr(name, ?1) > 0 OR instr(detail, ?1) > 0)",
        )?
        .execute([&session.name])?;
        self.forget_answers(&session.name)?;
        self.interned.borrow_mut().sessions.clear();
        self.sql("DELETE FROM agent_session WHERE id = ?1")?.execute([id.0])?;
        Ok(true)
    }

    /// Removes a project that has no sessions left. Returns whether it did.
    pub fn remove_project(&self, id: ProjectId, now: Timestamp) -> Result<bool, StoreError> {
        let sessions: i64 = self
            .sql("SELECT count(*) FROM agent_session WHERE project_id = ?1")?
            .query_row([id.0], |row| row.get(0))?;
        let Some(project) = self.project(id)?.filter(|_| sessions == 0) else {
            return Ok(false);
        };
        for word in [&project.name, &project.root].into_iter().chain(&project.keys) {
            self.forget_answers(word)?;
        }
        self.interned.borrow_mut().projects.clear();
        for run in self.runs(Some(id), u32::MAX, 0)? {
            self.remove_run(&run, now)?;
        }
        self.remove_project_entry(id, now)?;
        self.sql("DELETE FROM injection WHERE project_id = ?1")?.execute([id.0])?;
        self.sql("DELETE FROM project_key WHERE project_id = ?1")?.execute([id.0])?;
        self.sql("DELETE FROM project WHERE id = ?1")?.execute([id.0])?;
        Ok(true)
    }

    /// Deletes stored answers of writes that contain this text, ignoring case.
    pub fn forget_answers(&self, text: &str) -> Result<(), StoreError> {
        if text.is_empty() {
            return Ok(());
        }
        let wanted = [text.to_owned()];
        let holding: Vec<String> = {
            let mut found = self.sql("SELECT id, result FROM operation")?;
            let mut rows = found.query([])?;
            let mut ids = Vec::new();
            while let Some(row) = rows.next()? {
                if holds(&wanted, [row.get::<_, String>(1)?.as_str()]) {
                    ids.push(row.get(0)?);
                }
            }
            ids
        };
        for id in holding {
            self.sql("DELETE FROM operation WHERE id = ?1")?.execute([id])?;
        }
        Ok(())
    }

    /// Removes the text of a word that is still unused. Its row stays, because checking for
    /// references would scan the whole store.
    pub fn blank_word(&self, word: &UnusedWord) -> Result<(), StoreError> {
        let sql = match word.table {
            Table::Provenance => {
                "UPDATE provenance SET session = ?3 || id, project = '', client = '', machine = ''
                  WHERE id = ?1 AND NOT EXISTS (
                        SELECT 1 FROM feed f CROSS JOIN entry e ON e.id = f.entry_id
                         WHERE f.position > ?2 AND (e.origin_id = ?1 OR e.writer_id = ?1))"
            }
            Table::Scope => {
                "UPDATE scope SET key = ?3 || id
                  WHERE id = ?1 AND NOT EXISTS (
                        SELECT 1 FROM feed f CROSS JOIN entry e ON e.id = f.entry_id
                         WHERE f.position > ?2 AND e.scope_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM entry_scope i WHERE i.scope_id = ?1)"
            }
            Table::Tool => {
                "UPDATE tool SET name = ?3 || id, event = ''
                  WHERE id = ?1 AND NOT EXISTS (
                        SELECT 1 FROM feed f CROSS JOIN observation o ON o.entry_id = f.entry_id
                         WHERE f.position > ?2 AND o.tool_id = ?1)"
            }
        };
        self.sql(sql)?.execute((word.id, word.head, PURGED_PREFIX))?;
        Ok(())
    }
}
