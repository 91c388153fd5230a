//! Entries: read by path, by id, or the newest of a kind; written under their path; their words.

use std::borrow::Cow;

use nudge_core::{Entry, EntryId, EntryPath, Provenance, Scope, Source, Tier, Timestamp};
use rusqlite::{OptionalExtension, Row};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::integrity::MAX_NUMBER;
use crate::db::reader::{FromRow, Reader};
use crate::tables::feed::ChangeKind;
use crate::tables::intern::{PROMPT_SCHEME, TYPED_SCHEMES};
use crate::tables::past_version::History;
use crate::tables::secret_guard::{SecretGuard, SecretPolicy, replace};
use crate::tables::writer::Writer;

/// An entry to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryDraft {
    /// The namespace.
    pub scope: Scope,
    /// Its path there; an entry already stored under it is replaced.
    pub path: EntryPath,
    /// Its text.
    pub body: String,
    /// Its other attributes.
    pub attributes: Map<String, Value>,
    /// Where it comes from, as the surface saw it.
    pub provenance: Provenance,
    /// What happens to text that looks like a credential.
    pub secrets: SecretPolicy,
    /// The current time.
    pub now: Timestamp,
}

/// An entry that has passed the detector, before the transaction that writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardedEntry(EntryDraft);

impl EntryDraft {
    /// Runs the detector on it.
    pub fn guarded(&self) -> Result<GuardedEntry, StoreError> {
        refuse_typed(self)?;
        Ok(GuardedEntry(self.without_secrets()?.into_owned()))
    }

    /// Runs the guard on all its text: path, body, attributes.
    pub(crate) fn without_secrets(&self) -> Result<Cow<'_, Self>, StoreError> {
        let Some(guard) = SecretGuard::of(self.secrets) else {
            return Ok(Cow::Borrowed(self));
        };
        let path = guard.path(&self.path)?;
        let body = guard.text("body", None, &self.body)?;
        let attributes = guard.object("", &self.attributes)?;
        if path.is_none() && body.is_none() && attributes.is_none() {
            return Ok(Cow::Borrowed(self));
        }
        let mut clean = self.clone();
        replace(&mut clean.path, path);
        replace(&mut clean.body, body);
        replace(&mut clean.attributes, attributes);
        Ok(Cow::Owned(clean))
    }
}

/// The result of writing a draft.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The entry.
    pub id: EntryId,
    /// The version it has now.
    pub version: i64,
    /// Whether there was no entry before.
    pub created: bool,
}

/// `SELECT` of all columns of an [`Entry`], in the order [`Entry::from_row`] reads them, and some
/// more.
///
/// The joins are `CROSS`, which fixes their order in SQLite: the entry is found first, by the
/// `WHERE` clause, and the interned words follow by their keys.
macro_rules! select_entry {
    ($more:literal, $from:literal, $rest:literal) => {
        concat!(
            "SELECT e.id, e.path, e.version, e.created_at, e.updated_at, e.attributes, e.body,
                    s.kind, s.key,
                    o.source, o.tier, o.client, o.session, o.project, o.machine,
                    w.source, w.tier, w.client, w.session, w.project, w.machine",
            $more,
            " FROM ",
            $from,
            " CROSS JOIN scope s ON s.id = e.scope_id
              CROSS JOIN provenance o ON o.id = e.origin_id
              CROSS JOIN provenance w ON w.id = e.writer_id ",
            $rest
        )
    };
}

pub(crate) use select_entry;

/// The first column after those of the entry itself.
pub(crate) const ENTRY_COLUMNS: usize = 21;

pub(crate) const BY_PATH: &str = select_entry!(
    "",
    "entry e",
    "WHERE e.path = ?1 AND e.scope_id = (SELECT id FROM scope WHERE kind = ?2 AND key = ?3)"
);

pub(crate) const NEWEST_ENTRIES: &str = select_entry!(
    "",
    "entry e",
    "WHERE e.scheme_id = (SELECT id FROM scheme WHERE name = ?1)
     ORDER BY e.updated_at DESC, e.id DESC LIMIT ?2"
);

pub(crate) const IN_SCOPE: &str = select_entry!(
    "",
    "entry_scope i CROSS JOIN entry e ON e.id = i.entry_id",
    "WHERE i.scope_id = (SELECT id FROM scope WHERE kind = ?1 AND key = ?2)
       AND (?3 IS NULL OR e.scheme_id = (SELECT id FROM scheme WHERE name = ?3))
     ORDER BY i.entry_id"
);

impl Reader<'_> {
    /// The entry with this path.
    pub fn entry(&self, scope: &Scope, path: &EntryPath) -> Result<Option<Entry>, StoreError> {
        self.first(BY_PATH, (path.as_str(), scope.kind(), scope.key()))
    }

    /// The entry with this id.
    pub fn entry_by_id(&self, id: EntryId) -> Result<Option<Entry>, StoreError> {
        self.first(select_entry!("", "entry e", "WHERE e.id = ?1"), [id.0])
    }

    /// The entry with this id, with an empty body: a long one is not read.
    pub fn entry_head(&self, id: EntryId) -> Result<Option<Entry>, StoreError> {
        self.first(
            "SELECT e.id, e.path, e.version, e.created_at, e.updated_at, e.attributes, '',
                    s.kind, s.key,
                    o.source, o.tier, o.client, o.session, o.project, o.machine,
                    w.source, w.tier, w.client, w.session, w.project, w.machine
               FROM entry e
              CROSS JOIN scope s ON s.id = e.scope_id
              CROSS JOIN provenance o ON o.id = e.origin_id
              CROSS JOIN provenance w ON w.id = e.writer_id
              WHERE e.id = ?1",
            [id.0],
        )
    }

    /// The newest entries of a scheme, newest first.
    pub fn newest(&self, scheme: &str, limit: u32) -> Result<Vec<Entry>, StoreError> {
        self.all(NEWEST_ENTRIES, (scheme, limit))
    }

    /// The entries of a scope, oldest first; of one scheme, if given. Observations and prompts are
    /// found by their sessions instead.
    pub fn entries_in(&self, scope: &Scope, scheme: Option<&str>) -> Result<Vec<Entry>, StoreError> {
        self.all(IN_SCOPE, (scope.kind(), scope.key(), scheme))
    }

    /// Every scope that contains the path, so that a caller can refuse to shadow one with another.
    pub fn scopes_of(&self, path: &EntryPath) -> Result<Vec<(Scope, EntryId)>, StoreError> {
        let mut found = self.sql(
            "SELECT e.id, s.kind, s.key FROM entry e CROSS JOIN scope s ON s.id = e.scope_id
              WHERE e.path = ?1 ORDER BY e.scope_id",
        )?;
        let mut rows = found.query([path.as_str()])?;
        let mut scopes = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            scopes.push((scope_from(row, 1, id)?, EntryId(id)));
        }
        Ok(scopes)
    }
}

impl Writer<'_> {
    /// Writes an entry of a kind without a side table; replaces the one already stored under its
    /// path.
    pub fn put_entry(&self, draft: &EntryDraft) -> Result<Written, StoreError> {
        refuse_typed(draft)?;
        self.put_clean(draft.without_secrets()?.as_ref())
    }

    /// Like [`Self::put_entry`], for an entry that the detector has already read: for a long one
    /// that takes longer than the write.
    pub fn put_guarded(&self, draft: &GuardedEntry) -> Result<Written, StoreError> {
        self.put_clean(&draft.0)
    }

    /// Like [`Self::put_entry`], with a specific kind of change for an entry that already exists.
    pub fn put_entry_noting(&self, draft: &EntryDraft, kind: ChangeKind) -> Result<Written, StoreError> {
        refuse_typed(draft)?;
        self.put_as(draft.without_secrets()?.as_ref(), kind)
    }

    fn put_clean(&self, draft: &EntryDraft) -> Result<Written, StoreError> {
        self.put_as(draft, ChangeKind::Updated)
    }

    fn put_as(&self, draft: &EntryDraft, changed: ChangeKind) -> Result<Written, StoreError> {
        let (id, version) = self.store(&Record {
            scope: &draft.scope,
            path: &draft.path,
            body: &draft.body,
            attributes: &draft.attributes,
            provenance: &draft.provenance,
            history: None,
            now: draft.now,
        })?;
        let created = version == 1;
        let kind = if created { ChangeKind::Created } else { changed };
        self.append(id, draft.path.scheme(), kind, version, draft.now)?;
        Ok(Written { id, version, created })
    }

    /// Removes an entry with its side rows, and returns whether there was one.
    pub fn delete_entry(&self, id: EntryId, now: Timestamp) -> Result<bool, StoreError> {
        let removed: Option<(String, i64, i64)> = self
            .sql(
                "DELETE FROM entry WHERE id = ?1
                 RETURNING (SELECT name FROM scheme WHERE scheme.id = scheme_id), version, scope_id",
            )?
            .query_row([id.0], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((scheme, version, scope)) = removed else {
            return Ok(false);
        };
        self.append_in(Some(scope), id, &scheme, ChangeKind::Deleted, version, now)?;
        Ok(true)
    }

    /// Inserts or replaces the row of an entry. Its origin and creation time stay.
    ///
    /// An entry with the highest possible version is unchanged: [`StoreError::LastVersion`].
    pub(crate) fn store(&self, record: &Record<'_>) -> Result<(EntryId, i64), StoreError> {
        self.interned.borrow_mut().last_entry = None;
        let history = record.history;
        let attributes = serde_json::to_string(record.attributes).expect("a map of JSON values has a text");
        let stored = self
            .sql(
                "INSERT INTO entry (scope_id, scheme_id, version, origin_id, writer_id, created_at, updated_at,
                                    path, attributes, body)
                 VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7, ?8, ?9)
                 ON CONFLICT (path, scope_id) DO UPDATE SET
                     version    = max(version + 1, excluded.version),
                     writer_id  = excluded.writer_id,
                     created_at = CASE WHEN ?10 THEN min(created_at, excluded.created_at) ELSE created_at END,
                     updated_at = excluded.updated_at,
                     attributes = excluded.attributes,
                     body       = excluded.body
                 WHERE version < ?11
                 RETURNING id, version",
            )?
            .query_row(
                (
                    self.scope_id(record.scope)?,
                    self.scheme_id(record.path.scheme())?,
                    history.map_or(1, |history| history.version),
                    self.provenance_id(record.provenance)?,
                    history.map_or(record.now, |history| history.created_at).as_millis(),
                    history.map_or(record.now, |history| history.updated_at).as_millis(),
                    record.path.as_str(),
                    attributes,
                    record.body,
                    history.is_some(),
                    MAX_NUMBER,
                ),
                |row| Ok((EntryId(row.get(0)?), row.get(1)?)),
            )
            .optional()?;
        let (id, version) = stored.ok_or(StoreError::LastVersion)?;
        if version == 1 || history.is_some() {
            self.sql(
                "INSERT OR IGNORE INTO entry_scope (entry_id, scope_id)
                 SELECT id, scope_id FROM entry WHERE id = ?1",
            )?
            .execute([id.0])?;
        }
        Ok((id, version))
    }

    /// Gives an entry a new version although its text is the same, and appends the change.
    pub(crate) fn touch_entry(
        &self,
        id: EntryId,
        kind: ChangeKind,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let touched: Option<(String, i64, i64)> = self
            .sql(
                "UPDATE entry SET version = version + 1, updated_at = ?2 WHERE id = ?1 AND version < ?3
                 RETURNING (SELECT name FROM scheme WHERE scheme.id = scheme_id), version, scope_id",
            )?
            .query_row((id.0, now.as_millis(), MAX_NUMBER), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let Some((scheme, version, scope)) = touched else { return Err(StoreError::NoEntry(id)) };
        self.append_in(Some(scope), id, &scheme, kind, version, now)
    }
}

fn refuse_typed(draft: &EntryDraft) -> Result<(), StoreError> {
    let scheme = draft.path.scheme();
    // The prompts of a run are plain entries: nobody captured them.
    let is_of_run = scheme == PROMPT_SCHEME && matches!(draft.scope, Scope::Run(_));
    if TYPED_SCHEMES.contains(&scheme) && !is_of_run {
        return Err(StoreError::TypedScheme(scheme.to_owned()));
    }
    Ok(())
}

/// The part of any draft that becomes a row of `entry`.
pub(crate) struct Record<'d> {
    pub(crate) scope: &'d Scope,
    pub(crate) path: &'d EntryPath,
    pub(crate) body: &'d str,
    pub(crate) attributes: &'d Map<String, Value>,
    pub(crate) provenance: &'d Provenance,
    pub(crate) history: Option<&'d History>,
    pub(crate) now: Timestamp,
}

/// Reads the columns of [`select_entry`].
impl FromRow for Entry {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        let attributes: Value =
            serde_json::from_str(row.get_ref(5)?.as_str().map_err(|_| unreadable("attributes"))?)
                .map_err(|_| unreadable("attributes"))?;
        let Value::Object(attributes) = attributes else {
            return Err(unreadable("attributes"));
        };
        Ok(Self {
            id: EntryId(id),
            scope: scope_from(row, 7, id)?,
            path: EntryPath::parse(row.get_ref(1)?.as_str().map_err(|_| unreadable("path"))?)
                .map_err(|_| unreadable("path"))?,
            body: row.get(6)?,
            attributes,
            version: row.get(2)?,
            origin: provenance_from(row, 9, id)?,
            writer: provenance_from(row, 15, id)?,
            created_at: Timestamp::from_millis(row.get(3)?),
            updated_at: Timestamp::from_millis(row.get(4)?),
        })
    }
}

pub(crate) fn scope_from(row: &Row<'_>, at: usize, id: i64) -> Result<Scope, StoreError> {
    let (kind, key): (String, String) = (row.get(at)?, row.get(at + 1)?);
    Scope::from_parts(&kind, &key).ok_or(StoreError::UnreadableRow { id, column: "scope" })
}

pub(crate) fn provenance_from(row: &Row<'_>, at: usize, id: i64) -> Result<Provenance, StoreError> {
    let unreadable = |column| StoreError::UnreadableRow { id, column };
    let known = |column: usize| -> Result<Option<String>, StoreError> {
        Ok(Some(row.get::<_, String>(column)?).filter(|text| !text.is_empty()))
    };
    Ok(Provenance {
        source: Source::from_name(&row.get::<_, String>(at)?).ok_or_else(|| unreadable("source"))?,
        tier: Tier::from_name(&row.get::<_, String>(at + 1)?).ok_or_else(|| unreadable("tier"))?,
        client: known(at + 2)?,
        session: known(at + 3)?,
        project: known(at + 4)?,
        machine: known(at + 5)?,
    })
}

// Changes of an entry other than its text: a new path, or a mark that something about it changed.

impl Writer<'_> {
    /// Gives an entry another path in its scope, which must be free. Its id stays.
    pub fn rename_entry(
        &self,
        id: EntryId,
        to: &EntryPath,
        by: &Provenance,
        secrets: SecretPolicy,
        now: Timestamp,
    ) -> Result<i64, StoreError> {
        let clean = match SecretGuard::of(secrets) {
            Some(guard) => guard.path(to)?.unwrap_or_else(|| to.clone()),
            None => to.clone(),
        };
        if TYPED_SCHEMES.contains(&clean.scheme()) {
            return Err(StoreError::TypedScheme(clean.scheme().to_owned()));
        }
        self.interned.borrow_mut().last_entry = None;
        let (scheme, writer) = (self.scheme_id(clean.scheme())?, self.provenance_id(by)?);
        let version: Option<i64> = self
            .sql(
                "UPDATE entry SET path = ?2, scheme_id = ?3, writer_id = ?4, updated_at = ?5,
                                  version = version + 1
                  WHERE id = ?1 AND version < ?6 RETURNING version",
            )?
            .query_row((id.0, clean.as_str(), scheme, writer, now.as_millis(), MAX_NUMBER), |row| row.get(0))
            .optional()?;
        let version = version.ok_or(StoreError::NoEntry(id))?;
        self.append(id, clean.scheme(), ChangeKind::Updated, version, now)?;
        Ok(version)
    }

    /// Says in the feed that something about an entry changed which is stored elsewhere.
    pub fn touch(&self, id: EntryId, now: Timestamp) -> Result<(), StoreError> {
        self.touch_entry(id, ChangeKind::Updated, now)
    }
}

// The words of a stored text, for searching.

/// Whether texts together hold all of these words, in upper or lower case, also inside JSON.
pub(crate) fn holds<'t>(words: &[String], texts: impl IntoIterator<Item = &'t str>) -> bool {
    let held: Vec<String> = texts.into_iter().map(words_of).collect();
    words.iter().map(|word| lower(word)).all(|word| held.iter().any(|text| text.contains(&word)))
}

/// A text in lower case: as it is and, if it is JSON, with all its strings decoded.
fn words_of(text: &str) -> String {
    fn add(value: &Value, words: &mut String) {
        match value {
            Value::String(said) => {
                words.push('\n');
                words.push_str(said);
                // A value may itself be JSON, written as a string.
                if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(said) {
                    add(&inner, words);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| add(item, words)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                words.push('\n');
                words.push_str(name);
                add(value, words);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut words = text.to_owned();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        add(&value, &mut words);
    }
    lower(&words)
}

/// A text in lower case, letter by letter: what a word becomes does not depend on what is around
/// it.
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}
