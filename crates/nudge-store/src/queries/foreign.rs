//! Reads other programs' databases without changing them.
//!
//! Some agents store their sessions in SQLite, as sessions, messages and parts. Neither the file
//! nor any file next to it is written: if its WAL cannot be read otherwise, database and WAL are
//! first copied to a private temporary directory.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value, json};

use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::open_read;

/// How long to wait for a program that is writing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// A database of sessions, their messages and the messages' parts.
pub struct Foreign {
    path: PathBuf,
    connection: DbConnection,
}

/// One of its sessions, and its size.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignSession {
    /// Its id.
    pub id: String,
    /// Its position in the order in which sessions are listed.
    pub place: i64,
    /// How many parts its messages have.
    pub parts: i64,
    /// When a part of it last changed, in the program's clock.
    pub changed: i64,
    /// All its columns.
    pub row: Value,
}

/// A message with its parts: `{"message": row, "parts": [row, …]}`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignMessage {
    /// Its position in its session.
    pub place: i64,
    /// Both as JSON; the content of a row is in `data`, as a text.
    pub row: Value,
}

impl Foreign {
    /// Opens the database at a path.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = open_read::foreign(path, BUSY_TIMEOUT)?;
        Ok(Self { path: path.to_owned(), connection })
    }

    /// Whether it has the tables that are read here.
    pub fn is_readable(&mut self) -> Result<bool, StoreError> {
        let connection = self.fresh()?;
        let mut found = connection.raw().prepare_cached(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('session', 'message', 'part')",
        )?;
        let tables: i64 = found.query_row([], |row| row.get(0))?;
        Ok(tables == 3)
    }

    /// The next sessions after a position, oldest first.
    pub fn sessions(&mut self, after: i64, limit: u32) -> Result<Vec<ForeignSession>, StoreError> {
        let connection = self.fresh()?;
        let mut found = connection
            .raw()
            .prepare_cached("SELECT rowid, * FROM session WHERE rowid > ?1 ORDER BY rowid LIMIT ?2")?;
        let columns: Vec<String> = found.column_names().map(Into::into).collect();
        let mut rows = found.query((after, limit))?;
        let mut sessions = Vec::new();
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(0)?;
            let mut all = json_row(row, &columns)?;
            all.remove("rowid");
            let Some(id) = all.get("id").and_then(Value::as_str).map(String::from) else { continue };
            sessions.push(ForeignSession { id, place, parts: 0, changed: 0, row: Value::Object(all) });
        }
        drop(rows);
        // Without that column, changes are detected by the number of parts alone.
        let by_time = "SELECT count(*), max(time_updated) FROM part WHERE session_id = ?1";
        let by_count = "SELECT count(*), 0 FROM part WHERE session_id = ?1";
        let conn = connection.raw();
        let mut counted = conn.prepare_cached(by_time).or_else(|_| conn.prepare_cached(by_count))?;
        for session in &mut sessions {
            let (parts, changed) =
                counted.query_row([&session.id], |row| Ok((row.get(0)?, row.get::<_, Option<i64>>(1)?)))?;
            (session.parts, session.changed) = (parts, changed.unwrap_or(0));
        }
        Ok(sessions)
    }

    /// The next messages of a session after a position, each with all its parts.
    pub fn messages(
        &mut self,
        session: &str,
        after: i64,
        limit: u32,
    ) -> Result<Vec<ForeignMessage>, StoreError> {
        let connection = self.fresh()?;
        let mut found = connection.raw().prepare_cached(
            "SELECT rowid, id, session_id, data FROM message
              WHERE session_id = ?1 AND rowid > ?2 ORDER BY rowid LIMIT ?3",
        )?;
        let mut parts =
            connection.raw().prepare_cached("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
        let mut rows = found.query((session, after, limit))?;
        let mut messages = Vec::new();
        while let Some(row) = rows.next()? {
            let id: String = row.get(1)?;
            let mut of_message = parts.query([&id])?;
            let mut list = Vec::new();
            while let Some(part) = of_message.next()? {
                list.push(json!({"id": json_value(part.get_ref(0)?), "data": json_value(part.get_ref(1)?)}));
            }
            let data = json_value(row.get_ref(3)?);
            let message = json!({"id": id, "session_id": session, "data": data});
            messages
                .push(ForeignMessage { place: row.get(0)?, row: json!({"message": message, "parts": list}) });
        }
        Ok(messages)
    }

    /// The connection, reopened if the database has changed in a way it cannot see.
    fn fresh(&mut self) -> Result<&DbConnection, StoreError> {
        if self.connection.is_stale() {
            self.connection = open_read::foreign(&self.path, BUSY_TIMEOUT)?;
        }
        Ok(&self.connection)
    }
}

fn json_row(row: &Row<'_>, columns: &[String]) -> Result<Map<String, Value>, StoreError> {
    let mut all = Map::new();
    for (at, column) in columns.iter().enumerate() {
        all.insert(column.clone(), json_value(row.get_ref(at)?));
    }
    Ok(all)
}

fn json_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned().into(),
    }
}
