//! Projects: where people work, found by the keys their directories have.

pub(super) mod row;

pub use row::{ProjectId, ProjectRow};

use nudge_core::Timestamp;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;
use row::bare;

impl Reader<'_> {
    /// The project that a key leads to.
    pub fn project_by_key(&self, key: &str) -> Result<Option<ProjectId>, StoreError> {
        let found = self
            .sql("SELECT project_id FROM project_key WHERE key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        Ok(found.map(ProjectId))
    }

    /// One project.
    pub fn project(&self, id: ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        self.project_uncounted(id)?.map(|row| self.with_sessions(row)).transpose()
    }

    /// One project, without counting its sessions.
    pub fn project_uncounted(&self, id: ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        let found = self
            .sql("SELECT id, name, root, created_at FROM project WHERE id = ?1")?
            .query_row([id.0], bare)
            .optional()?;
        found.map(|row| self.keyed(row)).transpose()
    }

    /// The projects of that name, without counting their sessions.
    pub fn projects_called(&self, name: &str) -> Result<Vec<ProjectRow>, StoreError> {
        let rows: Vec<ProjectRow> = self
            .sql("SELECT id, name, root, created_at FROM project WHERE name = ?1 ORDER BY id")?
            .query_map([name], bare)?
            .collect::<Result<_, _>>()?;
        rows.into_iter().map(|row| self.keyed(row)).collect()
    }

    /// All projects, by name.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        let rows: Vec<ProjectRow> = self
            .sql("SELECT id, name, root, created_at FROM project ORDER BY name, id")?
            .query_map([], bare)?
            .collect::<Result<_, _>>()?;
        rows.into_iter().map(|row| self.with_sessions(self.keyed(row)?)).collect()
    }

    fn keyed(&self, mut row: ProjectRow) -> Result<ProjectRow, StoreError> {
        row.keys = self
            .sql("SELECT key FROM project_key WHERE project_id = ?1 ORDER BY key")?
            .query_map([row.id.0], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        Ok(row)
    }

    fn with_sessions(&self, mut row: ProjectRow) -> Result<ProjectRow, StoreError> {
        row.sessions = self
            .sql("SELECT count(*) FROM agent_session WHERE project_id = ?1")?
            .query_row([row.id.0], |row| row.get(0))?;
        Ok(row)
    }

    /// The other projects that are shared under the same address.
    pub fn projects_of_remote(
        &self,
        remote: &str,
        but: ProjectId,
        limit: u32,
    ) -> Result<Vec<(ProjectId, String)>, StoreError> {
        let mut found = self
            .sql("SELECT id, name FROM project WHERE remote = ?1 AND id <> ?2 ORDER BY id DESC LIMIT ?3")?;
        let rows =
            found.query_map((remote, but.0, limit), |row| Ok((ProjectId(row.get(0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What a project is called, and the address it is shared under.
    pub fn project_label(&self, id: ProjectId) -> Result<Option<(String, Option<String>)>, StoreError> {
        let mut found = self.sql("SELECT name, remote FROM project WHERE id = ?1")?;
        Ok(found.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?.next().transpose()?)
    }
}

impl Writer<'_> {
    /// The project that a key leads to; made when there is none. Its name and root are what the
    /// first comer called them, unless a person renames it.
    pub fn enter_project(
        &self,
        key: &str,
        name: &str,
        root: &str,
        at: Timestamp,
    ) -> Result<ProjectId, StoreError> {
        if let Some(id) = self.interned.borrow().projects.get(key) {
            return Ok(*id);
        }
        let id = self.find_or_make_project(&secret_guard::redacted(key), name, root, at)?;
        self.interned.borrow_mut().projects.insert(key.to_owned(), id);
        Ok(id)
    }

    fn find_or_make_project(
        &self,
        key: &str,
        name: &str,
        root: &str,
        at: Timestamp,
    ) -> Result<ProjectId, StoreError> {
        if let Some(id) = self.project_by_key(key)? {
            return Ok(id);
        }
        let id = self.sql("INSERT INTO project (name, root, created_at) VALUES (?1, ?2, ?3)")?.insert((
            secret_guard::redacted(name),
            secret_guard::redacted(root),
            at.as_millis(),
        ))?;
        self.sql("INSERT INTO project_key (key, project_id) VALUES (?1, ?2)")?.execute((key, id))?;
        Ok(ProjectId(id))
    }

    /// Notes the address that a project is shared under.
    pub fn note_remote(&self, id: ProjectId, remote: &str) -> Result<(), StoreError> {
        self.sql("UPDATE project SET remote = ?2 WHERE id = ?1 AND remote IS NOT ?2")?
            .execute((id.0, secret_guard::redacted(remote)))?;
        Ok(())
    }

    /// Gives a project another name, and says whether there is one.
    pub fn rename_project(&self, id: ProjectId, name: &str) -> Result<bool, StoreError> {
        Ok(self.sql("UPDATE project SET name = ?2 WHERE id = ?1")?.execute((id.0, name))? > 0)
    }

    /// Makes one project of two: all that led to `from` leads to `into`. Returns how many sessions
    /// moved.
    pub fn merge_projects(&self, from: ProjectId, into: ProjectId) -> Result<usize, StoreError> {
        self.interned.borrow_mut().projects.clear();
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE project_key SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        let moved = self
            .sql("UPDATE agent_session SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        self.sql("UPDATE injection SET project_id = ?2 WHERE project_id = ?1")?.execute((from.0, into.0))?;
        self.sql("UPDATE OR REPLACE silenced SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        self.sql("UPDATE OR REPLACE attempt SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        // Private is what either was, and the address is the first that is known.
        self.sql(
            "UPDATE project SET private = max(private, (SELECT private FROM project WHERE id = ?1)),
                    remote = ifnull(remote, (SELECT remote FROM project WHERE id = ?1)) WHERE id = ?2",
        )?
        .execute((from.0, into.0))?;
        self.sql("DELETE FROM project WHERE id = ?1")?.execute([from.0])?;
        Ok(moved)
    }
}
