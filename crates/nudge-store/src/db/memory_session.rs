//! The memory session: what "for this session" means for a hint.
//!
//! A session ends when a user stops the server, or when the machine was restarted. It does not end
//! with a process, because the memory belongs to no process.

use std::collections::BTreeMap;

use nudge_core::Timestamp;
use rusqlite::{Connection, OptionalExtension};
use serde_json::{Map, Value, json};
use uuid::{NoContext, Uuid};

use crate::db::error::StoreError;
use crate::db::options::{HostIdentity, OpenOptions};

/// For how many machines the last boot is stored, for a home that several machines share.
const MAX_MACHINES: usize = 16;

/// One session of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemorySession {
    /// Its id.
    pub id: String,
    /// When it began.
    pub started_at: Timestamp,
}

/// The current session on this host.
///
/// After a restart of the machine this is already the next session, even if its beginning cannot be
/// stored.
pub(crate) fn current(conn: &Connection, options: &OpenOptions) -> Result<MemorySession, StoreError> {
    let record = load(conn)?;
    Ok(record.map_or_else(
        || MemorySession { id: "unstarted".to_owned(), started_at: options.now },
        |record| record.settled(&options.host, options.now).0.session,
    ))
}

/// Ends the current session and stores the next one, inside a write transaction.
pub(crate) fn begin_next(conn: &Connection, now: Timestamp) -> Result<MemorySession, StoreError> {
    let boots = load(conn)?.map(|record| record.boots).unwrap_or_default();
    let record = Record { session: begin(now), boots };
    save(conn, &record)?;
    Ok(record.session)
}

/// Stores the current session, inside a write transaction, if it is not stored yet.
pub(crate) fn settle(conn: &Connection, options: &OpenOptions) -> Result<(), StoreError> {
    let (record, changed) = match load(conn)? {
        Some(record) => record.settled(&options.host, options.now),
        None => {
            let fresh = Record { session: begin(options.now), boots: BTreeMap::new() };
            (fresh.settled(&options.host, options.now).0, true)
        }
    };
    if changed { save(conn, &record) } else { Ok(()) }
}

/// Whether the stored session has a format that Nudge never writes.
pub(crate) fn is_unreadable(conn: &Connection) -> Result<bool, StoreError> {
    match load(conn) {
        Ok(_) => Ok(false),
        Err(StoreError::UnreadableRow { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// The session as stored, with the last boot of each machine that used it.
struct Record {
    session: MemorySession,
    boots: BTreeMap<String, String>,
}

impl Record {
    /// The state for this host, and whether it differs from the stored one.
    ///
    /// Only a *different* boot of a known machine ends a session. An unreadable boot counts as
    /// unchanged: losing hints on a guess is worse than keeping them too long.
    fn settled(mut self, host: &HostIdentity, now: Timestamp) -> (Self, bool) {
        let (Some(machine), Some(boot)) = (&host.machine, &host.boot) else {
            return (self, false);
        };
        match self.boots.get(machine) {
            Some(known) if known == boot => return (self, false),
            Some(_) => {
                // Derived, not random: a reader computes the same id as the writer that stores it.
                let id = blake3::hash(format!("{}\n{boot}", self.session.id).as_bytes());
                let mut bytes = [0; 16];
                bytes.copy_from_slice(&id.as_bytes()[..16]);
                self.session = MemorySession {
                    id: uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string(),
                    started_at: now,
                };
            }
            None if self.boots.len() >= MAX_MACHINES => self.boots.clear(),
            None => {}
        }
        self.boots.insert(machine.clone(), boot.clone());
        (self, true)
    }
}

fn begin(now: Timestamp) -> MemorySession {
    let millis = now.as_millis().max(0).unsigned_abs();
    let nanos = u32::try_from(millis % 1_000).unwrap_or(0) * 1_000_000;
    let stamp = uuid::Timestamp::from_unix(NoContext, millis / 1_000, nanos);
    MemorySession { id: Uuid::new_v7(stamp).to_string(), started_at: now }
}

fn load(conn: &Connection) -> Result<Option<Record>, StoreError> {
    let text: Option<Vec<u8>> = conn
        .prepare_cached("SELECT CAST(value AS BLOB) FROM meta WHERE key = 'session'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(text) = text else {
        return Ok(None);
    };
    let unreadable = StoreError::UnreadableRow { id: 0, column: "session" };
    let Ok(kept) = serde_json::from_slice::<Value>(&text) else {
        return Err(unreadable);
    };
    let (Some(id), Some(started)) = (kept["id"].as_str(), kept["started_at"].as_i64()) else {
        return Err(unreadable);
    };
    let boots = kept["boots"].as_object().into_iter().flatten();
    Ok(Some(Record {
        session: MemorySession { id: id.to_owned(), started_at: Timestamp::from_millis(started) },
        boots: boots
            .filter_map(|(machine, boot)| Some((machine.clone(), boot.as_str()?.to_owned())))
            .collect(),
    }))
}

fn save(conn: &Connection, record: &Record) -> Result<(), StoreError> {
    let boots: Map<String, Value> = record.boots.iter().map(|(k, v)| (k.clone(), v.clone().into())).collect();
    let text = json!({
        "id": record.session.id,
        "started_at": record.session.started_at.as_millis(),
        "boots": boots,
    });
    conn.prepare_cached(
        "INSERT INTO meta (key, value) VALUES ('session', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute([text.to_string()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(machine: Option<&str>, boot: Option<&str>) -> HostIdentity {
        HostIdentity { machine: machine.map(str::to_owned), boot: boot.map(str::to_owned) }
    }

    fn record() -> Record {
        let session = MemorySession { id: "one".to_owned(), started_at: Timestamp::from_millis(5) };
        Record { session, boots: BTreeMap::from([("m".to_owned(), "b1".to_owned())]) }
    }

    fn settled_id(host: &HostIdentity) -> (String, bool) {
        let (record, changed) = record().settled(host, Timestamp::from_millis(9));
        (record.session.id, changed)
    }

    #[test]
    fn only_another_boot_of_the_same_machine_ends_a_session() {
        assert_eq!(settled_id(&host(Some("m"), Some("b1"))), ("one".to_owned(), false));
        assert_eq!(settled_id(&host(Some("other"), Some("b2"))), ("one".to_owned(), true));
        assert_ne!(settled_id(&host(Some("m"), Some("b2"))).0, "one");
    }

    #[test]
    fn what_cannot_be_read_counts_as_unchanged() {
        assert_eq!(settled_id(&host(None, Some("b2"))), ("one".to_owned(), false));
        assert_eq!(settled_id(&host(Some("m"), None)), ("one".to_owned(), false));
        assert_eq!(settled_id(&host(None, None)), ("one".to_owned(), false));
    }

    #[test]
    fn everyone_derives_the_same_next_session() {
        let after = host(Some("m"), Some("b2"));
        assert_eq!(settled_id(&after), settled_id(&after));
        assert_ne!(settled_id(&after), settled_id(&host(Some("m"), Some("b3"))));
    }

    #[test]
    fn sessions_are_distinguished() {
        let now = Timestamp::from_millis(1_794_723_027_123);
        assert_ne!(begin(now).id, begin(now).id);
    }
}
