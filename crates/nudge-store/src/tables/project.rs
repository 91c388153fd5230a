//! Projects: where users work, found by the keys of their directories.

pub(super) mod row;

pub use row::{ProjectId, ProjectRow};

use nudge_core::{EntryId, EntryPath, Provenance, Scope, Source, Tier, Timestamp};
use rusqlite::OptionalExtension;
use serde_json::Map;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::entry::Record;
use crate::tables::feed::ChangeKind;
use crate::tables::intern::PROJECT_SCHEME;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;
use row::bare;

impl Reader<'_> {
    /// The project of a key.
    pub fn project_by_key(&self, key: &str) -> Result<Option<ProjectId>, StoreError> {
        let found = self
            .sql("SELECT project_id FROM project_key WHERE key = ?1")?
            .query_row([key], |row| row.get(0))
            .optional()?;
        Ok(found.map(ProjectId))
    }

    /// Whether an agent wrote an entry of this scheme in a project.
    pub fn has_agent_entry(&self, project: ProjectId, scheme: &str) -> Result<bool, StoreError> {
        let mut found = self.sql(
            "SELECT EXISTS (SELECT 1 FROM entry e JOIN provenance p ON p.id = e.origin_id
              WHERE e.path >= ?2 || '://' AND e.path < ?2 || ':/0' AND p.tier = 'model'
                AND p.project IN (SELECT key FROM project_key WHERE project_id = ?1))",
        )?;
        Ok(found.query_row((project.0, scheme), |row| row.get(0))?)
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

    /// The projects with this name, without counting their sessions.
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

    /// The other projects with the same remote address.
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

    /// A project's name and its remote address.
    pub fn project_label(&self, id: ProjectId) -> Result<Option<(String, Option<String>)>, StoreError> {
        let mut found = self.sql("SELECT name, remote FROM project WHERE id = ?1")?;
        Ok(found.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?.next().transpose()?)
    }
}

impl Writer<'_> {
    /// The project of a key; created if there is none. Name and root are the first ones given,
    /// unless a user renames it.
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
        self.entry_of_project(ProjectId(id), at)?;
        Ok(ProjectId(id))
    }

    /// The entry of a project; created if it has none yet.
    pub(crate) fn entry_of_project(&self, id: ProjectId, at: Timestamp) -> Result<EntryId, StoreError> {
        let known: Option<Option<i64>> = self
            .sql("SELECT entry_id FROM project WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        if let Some(entry) = known.flatten() {
            return Ok(EntryId(entry));
        }
        let key = self.project_uncounted(id)?.and_then(|row| row.keys.into_iter().next()).unwrap_or_default();
        let path = EntryPath::from_parts(PROJECT_SCHEME, &[&id.0.to_string()], None)
            .expect("a number makes a path of any scheme");
        let provenance = Provenance {
            source: Source::ToolOutput,
            tier: Tier::System,
            client: None,
            session: None,
            // Its scope already identifies the project; a second reference would have to be purged
            // too.
            project: None,
            machine: None,
        };
        let (entry, version) = self.store(&Record {
            scope: &Scope::Project(key),
            path: &path,
            body: "",
            attributes: &Map::new(),
            provenance: &provenance,
            history: None,
            now: at,
        })?;
        self.sql("UPDATE project SET entry_id = ?2 WHERE id = ?1")?.execute((id.0, entry.0))?;
        self.append(entry, PROJECT_SCHEME, ChangeKind::Created, version, at)?;
        Ok(entry)
    }

    /// Removes the entry of a project that is being removed.
    pub(crate) fn remove_project_entry(&self, id: ProjectId, now: Timestamp) -> Result<(), StoreError> {
        let entry: Option<Option<i64>> = self
            .sql("SELECT entry_id FROM project WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        if let Some(entry) = entry.flatten() {
            self.delete_entry(EntryId(entry), now)?;
        }
        Ok(())
    }

    /// Stores the remote address of a project.
    pub fn note_remote(&self, id: ProjectId, remote: &str) -> Result<(), StoreError> {
        self.sql("UPDATE project SET remote = ?2 WHERE id = ?1 AND remote IS NOT ?2")?
            .execute((id.0, secret_guard::redacted(remote)))?;
        Ok(())
    }

    /// Renames a project, and returns whether it exists.
    pub fn rename_project(&self, id: ProjectId, name: &str, now: Timestamp) -> Result<bool, StoreError> {
        if self.sql("UPDATE project SET name = ?2 WHERE id = ?1")?.execute((id.0, name))? == 0 {
            return Ok(false);
        }
        let entry = self.entry_of_project(id, now)?;
        self.touch_entry(entry, ChangeKind::Renamed, now)?;
        Ok(true)
    }

    /// Merges two projects: everything of `from` now belongs to `into`. Returns how many sessions
    /// moved.
    pub fn merge_projects(
        &self,
        from: ProjectId,
        into: ProjectId,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        self.interned.borrow_mut().projects.clear();
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE project_key SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        let moved = self
            .sql("UPDATE agent_session SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        self.sql("UPDATE injection SET project_id = ?2 WHERE project_id = ?1")?.execute((from.0, into.0))?;
        self.sql("UPDATE hypothesis SET project_id = ?2 WHERE project_id = ?1")?.execute((from.0, into.0))?;
        self.sql("UPDATE run SET project_id = ?2 WHERE project_id = ?1")?.execute((from.0, into.0))?;
        self.sql("UPDATE OR REPLACE silenced SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        self.sql("UPDATE OR REPLACE attempt SET project_id = ?2 WHERE project_id = ?1")?
            .execute((from.0, into.0))?;
        // The result is private if either was, and has the first known remote address.
        self.sql(
            "UPDATE project SET private = max(private, (SELECT private FROM project WHERE id = ?1)),
                    remote = ifnull(remote, (SELECT remote FROM project WHERE id = ?1)) WHERE id = ?2",
        )?
        .execute((from.0, into.0))?;
        self.remove_project_entry(from, now)?;
        let entry = self.entry_of_project(into, now)?;
        self.touch_entry(entry, ChangeKind::Updated, now)?;
        self.sql("DELETE FROM project WHERE id = ?1")?.execute([from.0])?;
        Ok(moved)
    }
}
