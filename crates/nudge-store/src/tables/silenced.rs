//! Entries that the user does not want injected: in one project, or in all.

use std::collections::HashSet;

use nudge_core::{EntryId, Timestamp};

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::project::ProjectId;
use crate::tables::writer::Writer;

/// Stands for all projects.
const EVERYWHERE: i64 = 0;

pub(crate) const OF_PROJECT: &str = "SELECT entry_id FROM silenced WHERE project_id = ?1
     UNION ALL
     SELECT entry_id FROM silenced WHERE project_id = 0";

impl Reader<'_> {
    /// Entries that must not be injected in a project.
    pub fn silenced(&self, project: ProjectId) -> Result<HashSet<EntryId>, StoreError> {
        let mut found = self.sql(OF_PROJECT)?;
        Ok(found.query_map([project.0], |row| Ok(EntryId(row.get(0)?)))?.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Stops an entry from being injected, in a project or in all; returns whether that is new.
    pub fn silence(
        &self,
        id: EntryId,
        project: Option<ProjectId>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let place = project.map_or(EVERYWHERE, |project| project.0);
        let added = self
            .sql("INSERT OR IGNORE INTO silenced (project_id, entry_id, at) VALUES (?1, ?2, ?3)")?
            .execute((place, id.0, now.as_millis()))?;
        Ok(added > 0)
    }

    /// Allows an entry to be injected again, in a project or in all, and returns whether it was
    /// silenced there. "All" includes each single project.
    pub fn unsilence(&self, id: EntryId, project: Option<ProjectId>) -> Result<bool, StoreError> {
        let removed = match project {
            Some(project) => self
                .sql("DELETE FROM silenced WHERE entry_id = ?1 AND project_id = ?2")?
                .execute((id.0, project.0))?,
            None => self.sql("DELETE FROM silenced WHERE entry_id = ?1")?.execute([id.0])?,
        };
        Ok(removed > 0)
    }
}
