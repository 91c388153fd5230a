//! Hints: the side table that finds them by name, by tag and by age.
//!
//! Expired hints are never read. A hint counts as gone as soon as its time or session is over,
//! whether or not a sweep has removed it yet.

use std::borrow::Cow;

use nudge_core::{Entry, EntryId, EntryPath, Provenance, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row, named_params};
use serde_json::{Map, Value};

use crate::db::error::StoreError;
use crate::db::integrity::MAX_NUMBER;
use crate::db::reader::{FromRow, Reader};
use crate::tables::entry::{ENTRY_COLUMNS, Record, Written, select_entry};
use crate::tables::feed::ChangeKind;
use crate::tables::intern::HINT_SCHEME;
use crate::tables::past_version::History;
use crate::tables::secret_guard::{SecretGuard, SecretPolicy, replace};
use crate::tables::writer::Writer;

/// How long a hint lives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Life {
    /// As long as the memory session it was last set in.
    Session,
    /// Until this time.
    Until(Timestamp),
    /// Until it is deleted.
    Forever,
}

/// A hint to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct HintDraft {
    /// The component it belongs to.
    pub component: String,
    /// Its key there.
    pub key: String,
    /// The path of this variant; a variant already stored under it is replaced.
    pub path: EntryPath,
    /// The text of its value.
    pub body: String,
    /// The rest of its value, and its metadata.
    pub attributes: Map<String, Value>,
    /// The tags to find it by.
    pub tags: Vec<String>,
    /// How long it lives, from now.
    pub life: Life,
    /// Where it comes from, as the surface saw it.
    pub provenance: Provenance,
    /// What happens to text that looks like a credential.
    pub secrets: SecretPolicy,
    /// A hash of the command it contains, which connects it to the runs of that command.
    pub command: Option<i64>,
    /// The history of an imported hint.
    pub history: Option<History>,
    /// The current time.
    pub now: Timestamp,
}

/// A stored hint.
#[derive(Clone, Debug, PartialEq)]
pub struct HintRow {
    /// Its entry.
    pub entry: Entry,
    /// The component it belongs to.
    pub component: String,
    /// Its key there.
    pub key: String,
    /// How long it lives.
    pub life: Life,
    /// How often it was used.
    pub use_count: i64,
    /// How often its command failed since it was last set or last worked.
    pub failures: i64,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
}

/// Which hints to list; an empty field selects all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HintFilter {
    /// Only of this component.
    pub component: Option<String>,
    /// Only with one of these keys.
    pub keys: Vec<String>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
}

/// A component and how many live hints it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentCount {
    /// Its name.
    pub name: String,
    /// Its live hints, counting variants.
    pub hints: i64,
}

/// Counts for checking the limits.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct HintCounts {
    /// Live hints, counting variants.
    pub total: i64,
    /// Components with a live hint.
    pub components: i64,
    /// Live hints of the requested component.
    pub in_component: i64,
}

/// A statement over live hints: `:now` and `:session` decide which are live.
macro_rules! live {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            " (h.expires_at IS NULL OR h.expires_at > :now) AND (h.session IS NULL OR h.session = :session) ",
            $after
        )
    };
}

/// The hints and their entries; the `WHERE` clause continues with `AND`.
macro_rules! select_live_hints {
    ($rest:literal) => {
        select_entry!(
            ", h.component, h.key, h.expires_at, h.session, h.use_count, h.last_used_at, h.failures",
            "hint h CROSS JOIN entry e ON e.id = h.entry_id",
            $rest
        )
    };
}

pub(crate) const OF_KEY: &str = select_live_hints!(
    "WHERE h.component = :component AND h.key = :key
       AND (h.expires_at IS NULL OR h.expires_at > :now) AND (h.session IS NULL OR h.session = :session)
     ORDER BY h.entry_id"
);

pub(crate) const OF_COMMAND: &str = select_live_hints!(
    "WHERE h.command = :command
       AND (h.expires_at IS NULL OR h.expires_at > :now) AND (h.session IS NULL OR h.session = :session)
     ORDER BY h.entry_id"
);

const FILTERED_HINTS: &str = select_live_hints!(
    "WHERE (h.expires_at IS NULL OR h.expires_at > :now) AND (h.session IS NULL OR h.session = :session)
       AND (:keys IS NULL OR h.key IN (SELECT value FROM json_each(:keys)))
       AND (:tags IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:tags) wanted
                WHERE NOT EXISTS (
                   SELECT 1 FROM hint_tag t WHERE t.entry_id = h.entry_id AND t.tag = wanted.value)))
     ORDER BY h.component, h.key, h.entry_id"
);

const FILTERED_IN_COMPONENT: &str = select_live_hints!(
    "WHERE h.component = :component
       AND (h.expires_at IS NULL OR h.expires_at > :now) AND (h.session IS NULL OR h.session = :session)
       AND (:keys IS NULL OR h.key IN (SELECT value FROM json_each(:keys)))
       AND (:tags IS NULL OR NOT EXISTS (
               SELECT 1 FROM json_each(:tags) wanted
                WHERE NOT EXISTS (
                   SELECT 1 FROM hint_tag t WHERE t.entry_id = h.entry_id AND t.tag = wanted.value)))
     ORDER BY h.component, h.key, h.entry_id"
);

impl Reader<'_> {
    /// The live variants of a key, oldest first.
    pub fn hints_of_key(
        &self,
        component: &str,
        key: &str,
        now: Timestamp,
    ) -> Result<Vec<HintRow>, StoreError> {
        let session = self.session()?.id;
        self.all(
            OF_KEY,
            named_params! {
                ":component": component, ":key": key, ":now": now.as_millis(), ":session": session,
            },
        )
    }

    /// The live hints that contain a command.
    pub fn hints_of_command(&self, command: i64, now: Timestamp) -> Result<Vec<HintRow>, StoreError> {
        // Few commands are in a hint, and a hook prepares every statement anew, so the long
        // statement is only prepared when needed.
        let mut any = self.sql("SELECT 1 FROM hint WHERE command = ?1")?;
        if !any.exists([command])? {
            return Ok(Vec::new());
        }
        let session = self.session()?.id;
        self.all(
            OF_COMMAND,
            named_params! { ":command": command, ":now": now.as_millis(), ":session": session },
        )
    }

    /// The live hints that a filter selects, by component, key and age.
    pub fn hints(&self, filter: &HintFilter, now: Timestamp) -> Result<Vec<HintRow>, StoreError> {
        let session = self.session()?.id;
        let list = |words: &[String]| (!words.is_empty()).then(|| Value::from(words).to_string());
        let (keys, tags) = (list(&filter.keys), list(&filter.tags));
        let now = now.as_millis();
        match &filter.component {
            Some(component) => self.all(
                FILTERED_IN_COMPONENT,
                named_params! {
                    ":component": component, ":keys": keys, ":tags": tags, ":now": now, ":session": session,
                },
            ),
            None => self.all(
                FILTERED_HINTS,
                named_params! { ":keys": keys, ":tags": tags, ":now": now, ":session": session },
            ),
        }
    }

    /// The components that have live hints, by name.
    pub fn components(&self, now: Timestamp) -> Result<Vec<ComponentCount>, StoreError> {
        let session = self.session()?.id;
        let mut found = self.sql(live!(
            "SELECT h.component, count(*) FROM hint h WHERE",
            "GROUP BY h.component ORDER BY h.component"
        ))?;
        let components = found
            .query_map(named_params! { ":now": now.as_millis(), ":session": session }, |row| {
                Ok(ComponentCount { name: row.get(0)?, hints: row.get(1)? })
            })?;
        Ok(components.collect::<Result<_, _>>()?)
    }

    /// How many live hints there are, in total and in one component.
    pub fn hint_counts(&self, component: &str, now: Timestamp) -> Result<HintCounts, StoreError> {
        let session = self.session()?.id;
        let mut found = self.sql(live!(
            "SELECT count(*), count(DISTINCT h.component), count(*) FILTER (WHERE h.component = :component)
               FROM hint h WHERE",
            ""
        ))?;
        let counts = found.query_row(
            named_params! { ":component": component, ":now": now.as_millis(), ":session": session },
            |row| Ok(HintCounts { total: row.get(0)?, components: row.get(1)?, in_component: row.get(2)? }),
        )?;
        Ok(counts)
    }

    /// The tags with the most live hints, with their counts; ties by name.
    pub fn top_tags(&self, limit: u32, now: Timestamp) -> Result<Vec<(String, i64)>, StoreError> {
        let session = self.session()?.id;
        let mut found = self.sql(live!(
            "SELECT t.tag, count(*) AS hints FROM hint_tag t JOIN hint h ON h.entry_id = t.entry_id WHERE",
            "GROUP BY t.tag ORDER BY hints DESC, t.tag LIMIT :limit"
        ))?;
        let tags = found.query_map(
            named_params! { ":now": now.as_millis(), ":session": session, ":limit": limit },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(tags.collect::<Result<_, _>>()?)
    }
}

impl FromRow for HintRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        const FIRST: usize = ENTRY_COLUMNS;
        let expires_at: Option<i64> = row.get(FIRST + 2)?;
        let session: Option<String> = row.get(FIRST + 3)?;
        let last_used_at: Option<i64> = row.get(FIRST + 5)?;
        Ok(Self {
            entry: Entry::from_row(row)?,
            component: row.get(FIRST)?,
            key: row.get(FIRST + 1)?,
            life: match (expires_at, session) {
                (Some(at), _) => Life::Until(Timestamp::from_millis(at)),
                (None, Some(_)) => Life::Session,
                (None, None) => Life::Forever,
            },
            use_count: row.get(FIRST + 4)?,
            failures: row.get(FIRST + 6)?,
            last_used_at: last_used_at.map(Timestamp::from_millis),
        })
    }
}

// Setting and using hints.

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
            .query_row((id.0, delta.clamp(-MAX_NUMBER, MAX_NUMBER), now.as_millis(), MAX_NUMBER), |row| {
                row.get(0)
            })
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
            .query_row((id.0, MAX_NUMBER), |row| row.get(0))
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
