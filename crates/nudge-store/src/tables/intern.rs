//! Words that repeat in every row, stored once: scopes, schemes and provenances.

use std::borrow::Cow;

use nudge_core::{Provenance, Scope};
use rusqlite::{OptionalExtension, Params};

use crate::db::error::StoreError;
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
