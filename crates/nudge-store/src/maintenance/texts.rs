//! Finds words in every text column, and removes them where no captured row holds them.

use nudge_core::{EntryId, Timestamp};

use rusqlite::Row;

use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::agent_session::SessionId;
use crate::tables::entry::holds;
use crate::tables::run::{RunId, RunRow};
use crate::tables::writer::Writer;

/// An entry that is neither an observation nor a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainEntry {
    /// Its id.
    pub id: EntryId,
    /// Its scheme.
    pub scheme: String,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// Whether it is in the scope of a run, which may not exist.
    pub is_in_run: bool,
}

/// A column with the number of rows that hold the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoldingColumn {
    /// Table and column, such as `entry.body`.
    pub name: String,
    /// How many rows.
    pub rows: u64,
}

/// The run of an entry: the one whose scope it is in, or whose own entry it is.
macro_rules! select_plain {
    ($rest:literal) => {
        concat!(
            "SELECT e.id, h.name,
                    coalesce((SELECT r.id FROM run r WHERE r.scope_id = e.scope_id),
                             (SELECT r.id FROM run r WHERE r.entry_id = e.id)),
                    s.kind, s.key, e.path, e.attributes, e.body
               FROM entry_scope i CROSS JOIN entry e ON e.id = i.entry_id
              CROSS JOIN scope s ON s.id = e.scope_id CROSS JOIN scheme h ON h.id = e.scheme_id ",
            $rest
        )
    };
}

/// The scopes of a project key and of the runs there. The key of a run is that of its project, `#`
/// and an alias, which has no `#`.
macro_rules! scopes_of_place {
    () => {
        "(SELECT id FROM scope
           WHERE (kind = 'project' AND key = ?1)
              OR (kind = 'run' AND substr(key, 1, length(?1) + 1) = ?1 || '#'
                  AND instr(substr(key, length(?1) + 2), '#') = 0))"
    };
}

impl Reader<'_> {
    /// The plain entries after `after`, among the next `limit`, that hold all of these words: in
    /// their path, text, attributes, or the name of their run or session. Also returns where the
    /// next page begins; `None` if this is the last.
    pub fn plain_entries_holding(
        &self,
        words: &[String],
        after: EntryId,
        limit: u32,
    ) -> Result<(Vec<PlainEntry>, Option<EntryId>), StoreError> {
        let mut found = self.sql(select_plain!(
            "WHERE i.entry_id > ?1 AND h.name <> 'project' ORDER BY i.entry_id LIMIT ?2"
        ))?;
        let mut rows = found.query((after.0, limit))?;
        let (mut holding, mut last, mut seen) = (Vec::new(), after, 0);
        while let Some(row) = rows.next()? {
            let entry = PlainEntry::from_row(row)?;
            let (kind, key): (String, String) = (row.get(3)?, row.get(4)?);
            let name = match kind.as_str() {
                "run" => key.rsplit_once('#').map_or("", |(_, alias)| alias),
                "session" => &key,
                _ => "",
            };
            let (path, attributes, body): (String, String, String) = (row.get(5)?, row.get(6)?, row.get(7)?);
            let appended = self.appended(entry.id)?;
            last = entry.id;
            seen += 1;
            if holds(words, [name, &path, &attributes, &body, &appended]) {
                holding.push(entry);
            }
        }
        Ok((holding, (seen == limit).then_some(last)))
    }

    /// The plain entries in the scopes of these project keys and of the runs there.
    pub fn plain_entries_of(&self, keys: &[String]) -> Result<Vec<PlainEntry>, StoreError> {
        let mut entries = Vec::new();
        for key in keys {
            let mut found = self.sql(concat!(
                select_plain!("WHERE h.name <> 'project' AND i.scope_id IN "),
                scopes_of_place!()
            ))?;
            let mut rows = found.query([key])?;
            while let Some(row) = rows.next()? {
                entries.push(PlainEntry::from_row(row)?);
            }
        }
        Ok(entries)
    }

    /// The runs that hold all of these words in a name, a persona, a prompt or a result.
    pub fn runs_holding(&self, words: &[String]) -> Result<Vec<RunRow>, StoreError> {
        let mut holding = Vec::new();
        for run in self.runs(None, u32::MAX >> 1, 0)? {
            let mut texts = vec![run.alias.clone(), run.model.clone()];
            texts.extend([&run.outcome, &run.session, &run.persona].into_iter().flatten().cloned());
            for row in self.loops(run.id)? {
                texts.extend([row.outcome.unwrap_or_default(), row.model]);
                texts.extend([row.config, row.result].map(|map| serde_json::Value::Object(map).to_string()));
                let prompt = nudge_core::EntryPath::parse(&row.prompt).ok();
                if let Some(prompt) = prompt.map(|path| self.entry(&run.scope, &path)).transpose()?.flatten()
                {
                    texts.extend([prompt.body, serde_json::Value::Object(prompt.attributes).to_string()]);
                }
            }
            if holds(words, texts.iter().map(String::as_str)) {
                holding.push(run);
            }
        }
        Ok(holding)
    }

    /// The sessions whose name, or the name of the session they came from, holds all of these
    /// words.
    pub fn sessions_holding(&self, words: &[String]) -> Result<Vec<SessionId>, StoreError> {
        let mut found = self.sql("SELECT id, name, ifnull(parent, '') FROM agent_session")?;
        let mut rows = found.query([])?;
        let mut holding = Vec::new();
        while let Some(row) = rows.next()? {
            if holds(words, [row.get::<_, String>(1)?.as_str(), &row.get::<_, String>(2)?]) {
                holding.push(SessionId(row.get(0)?));
            }
        }
        Ok(holding)
    }

    /// Every text column of every table in which a value holds all of these words.
    pub fn columns_holding(&self, words: &[String]) -> Result<Vec<HoldingColumn>, StoreError> {
        let mut columns = Vec::new();
        for (table, column) in self.text_columns()? {
            let mut found = self.sql(&format!("SELECT \"{column}\" FROM \"{table}\""))?;
            let mut rows = found.query([])?;
            let mut count = 0;
            while let Some(row) = rows.next()? {
                let value = row.get_ref(0)?.as_str_or_null().ok().flatten();
                count += u64::from(value.is_some_and(|text| holds(words, [text])));
            }
            if count > 0 {
                columns.push(HoldingColumn { name: format!("{table}.{column}"), rows: count });
            }
        }
        Ok(columns)
    }

    fn text_columns(&self) -> Result<Vec<(String, String)>, StoreError> {
        let mut found = self.sql(
            "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
              WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT' ORDER BY t.name, c.cid",
        )?;
        let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Removes texts that hold all of these words and belong to something that stays: summaries and
    /// outcomes in views, names, claims and addresses of projects, models, decisions. Returns how
    /// many.
    pub fn forget_words(&self, words: &[String], now: Timestamp) -> Result<u64, StoreError> {
        let mut gone = 0;
        for (table, column) in [
            ("entry_view", "outcome"),
            ("entry_view", "summary"),
            ("agent_session", "end_reason"),
            ("agent_session", "worktree"),
            ("project", "remote"),
            ("project_key", "claim"),
        ] {
            gone += self.clear_column(table, column, words)?;
        }
        for (table, column) in [
            ("injection_decision", "decision"),
            ("model", "alias"),
            ("model", "actual"),
            ("model", "base_url"),
        ] {
            for text in self.values_holding(table, column, words)? {
                gone +=
                    self.sql(&format!("DELETE FROM {table} WHERE {column} = ?1"))?.execute([&text])? as u64;
            }
        }
        for project in self.projects()? {
            if holds(words, [project.name.as_str()]) {
                let folder = project.root.rsplit(['/', '\\']).next().unwrap_or_default();
                let plain = if folder.is_empty() || holds(words, [folder]) {
                    format!("purged-{}", project.id.0)
                } else {
                    folder.to_owned()
                };
                gone += u64::from(self.rename_project(project.id, &plain, now)?);
            }
        }
        self.interned.borrow_mut().projects.clear();
        Ok(gone)
    }

    /// Removes the past versions and views of these project keys and of the runs there, and all
    /// stored answers of writes, which may repeat any of it.
    pub fn forget_versions_and_views_of(&self, keys: &[String]) -> Result<u64, StoreError> {
        let mut gone = 0;
        for key in keys {
            for (table, column) in [("past_version", "scope_id"), ("entry_view", "viewer_id")] {
                gone += self
                    .sql(&format!(concat!("DELETE FROM {} WHERE {} IN ", scopes_of_place!()), table, column))?
                    .execute([key])? as u64;
            }
        }
        gone += self.sql("DELETE FROM operation")?.execute([])? as u64;
        Ok(gone)
    }

    fn clear_column(&self, table: &str, column: &str, words: &[String]) -> Result<u64, StoreError> {
        let mut gone = 0;
        for text in self.values_holding(table, column, words)? {
            gone += self
                .sql(&format!("UPDATE {table} SET {column} = NULL WHERE {column} = ?1"))?
                .execute([&text])? as u64;
        }
        Ok(gone)
    }

    /// The different values of a column that hold all of these words.
    fn values_holding(&self, table: &str, column: &str, words: &[String]) -> Result<Vec<String>, StoreError> {
        let mut found =
            self.sql(&format!("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL"))?;
        let mut rows = found.query([])?;
        let mut holding = Vec::new();
        while let Some(row) = rows.next()? {
            let text: String = row.get(0)?;
            if holds(words, [text.as_str()]) {
                holding.push(text);
            }
        }
        Ok(holding)
    }
}

impl FromRow for PlainEntry {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let run: Option<i64> = row.get(2)?;
        let is_in_run = row.get::<_, String>(3)? == "run";
        Ok(Self { id: EntryId(row.get(0)?), scheme: row.get(1)?, run: run.map(RunId), is_in_run })
    }
}
