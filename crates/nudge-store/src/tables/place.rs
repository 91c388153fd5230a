//! The places of a project: how a directory is assigned to a project, and the name it claims.

use nudge_core::Timestamp;
use rusqlite::OptionalExtension;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::agent_session::{SessionId, SessionRow};
use crate::tables::project::{ProjectId, ProjectRow};
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// The key prefix of projects known only by their name, and the one of projects once made from a
/// claimed name.
const BY_NAME: &str = "name:";
const STATED_PREFIX: &str = "stated:";

/// A directory in which something happened.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SeenDirectory<'a> {
    /// Identifies its place.
    pub key: &'a str,
    /// Its name, taken from the directory.
    pub name: &'a str,
    /// Its root directory.
    pub root: &'a str,
    /// The name in its own settings.
    pub claim: Option<&'a str>,
    /// The remote address it declares.
    pub remote: Option<&'a str>,
    /// Whether its own settings declare it private.
    pub private: bool,
}

/// A claim to a name that another project has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The project of the claiming directory.
    pub project: ProjectId,
    /// The key of that directory.
    pub key: String,
    /// The name.
    pub name: String,
}

impl Reader<'_> {
    /// Whether a project is private.
    pub fn is_private(&self, id: ProjectId) -> Result<bool, StoreError> {
        let mut found = self.sql("SELECT 1 FROM project WHERE id = ?1 AND private = 1")?;
        Ok(found.exists([id.0])?)
    }

    /// All projects with their roots, and whether each is private.
    pub fn privacy(&self) -> Result<Vec<(ProjectId, String, bool)>, StoreError> {
        let mut found = self.sql("SELECT id, root, private FROM project")?;
        let rows = found.query_map([], |row| Ok((ProjectId(row.get(0)?), row.get(1)?, row.get(2)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The project of a key, its directory, and whether it is stored as private.
    pub fn privacy_of(&self, key: &str) -> Result<Option<(ProjectId, String, bool)>, StoreError> {
        let mut found = self.sql(
            "SELECT p.id, p.root, p.private FROM project_key k CROSS JOIN project p ON p.id = k.project_id
              WHERE k.key = ?1",
        )?;
        let row = found.query_row([key], |row| Ok((ProjectId(row.get(0)?), row.get(1)?, row.get(2)?)));
        Ok(row.optional()?)
    }

    /// The name that the directory of a key last claimed.
    pub fn claim_of(&self, key: &str) -> Result<Option<String>, StoreError> {
        let mut found = self.sql("SELECT claim FROM project_key WHERE key = ?1")?;
        Ok(found.query_row([key], |row| row.get(0)).optional()?.flatten())
    }

    /// The names that directories claim although another project has them.
    pub fn open_claims(&self) -> Result<Vec<Claim>, StoreError> {
        let mut found = self.sql(
            "SELECT k.project_id, k.key, k.claim FROM project_key k
              CROSS JOIN project p ON p.id = k.project_id
              WHERE k.claim IS NOT NULL AND k.claim <> p.name
                AND EXISTS (SELECT 1 FROM project o WHERE o.name = k.claim AND o.id <> p.id)
              ORDER BY k.project_id, k.key",
        )?;
        let rows = found.query_map([], |row| {
            Ok(Claim { project: ProjectId(row.get(0)?), key: row.get(1)?, name: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The scopes of these keys, if anything is stored under them.
    pub fn scopes_of_keys(&self, keys: &[String]) -> Result<Vec<i64>, StoreError> {
        let mut scope = self.sql("SELECT id FROM scope WHERE kind = 'project' AND key = ?1")?;
        let mut scopes = Vec::with_capacity(keys.len());
        for key in keys {
            scopes.extend(scope.query_row([key], |row| row.get::<_, i64>(0)).optional()?);
        }
        scopes.sort_unstable();
        scopes.dedup();
        Ok(scopes)
    }

    /// The key of the place where a session began: that of the first row it left, if that belongs
    /// to its project.
    pub fn first_key_of(&self, session: &SessionRow) -> Result<Option<String>, StoreError> {
        let mut found = self.sql(
            "SELECT s.key FROM entry e CROSS JOIN scope s ON s.id = e.scope_id
              WHERE e.id = (SELECT min(id) FROM (SELECT min(entry_id) AS id FROM observation WHERE session_id = ?1
                             UNION ALL SELECT min(entry_id) FROM prompt WHERE session_id = ?1))",
        )?;
        let first: Option<String> = found.query_row([session.id.0], |row| row.get(0)).optional()?;
        let keys = self.project_uncounted(session.project)?.map(|row| row.keys).unwrap_or_default();
        Ok(first.filter(|first| keys.contains(first)).or_else(|| keys.into_iter().next()))
    }

    /// How many hints were set or first stated under one of these keys, by their own provenance.
    pub fn hints_of_places(&self, keys: &[String]) -> Result<u64, StoreError> {
        let mut said = self.sql(
            "SELECT count(*) FROM hint h CROSS JOIN entry e ON e.id = h.entry_id
              WHERE e.origin_id IN (SELECT id FROM provenance WHERE project = ?1)
                 OR e.writer_id IN (SELECT id FROM provenance WHERE project = ?1)",
        )?;
        let mut count = 0;
        for key in keys {
            count += said.query_row([key], |row| row.get::<_, i64>(0))?;
        }
        Ok(count.unsigned_abs())
    }

    /// The project of the newest row that a session left.
    pub fn project_left_in(&self, session: SessionId) -> Result<Option<ProjectId>, StoreError> {
        let mut found = self.sql(
            "SELECT k.project_id FROM entry e
              CROSS JOIN scope s ON s.id = e.scope_id AND s.kind = 'project'
              CROSS JOIN project_key k ON k.key = s.key
              WHERE e.id = (SELECT max(id) FROM (SELECT max(entry_id) AS id FROM observation WHERE session_id = ?1
                             UNION ALL SELECT max(entry_id) FROM prompt WHERE session_id = ?1))",
        )?;
        Ok(found.query_row([session.0], |row| row.get(0)).optional()?.map(ProjectId))
    }

    /// The places with a name, oldest first. A project known only by its name is not a place.
    pub fn places_named(&self, name: &str) -> Result<Vec<ProjectRow>, StoreError> {
        let is_placed = |row: &ProjectRow| !row.keys.iter().all(|key| key.starts_with(BY_NAME));
        Ok(self.projects_called(name)?.into_iter().filter(is_placed).collect())
    }

    /// The place of that name that this one is another checkout of: both declare the same remote
    /// address. A project once made from the claim itself belongs to its own directory.
    fn other_checkout(&self, one: &SeenDirectory<'_>, claim: &str) -> Result<Option<ProjectId>, StoreError> {
        for place in self.places_named(claim)? {
            let remote = self.project_label(place.id)?.and_then(|(_, remote)| remote);
            let is_shared = remote.is_some() && remote.as_deref() == one.remote;
            let was_stated = place.keys.iter().any(|key| key.strip_prefix(STATED_PREFIX) == Some(claim));
            if is_shared || (was_stated && !one.root.is_empty() && place.root == one.root) {
                return Ok(Some(place.id));
            }
        }
        Ok(None)
    }
}

impl Writer<'_> {
    /// The project of a directory; created if there is none. A known directory stays with its
    /// project, whatever it claims. A new one joins the place with the claimed name only if both
    /// declare the same remote address.
    pub fn arrive(&self, one: &SeenDirectory<'_>, at: Timestamp) -> Result<ProjectId, StoreError> {
        let says_nothing = one.claim.is_none() && !one.private;
        if says_nothing {
            return self.enter_project(one.key, one.name, one.root, at);
        }
        let id = match self.project_by_key(&secret_guard::redacted(one.key))? {
            Some(id) => id,
            None => self.join_or_make(one, at)?,
        };
        if let Some(claim) = one.claim {
            self.note_claim(id, one, claim)?;
        }
        if one.private {
            self.set_private(id, true)?;
        }
        if let Some(remote) = one.remote {
            self.sql("UPDATE project SET remote = ?2 WHERE id = ?1 AND remote IS NULL")?
                .execute((id.0, secret_guard::redacted(remote)))?;
        }
        Ok(id)
    }

    fn join_or_make(&self, one: &SeenDirectory<'_>, at: Timestamp) -> Result<ProjectId, StoreError> {
        let joined = match one.claim {
            Some(claim) => self.other_checkout(one, claim)?,
            None => None,
        };
        match joined {
            Some(id) => {
                self.add_key(id, one.key)?;
                Ok(id)
            }
            None => self.enter_project(one.key, one.name, one.root, at),
        }
    }

    /// Stores the name that a directory claims. The project gets that name if nobody renamed it and
    /// no other place has the name.
    fn note_claim(&self, id: ProjectId, one: &SeenDirectory<'_>, claim: &str) -> Result<(), StoreError> {
        let claim = secret_guard::redacted(claim);
        let noted = self
            .sql("UPDATE project_key SET claim = ?2 WHERE key = ?1 AND claim IS NOT ?2")?
            .execute((secret_guard::redacted(one.key), &claim))?;
        let is_free = || Ok::<_, StoreError>(self.places_named(&claim)?.iter().all(|other| other.id == id));
        if noted > 0 && is_free()? {
            self.sql("UPDATE project SET name = ?2 WHERE id = ?1 AND name = ?3")?.execute((
                id.0,
                &claim,
                secret_guard::redacted(one.name),
            ))?;
        }
        Ok(())
    }

    /// Removes a place from hints and their past versions. These stay, but no longer say where they
    /// were stated.
    pub fn forget_place(&self, key: &str) -> Result<(), StoreError> {
        self.interned.borrow_mut().forget_provenances();
        for column in ["origin_id", "writer_id"] {
            self.sql(&format!(
                "INSERT OR IGNORE INTO provenance (source, tier, client, session, project, machine)
                 SELECT p.source, p.tier, p.client, '', '', p.machine FROM hint h
                  CROSS JOIN entry e ON e.id = h.entry_id
                  CROSS JOIN provenance p ON p.id = e.{column} WHERE p.project = ?1"
            ))?
            .execute([key])?;
            self.sql(&format!(
                "UPDATE entry SET {column} = (
                        SELECT o.id FROM provenance p CROSS JOIN provenance o
                            ON o.session = '' AND o.project = '' AND o.client = p.client AND o.source = p.source
                           AND o.tier = p.tier AND o.machine = p.machine
                         WHERE p.id = entry.{column})
                  WHERE id IN (SELECT h.entry_id FROM hint h CROSS JOIN entry e ON e.id = h.entry_id
                                CROSS JOIN provenance p ON p.id = e.{column} WHERE p.project = ?1)"
            ))?
            .execute([key])?;
        }
        for column in ["writer_id", "ended_by"] {
            self.sql(&format!(
                "INSERT OR IGNORE INTO provenance (source, tier, client, session, project, machine)
                 SELECT p.source, p.tier, p.client, '', '', p.machine FROM past_version v
                  CROSS JOIN provenance p ON p.id = v.{column} WHERE p.project = ?1"
            ))?
            .execute([key])?;
            self.sql(&format!(
                "UPDATE past_version SET {column} = (
                        SELECT o.id FROM provenance p CROSS JOIN provenance o
                            ON o.session = '' AND o.project = '' AND o.client = p.client AND o.source = p.source
                           AND o.tier = p.tier AND o.machine = p.machine
                         WHERE p.id = past_version.{column})
                  WHERE {column} IN (SELECT id FROM provenance WHERE project = ?1)"
            ))?
            .execute([key])?;
        }
        Ok(())
    }

    /// Moves a session, with its injections and hypotheses, to the project where its remaining rows
    /// are.
    pub fn move_session(&self, id: SessionId, project: ProjectId) -> Result<(), StoreError> {
        self.interned.borrow_mut().sessions.clear();
        self.sql("UPDATE agent_session SET project_id = ?2 WHERE id = ?1")?.execute((id.0, project.0))?;
        self.sql("UPDATE injection SET project_id = ?2 WHERE session_id = ?1")?.execute((id.0, project.0))?;
        self.sql("UPDATE hypothesis SET project_id = ?2 WHERE session_id = ?1")?
            .execute((id.0, project.0))?;
        Ok(())
    }

    /// Assigns a key to a project.
    pub fn add_key(&self, id: ProjectId, key: &str) -> Result<(), StoreError> {
        self.interned.borrow_mut().projects.remove(key);
        self.sql("INSERT OR REPLACE INTO project_key (key, project_id) VALUES (?1, ?2)")?
            .execute((secret_guard::redacted(key), id.0))?;
        Ok(())
    }

    /// Makes a project private or public, and returns whether that changed anything.
    pub fn set_private(&self, id: ProjectId, private: bool) -> Result<bool, StoreError> {
        let changed = self
            .sql("UPDATE project SET private = ?2 WHERE id = ?1 AND private <> ?2")?
            .execute((id.0, private))?;
        Ok(changed > 0)
    }
}
