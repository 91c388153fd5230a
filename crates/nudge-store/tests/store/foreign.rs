//! Other programs' databases are read completely and never changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use nudge_store::foreign::Foreign;
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::support::raw;

const SCHEMA: &str = "
    CREATE TABLE session (id TEXT PRIMARY KEY, directory TEXT, cost REAL, time_created INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_updated INTEGER, data TEXT);
    CREATE INDEX part_message_idx ON part (message_id);";

fn write(conn: &Connection, number: i64) {
    let (session, message) = (format!("ses_{number}"), format!("msg_{number}"));
    conn.execute("INSERT INTO session VALUES (?1, '/p', 0.5, ?2)", (&session, number)).expect("written");
    conn.execute("INSERT INTO message VALUES (?1, ?2, 1, '{\"role\":\"user\"}')", (&message, &session))
        .expect("written");
    for part in 1..=2 {
        let id = format!("prt_{number}_{part}");
        let data = format!("{{\"type\":\"text\",\"text\":\"{part}\"}}");
        conn.execute(
            "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?5)",
            (id, &message, &session, 10 + part, data),
        )
        .expect("written");
    }
}

/// A database with one session in its file and one in its log.
fn logged(dir: &Path) -> Connection {
    let conn = raw(&dir.join("sessions.db"));
    conn.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").expect("log mode");
    conn.execute_batch(SCHEMA).expect("made");
    write(&conn, 1);
    conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").expect("written back");
    write(&conn, 2);
    conn
}

/// Every file with its content. Shared memory changes as its program works, so only its presence
/// counts.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("listed").map(|entry| entry.expect("readable"));
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let held =
                if name.ends_with("-shm") { Vec::new() } else { fs::read(entry.path()).expect("read") };
            (name, held)
        })
        .collect()
}

fn ids(database: &mut Foreign) -> Vec<String> {
    database.sessions(0, 10).expect("read").into_iter().map(|session| session.id).collect()
}

/// @import_foreign
#[test]
fn a_database_in_use_is_read_with_its_log() {
    let dir = TempDir::new().expect("a temporary directory");
    let writer = logged(dir.path());
    let before = files(dir.path());
    let mut database = Foreign::open(&dir.path().join("sessions.db")).expect("opens");
    assert!(database.is_readable().expect("read"));
    let sessions = database.sessions(0, 10).expect("read");
    assert_eq!(sessions.len(), 2);
    assert_eq!((sessions[1].parts, sessions[1].changed), (2, 12));
    assert_eq!(sessions[1].row, json!({"id": "ses_2", "directory": "/p", "cost": 0.5, "time_created": 2}));
    let messages = database.messages("ses_2", 0, 10).expect("read");
    assert_eq!(messages.len(), 1);
    let part = |number: i64| json!({"id": format!("prt_2_{number}"), "data": format!("{{\"type\":\"text\",\"text\":\"{number}\"}}")});
    let message = json!({"id": "msg_2", "session_id": "ses_2", "data": "{\"role\":\"user\"}"});
    assert_eq!(messages[0].row, json!({"message": message, "parts": [part(1), part(2)]}));
    assert_eq!(database.messages("ses_2", messages[0].place, 10).expect("read"), []);
    assert_eq!(files(dir.path()), before);
    write(&writer, 3);
    assert_eq!(ids(&mut database), ["ses_1", "ses_2", "ses_3"], "it goes on while we read");
}

/// @import_foreign
#[test]
fn what_a_killed_program_left_is_read_and_stays_as_it_is() {
    let dir = TempDir::new().expect("a temporary directory");
    let _writer = logged(dir.path());
    for left in
        [&["sessions.db", "sessions.db-wal"][..], &["sessions.db", "sessions.db-wal", "sessions.db-shm"]]
    {
        let copy = TempDir::new().expect("a temporary directory");
        for name in left {
            fs::copy(dir.path().join(name), copy.path().join(name)).expect("copied");
        }
        let before = files(copy.path());
        let mut database = Foreign::open(&copy.path().join("sessions.db")).expect("opens");
        assert_eq!(ids(&mut database), ["ses_1", "ses_2"], "{left:?}");
        drop(database);
        assert_eq!(files(copy.path()), before, "{left:?}");
    }
}

/// @import_foreign
#[test]
fn a_database_at_rest_is_read_without_making_a_file() {
    let dir = TempDir::new().expect("a temporary directory");
    let writer = logged(dir.path());
    writer.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").expect("written back");
    drop(writer);
    let before = files(dir.path());
    assert_eq!(before.len(), 1, "the last one tidied up");
    let mut database = Foreign::open(&dir.path().join("sessions.db")).expect("opens");
    assert_eq!(ids(&mut database), ["ses_1", "ses_2"]);
    assert_eq!(files(dir.path()), before);
    let writer = raw(&dir.path().join("sessions.db"));
    write(&writer, 3);
    assert_eq!(ids(&mut database), ["ses_1", "ses_2", "ses_3"], "somebody came to life");
}

/// @import_foreign
#[test]
fn what_is_no_such_database_is_refused() {
    let dir = TempDir::new().expect("a temporary directory");
    let path = dir.path().join("sessions.db");
    assert!(Foreign::open(&path).is_err());
    assert_eq!(files(dir.path()), BTreeMap::new());
    fs::write(&path, "not a database, however long it may be").expect("written");
    assert!(Foreign::open(&path).and_then(|mut database| database.is_readable()).is_err());
    fs::remove_file(&path).expect("removed");
    raw(&path).execute_batch("CREATE TABLE other (id INTEGER)").expect("made");
    let mut other = Foreign::open(&path).expect("opens");
    assert!(!other.is_readable().expect("read"));
}
