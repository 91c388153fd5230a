//! What observations and prompts have in common: an entry that is named by its own id.

use std::borrow::Cow;

use nudge_core::{EntryId, Provenance, Scope, Timestamp};
use rusqlite::OptionalExtension;
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::tables::feed::ChangeKind;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// The attribute that marks an entry from which a credential was removed.
const REDACTED_ATTRIBUTE: &str = "redacted";

/// The attribute with the hash of a file's content.
const HASH_ATTRIBUTE: &str = "hash";

/// The entry of a captured row.
pub(crate) struct CapturedDraft<'d> {
    pub(crate) scheme: &'static str,
    pub(crate) project: &'d str,
    pub(crate) body: &'d str,
    pub(crate) attributes: &'d Map<String, Value>,
    pub(crate) provenance: &'d Provenance,
    pub(crate) at: Timestamp,
}

impl Writer<'_> {
    /// Writes the entry and its feed row. The path is the scheme and the entry's own id, which is
    /// short and always free.
    pub(crate) fn put_captured(&self, draft: &CapturedDraft<'_>) -> Result<EntryId, StoreError> {
        let mut clean = without_secrets(draft.body, draft.attributes);
        if let Some(hash) = clean.attributes.get(HASH_ATTRIBUTE).and_then(Value::as_str) {
            let keyed = self.keyed(hash)?;
            clean.attributes.to_mut().insert(HASH_ATTRIBUTE.to_owned(), Value::String(keyed));
        }
        let attributes = if clean.attributes.is_empty() {
            "{}".to_owned()
        } else {
            serde_json::to_string(clean.attributes.as_ref()).expect("a map of JSON values has a text")
        };
        let id = self.next_entry_id()?;
        self.interned.borrow_mut().last_entry = Some(id);
        let provenance = self.provenance_id(draft.provenance)?;
        let scope = self.scope_id(&Scope::Project(draft.project.to_owned()))?;
        self.sql(
            "INSERT INTO entry (id, scope_id, scheme_id, version, origin_id, writer_id, created_at, updated_at,
                                path, attributes, body)
             VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            id,
            scope,
            self.scheme_id(draft.scheme)?,
            provenance,
            draft.at.as_millis(),
            format!("{}://{id}", draft.scheme),
            attributes,
            clean.body.as_ref(),
        ))?;
        self.append_in(Some(scope), EntryId(id), draft.scheme, ChangeKind::Created, 1, draft.at)?;
        Ok(EntryId(id))
    }

    /// The id of the next entry. This process has the write lock, so no other can take it.
    fn next_entry_id(&self) -> Result<i64, StoreError> {
        if let Some(last) = self.interned.borrow().last_entry {
            return Ok(last + 1);
        }
        let last: Option<i64> = self
            .sql("SELECT seq FROM sqlite_sequence WHERE name = 'entry'")?
            .query_row([], |row| row.get(0))
            .optional()?;
        Ok(last.unwrap_or(0) + 1)
    }
}

/// A captured text with every credential replaced.
pub(crate) struct CleanText<'t> {
    pub(crate) body: Cow<'t, str>,
    pub(crate) attributes: Cow<'t, Map<String, Value>>,
}

/// Cleans captured text: nothing is rejected, credentials are replaced, and an attribute then says
/// so.
pub(crate) fn without_secrets<'t>(body: &'t str, attributes: &'t Map<String, Value>) -> CleanText<'t> {
    let clean_body = secret_guard::redacted(body);
    let clean_attributes = secret_guard::redacted_object(attributes);
    let changed = matches!(clean_body, Cow::Owned(_)) || clean_attributes.is_some();
    let mut attributes = clean_attributes.map_or(Cow::Borrowed(attributes), Cow::Owned);
    if changed {
        attributes.to_mut().insert(REDACTED_ATTRIBUTE.to_owned(), Value::Bool(true));
    }
    CleanText { body: clean_body, attributes }
}
