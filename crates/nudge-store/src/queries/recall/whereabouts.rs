//! Which sessions worked in a place, wherever they began.
//!
//! No index leads from a scope to its entries. These do: the project in which a session began, and
//! provenances. Every session that stored anything in a place has a provenance with its name and
//! the place's key.

use std::collections::HashSet;

use nudge_core::EntryId;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::SessionId;
use crate::tables::intern::SUMMARY_SCHEME;

/// How many of the sessions that began in a project are used, newest first.
const MAX_BEGUN: u32 = 500;

/// How many of the sessions that came to a place are used, newest first, and how many of the newest
/// provenances of all places are searched for them.
const MAX_ENTERED: usize = 500;
const MAX_PROVENANCES: u32 = 10_000;

/// How many of the newest entries of all places are searched for active sessions, however long ago
/// these came, and how many of those sessions are checked for this place.
const MAX_ENTRIES: u32 = 5_000;
const AT_WORK: usize = 200;

pub(crate) const BEGAN_IN: &str =
    "SELECT id FROM agent_session WHERE project_id = ?1 ORDER BY started_at DESC, id DESC LIMIT ?2";

pub(crate) const NEWEST_PROVENANCES: &str = "SELECT p.project, p.session FROM provenance p
      WHERE p.id > (SELECT max(id) FROM provenance) - ?1 ORDER BY p.id DESC";

pub(crate) const LATELY_AT_WORK: &str = "SELECT o.session_id FROM observation o
      WHERE o.entry_id > (SELECT max(entry_id) FROM observation) - ?1 ORDER BY o.entry_id DESC";

pub(crate) const WAS_THERE: &str = "SELECT 1 FROM agent_session a
      CROSS JOIN provenance p ON p.session = a.name AND p.project = ?2
      WHERE a.id = ?1 LIMIT 1";

impl Reader<'_> {
    /// The sessions that worked in these scopes: the 500 that began last in their projects, the 500
    /// that came last, and those active now. A session is left out if it came before thousands of
    /// others and has been silent for thousands of entries.
    pub fn sessions_in(&self, scopes: &[i64]) -> Result<Vec<SessionId>, StoreError> {
        let keys = self.keys_of(scopes)?;
        let mut met = HashSet::new();
        let mut found = self.sessions_begun_in(&keys)?;
        found.retain(|id| met.insert(*id));
        found.extend(self.sessions_entering(&keys)?.into_iter().filter(|id| met.insert(*id)));
        for id in self.lately_at_work()? {
            if !met.contains(&id) && self.was_in(id, &keys)? {
                found.push(id);
            }
        }
        Ok(found)
    }

    /// Whether an entry is the summary of a session that stored anything under one of these keys.
    pub fn summary_went_to(&self, id: EntryId, keys: &[String]) -> Result<bool, StoreError> {
        let session: Option<i64> = self
            .sql(
                "SELECT CAST(substr(e.path, length(?2) + 4) AS INTEGER) FROM entry e
                  WHERE e.id = ?1 AND e.scheme_id = (SELECT id FROM scheme WHERE name = ?2)",
            )?
            .query_row((id.0, SUMMARY_SCHEME), |row| row.get(0))
            .optional()?;
        let Some(session) = session else { return Ok(false) };
        let mut was_there = self.sql(WAS_THERE)?;
        for key in keys {
            if was_there.exists((session, key))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn keys_of(&self, scopes: &[i64]) -> Result<Vec<String>, StoreError> {
        let mut key = self.sql("SELECT key FROM scope WHERE id = ?1 AND kind = 'project'")?;
        let mut keys = Vec::with_capacity(scopes.len());
        for scope in scopes {
            keys.extend(key.query_row([scope], |row| row.get(0)).optional()?);
        }
        Ok(keys)
    }

    fn sessions_begun_in(&self, keys: &[String]) -> Result<Vec<SessionId>, StoreError> {
        let mut projects = HashSet::new();
        let mut began = self.sql(BEGAN_IN)?;
        let mut found = Vec::new();
        for key in keys {
            let Some(project) = self.project_by_key(key)?.filter(|project| projects.insert(*project)) else {
                continue;
            };
            for id in began.query_map((project.0, MAX_BEGUN), |row| row.get(0))? {
                found.push(SessionId(id?));
            }
        }
        Ok(found)
    }

    fn sessions_entering(&self, keys: &[String]) -> Result<Vec<SessionId>, StoreError> {
        let mut provenances = self.sql(NEWEST_PROVENANCES)?;
        let mut rows = provenances.query([MAX_PROVENANCES])?;
        let mut named = self.sql("SELECT id FROM agent_session WHERE name = ?1")?;
        let mut names = HashSet::new();
        let mut found = Vec::new();
        while found.len() < MAX_ENTERED
            && let Some(row) = rows.next()?
        {
            let here = row.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?;
            if !keys.iter().any(|key| key.as_bytes() == here) {
                continue;
            }
            let name: String = row.get(1)?;
            if !names.contains(&name) {
                found.extend(named.query_row([&name], |row| row.get(0)).optional()?.map(SessionId));
                names.insert(name);
            }
        }
        Ok(found)
    }

    fn lately_at_work(&self) -> Result<Vec<SessionId>, StoreError> {
        let mut lately = self.sql(LATELY_AT_WORK)?;
        let mut rows = lately.query([MAX_ENTRIES])?;
        let mut met = HashSet::new();
        let mut found = Vec::new();
        while found.len() < AT_WORK
            && let Some(row) = rows.next()?
        {
            let id = SessionId(row.get(0)?);
            if met.insert(id) {
                found.push(id);
            }
        }
        Ok(found)
    }

    fn was_in(&self, id: SessionId, keys: &[String]) -> Result<bool, StoreError> {
        let mut was_there = self.sql(WAS_THERE)?;
        for key in keys {
            if was_there.exists((id.0, key))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
