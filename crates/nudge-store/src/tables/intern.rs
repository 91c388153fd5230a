//! Words that repeat in every row, stored once: scopes, schemes and provenances; and the schemes
//! that have a table or a rule of their own.

use std::borrow::Cow;
use std::collections::HashMap;

use nudge_core::{Provenance, Scope};
use rusqlite::{OptionalExtension, Params};

use crate::db::error::StoreError;
use crate::tables::agent_session::row::SessionRow;
use crate::tables::project::row::ProjectId;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

impl Writer<'_> {
    pub(crate) fn scope_id(&self, scope: &Scope) -> Result<i64, StoreError> {
        if let Some(id) = self.interned.borrow().scopes.get(scope) {
            return Ok(*id);
        }
        let id = self.intern(
            "SELECT id FROM scope WHERE kind = ?1 AND key = ?2",
            "INSERT INTO scope (kind, key) VALUES (?1, ?2)",
            (scope.kind(), clean_key(scope)),
        )?;
        self.interned.borrow_mut().scopes.insert(scope.clone(), id);
        Ok(id)
    }

    pub(crate) fn scheme_id(&self, scheme: &str) -> Result<i64, StoreError> {
        if let Some(id) = self.interned.borrow().schemes.get(scheme) {
            return Ok(*id);
        }
        let id = self.intern(
            "SELECT id FROM scheme WHERE name = ?1",
            "INSERT INTO scheme (name) VALUES (?1)",
            [scheme],
        )?;
        self.interned.borrow_mut().schemes.insert(scheme.to_owned(), id);
        Ok(id)
    }

    pub(crate) fn provenance_id(&self, from: &Provenance) -> Result<i64, StoreError> {
        if let Some(id) = self.interned.borrow().provenances.get(from) {
            return Ok(*id);
        }
        let known = |field: &Option<String>| field.clone().unwrap_or_default();
        let project = secret_guard::redacted(from.project.as_deref().unwrap_or_default());
        let id = self.intern(
            "SELECT id FROM provenance
              WHERE session = ?1 AND project = ?2 AND client = ?3 AND source = ?4 AND tier = ?5 AND machine = ?6",
            "INSERT INTO provenance (session, project, client, source, tier, machine)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                known(&from.session),
                project,
                known(&from.client),
                from.source.name(),
                from.tier.name(),
                known(&from.machine),
            ),
        )?;
        self.interned.borrow_mut().provenances.insert(from.clone(), id);
        Ok(id)
    }

    /// Interns captured words, with credentials replaced.
    pub(crate) fn intern_words(
        &self,
        find: &'static str,
        make: &'static str,
        words: &[&str],
    ) -> Result<i64, StoreError> {
        let key = (find, words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        if let Some(id) = self.interned.borrow().words.get(&key) {
            return Ok(*id);
        }
        let clean: Vec<_> = words.iter().map(|word| secret_guard::redacted(word)).collect();
        let id = self.intern(find, make, rusqlite::params_from_iter(&clean))?;
        self.interned.borrow_mut().words.insert(key, id);
        Ok(id)
    }

    fn intern(&self, find: &str, make: &str, words: impl Params + Clone) -> Result<i64, StoreError> {
        let found = self.sql(find)?.query_row(words.clone(), |row| row.get(0)).optional()?;
        match found {
            Some(id) => Ok(id),
            None => Ok(self.sql(make)?.insert(words)?),
        }
    }
}

/// The key of a project is a path, and paths can contain credentials.
fn clean_key(scope: &Scope) -> Cow<'_, str> {
    match scope {
        Scope::Project(key) => secret_guard::redacted(key),
        _ => Cow::Borrowed(scope.key()),
    }
}

// Ids that a transaction has already looked up.

/// Ids found or created in this transaction. Interned rows never change, so these cannot become
/// stale. Projects and sessions can, but only through this transaction, which then drops them.
#[derive(Default)]
pub(crate) struct Interned {
    pub(crate) projects: HashMap<String, ProjectId>,
    pub(crate) sessions: HashMap<String, SessionRow>,
    /// The id of the last entry; valid as long as only captured entries were written since it was
    /// read.
    pub(crate) last_entry: Option<i64>,
    pub(crate) scopes: HashMap<Scope, i64>,
    pub(crate) schemes: HashMap<String, i64>,
    pub(crate) provenances: HashMap<Provenance, i64>,
    pub(crate) words: HashMap<(&'static str, Vec<String>), i64>,
}

impl Interned {
    pub(crate) fn forget_provenances(&mut self) {
        self.provenances.clear();
    }
}

// The schemes of entries with their own table or rule.

/// The scheme of hints.
pub(crate) const HINT_SCHEME: &str = "hint";

/// The scheme of observations.
pub(crate) const OBSERVATION_SCHEME: &str = "obs";

/// The scheme of prompts.
pub(crate) const PROMPT_SCHEME: &str = "prompt";

/// The scheme of summaries.
pub(crate) const SUMMARY_SCHEME: &str = "summary";

/// The scheme of sessions.
pub(crate) const SESSION_SCHEME: &str = "session";

/// The scheme of projects.
pub(crate) const PROJECT_SCHEME: &str = "project";

/// The kinds that have a side table and their own write function.
pub(crate) const TYPED_SCHEMES: [&str; 3] = [HINT_SCHEME, OBSERVATION_SCHEME, PROMPT_SCHEME];
