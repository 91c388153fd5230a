//! Models that were added while the server ran. Keys are never stored.

use nudge_core::Timestamp;

use crate::db::error::StoreError;
use crate::db::reader::Reader;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// A model under an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// Its alias.
    pub alias: String,
    /// Provider and model, such as `ollama/qwen2.5-coder`.
    pub actual: String,
    /// The address of the provider, if it is not the usual one.
    pub base_url: Option<String>,
    /// How many tokens it can read.
    pub context_length: Option<u32>,
}

impl Reader<'_> {
    /// The models, by alias.
    pub fn models(&self) -> Result<Vec<ModelRow>, StoreError> {
        let mut found =
            self.sql("SELECT alias, actual, base_url, context_length FROM model ORDER BY alias")?;
        let rows = found.query_map([], |row| {
            Ok(ModelRow {
                alias: row.get(0)?,
                actual: row.get(1)?,
                base_url: row.get(2)?,
                context_length: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Adds a model, or replaces the one with its alias. Credentials in it are replaced.
    pub fn put_model(&self, row: &ModelRow, now: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO model (alias, actual, base_url, context_length, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (alias) DO UPDATE SET actual = excluded.actual, base_url = excluded.base_url,
                 context_length = excluded.context_length",
        )?
        .execute((
            &row.alias,
            secret_guard::redacted(&row.actual),
            row.base_url.as_deref().map(secret_guard::redacted),
            row.context_length,
            now.as_millis(),
        ))?;
        Ok(())
    }

    /// Removes a model; returns whether there was one.
    pub fn remove_model(&self, alias: &str) -> Result<bool, StoreError> {
        Ok(self.sql("DELETE FROM model WHERE alias = ?1")?.execute([alias])? > 0)
    }
}
