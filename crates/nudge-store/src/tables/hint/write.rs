//! Setting and using hints.

use std::borrow::Cow;

use nudge_core::{EntryId, EntryPath, Scope, Timestamp};
use rusqlite::{OptionalExtension, named_params};

use super::{HintDraft, Life};
use crate::db::error::StoreError;
use crate::db::integrity::LARGEST;
use crate::tables::entry::{Record, Written};
use crate::tables::feed::ChangeKind;
use crate::tables::history::History;
use crate::tables::scheme::HINT_SCHEME;
use crate::tables::secret_guard::{SecretGuard, replace};
use crate::tables::writer::Writer;

impl HintDraft {
    /// Runs the guard on all its text: component, key, value, tags and metadata.
    fn without_secrets(&self) -> Result<Cow<'_, Self>, StoreError> {
        let Some(guard) = SecretGuard::of(self.secrets) else {
            return Ok(Cow::Borrowed(self));
        };
        let component = guard.text("component", None, &self.component)?;
        let key = guard.text("key", None, &self.key)?;
        let path = guard.path(&self.path)?;
        let body = guard.text("value", Some(&self.key), &self.body)?;
        let tags = guard.list("tags", &self.tags)?;
        let attributes = guard.object("", &self.attributes)?;
        let mut clean = Cow::Borrowed(self);
        if component.is_some()
            || key.is_some()
            || path.is_some()
            || body.is_some()
            || tags.is_some()
            || attributes.is_some()
        {
            let owned = clean.to_mut();
            replace(&mut owned.component, component);
            replace(&mut owned.key, key);
            replace(&mut owned.path, path);
            replace(&mut owned.body, body);
            replace(&mut owned.tags, tags);
            replace(&mut owned.attributes, attributes);
        }
        Ok(clean)
    }
}

impl Writer<'_> {
    /// Sets a hint: entry, side row, tags and feed row together.
    ///
    /// A live variant with the same path is replaced and keeps its counts. An expired one is gone,
    /// so the new one begins at version 1.
    pub fn put_hint(&self, draft: &HintDraft) -> Result<Written, StoreError> {
        draft.history.as_ref().map_or(Ok(()), History::check)?;
        let guarded = draft.without_secrets()?;
        let draft = guarded.as_ref();
        let replaced = self.living_or_removed(&draft.path, draft.now)?;
        let (id, version) = self.store(&Record {
            scope: &Scope::Global,
            path: &draft.path,
            body: &draft.body,
            attributes: &draft.attributes,
            provenance: &draft.provenance,
            history: draft.history.as_ref(),
            now: draft.now,
        })?;
        self.put_side_row(id, draft)?;
        self.put_tags(id, &draft.tags)?;
        let kind = if replaced { ChangeKind::Updated } else { ChangeKind::Created };
        self.append(id, draft.path.scheme(), kind, version, draft.now)?;
        Ok(Written { id, version, created: !replaced })
    }

    /// Counts a use. It changes neither the version nor the update time, and does not extend the
    /// lifetime.
    ///
    /// The count saturates at its limits; a use is never rejected.
    pub fn use_hint(&self, id: EntryId, delta: i64, now: Timestamp) -> Result<(), StoreError> {
        let version: Option<i64> = self
            .sql(
                "UPDATE hint SET use_count = max(0, min(min(use_count, ?4) + ?2, ?4)), last_used_at = ?3
                  WHERE entry_id = ?1
                 RETURNING (SELECT e.version FROM entry e WHERE e.id = hint.entry_id)",
            )?
            .query_row((id.0, delta.clamp(-LARGEST, LARGEST), now.as_millis(), LARGEST), |row| row.get(0))
            .optional()?;
        let version = version.ok_or(StoreError::NoEntry(id))?;
        self.append(id, HINT_SCHEME, ChangeKind::Used, version, now)
    }

    /// Counts a successful run of its command: as a use, and its failures are reset.
    pub fn hint_worked(&self, id: EntryId, now: Timestamp) -> Result<(), StoreError> {
        self.sql("UPDATE hint SET failures = 0 WHERE entry_id = ?1")?.execute([id.0])?;
        self.use_hint(id, 1, now)
    }

    /// Counts a failed run of its command. Like a use, it changes neither version nor lifetime.
    pub fn hint_failed(&self, id: EntryId, now: Timestamp) -> Result<(), StoreError> {
        let version: Option<i64> = self
            .sql(
                "UPDATE hint SET failures = min(failures + 1, ?2) WHERE entry_id = ?1
                 RETURNING (SELECT e.version FROM entry e WHERE e.id = hint.entry_id)",
            )?
            .query_row((id.0, LARGEST), |row| row.get(0))
            .optional()?;
        let version = version.ok_or(StoreError::NoEntry(id))?;
        self.append(id, HINT_SCHEME, ChangeKind::Used, version, now)
    }

    /// Whether a live variant is stored under the path; an expired one is removed.
    fn living_or_removed(&self, path: &EntryPath, now: Timestamp) -> Result<bool, StoreError> {
        let session = self.session()?.id;
        let found: Option<(i64, bool)> = self
            .sql(
                "SELECT e.id, (h.expires_at IS NULL OR h.expires_at > :now)
                              AND (h.session IS NULL OR h.session = :session)
                   FROM entry e CROSS JOIN hint h ON h.entry_id = e.id
                  WHERE e.path = :path AND e.scope_id = :scope",
            )?
            .query_row(
                named_params! {
                    ":path": path.as_str(), ":scope": self.scope_id(&Scope::Global)?,
                    ":now": now.as_millis(), ":session": session,
                },
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        match found {
            Some((id, false)) => self.delete_entry(EntryId(id), now).map(|_| false),
            Some((_, true)) => Ok(true),
            None => Ok(false),
        }
    }

    fn put_side_row(&self, id: EntryId, draft: &HintDraft) -> Result<(), StoreError> {
        let (expires_at, session) = match draft.life {
            Life::Until(at) => (Some(at.as_millis()), None),
            Life::Session => (None, Some(self.session()?.id)),
            Life::Forever => (None, None),
        };
        let history = draft.history.as_ref();
        self.sql(
            "INSERT INTO hint (entry_id, component, key, expires_at, session, command, use_count, last_used_at)
             VALUES (:id, :component, :key, :expires_at, :session, :command, :use_count, :last_used_at)
             ON CONFLICT (entry_id) DO UPDATE SET
                 component    = excluded.component,
                 key          = excluded.key,
                 expires_at   = excluded.expires_at,
                 session      = excluded.session,
                 command      = excluded.command,
                 failures     = 0,
                 use_count    = CASE WHEN :brings_history THEN excluded.use_count ELSE use_count END,
                 last_used_at = CASE WHEN :brings_history THEN excluded.last_used_at ELSE last_used_at END",
        )?
        .execute(named_params! {
            ":id": id.0,
            ":component": draft.component,
            ":key": draft.key,
            ":expires_at": expires_at,
            ":session": session,
            ":command": draft.command,
            ":use_count": history.map_or(0, |history| history.use_count),
            ":last_used_at": history.and_then(|history| history.last_used_at).map(Timestamp::as_millis),
            ":brings_history": history.is_some(),
        })?;
        Ok(())
    }

    fn put_tags(&self, id: EntryId, tags: &[String]) -> Result<(), StoreError> {
        self.sql("DELETE FROM hint_tag WHERE entry_id = ?1")?.execute([id.0])?;
        let mut put = self.sql("INSERT OR IGNORE INTO hint_tag (entry_id, tag) VALUES (?1, ?2)")?;
        for tag in tags {
            put.execute((id.0, tag))?;
        }
        Ok(())
    }
}
