//! Keeps databases open, or locks them against every other writer.
//!
//! `hold-store SPEC` with `{"databases": […]}` keeps them open until its input ends. With
//! `"exclusive_ms"` it takes the write lock of each, as a migration does, and releases it after
//! that time. Prints a line when it has the databases, and another when it has released them.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use serde_json::json;

/// Hooks write all the time; a writer that waits this long gets its turn.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

#[derive(Deserialize)]
struct Spec {
    databases: Vec<PathBuf>,
    exclusive_ms: Option<u64>,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: hold-store SPEC")?)?;
    let held: Vec<Connection> = spec.databases.iter().map(open).collect::<anyhow::Result<_>>()?;
    match spec.exclusive_ms {
        Some(time) => {
            for connection in &held {
                connection.execute_batch("BEGIN EXCLUSIVE")?;
            }
            println!("{}", json!({"held": true}));
            std::thread::sleep(Duration::from_millis(time));
            for connection in &held {
                connection.execute_batch("COMMIT")?;
            }
        }
        None => {
            println!("{}", json!({"held": true}));
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
        }
    }
    println!("{}", json!({"held": false}));
    Ok(())
}

/// Opens the database and reads once; without a read nothing is open.
fn open(path: &PathBuf) -> anyhow::Result<Connection> {
    #[expect(clippy::disallowed_methods, reason = "plays a stranger who holds the store")]
    let connection = Connection::open(path)?;
    connection.busy_timeout(LOCK_TIMEOUT)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

// Prints every text and blob of a database, read through the engine.
//
// `dump-store DATABASE` prints one JSON object per line: `{"table", "column", "text"}`. Bytes that
// are not text are replaced. Each distinct value is printed once per table and column.
//
// `dump-store DATABASE --seen` prints the captured entries instead, one per line: `{"session",
// "body", "attributes"}`.

pub(crate) fn run_dump(args: &[String]) -> anyhow::Result<()> {
    let path = args.first().context("usage: dump-store DATABASE")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "reads the file as a stranger would, whatever the schema is"
    )]
    let store = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if args.get(1).is_some_and(|mode| mode == "--seen") {
        return seen(&store);
    }
    let mut tables = store.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
    let tables: Vec<String> = tables.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for table in tables {
        let mut rows = store.prepare(&format!("SELECT * FROM \"{}\"", table.replace('"', "\"\"")))?;
        let columns: Vec<String> = rows.column_names().map(str::to_owned).collect();
        let mut seen: BTreeSet<(usize, Vec<u8>)> = BTreeSet::new();
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            for (number, column) in columns.iter().enumerate() {
                let bytes = match row.get_ref(number)? {
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
                    ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => continue,
                };
                if seen.insert((number, bytes.to_vec())) {
                    let text = String::from_utf8_lossy(bytes);
                    writeln!(out, "{}", json!({"table": table, "column": column, "text": text}))?;
                }
            }
        }
    }
    out.flush()?;
    Ok(())
}

/// Entries with the session they came from.
fn seen(store: &Connection) -> anyhow::Result<()> {
    let mut entries = store.prepare(
        "SELECT provenance.session, entry.body, entry.attributes
         FROM entry JOIN provenance ON provenance.id = entry.origin_id WHERE provenance.session <> ''",
    )?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut rows = entries.query([])?;
    while let Some(row) = rows.next()? {
        let (session, body, attributes): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        writeln!(out, "{}", json!({"session": session, "body": body, "attributes": attributes}))?;
    }
    out.flush()?;
    Ok(())
}

// Deletes from a store the sessions that a bench began, and the record of what was injected into
// them.
//
// `forget-starts DB PREFIX`, for sessions with names that start with PREFIX. An entry that was
// injected at recent starts and not used is paused for a while, and sessions in which nothing
// happened displace the ones before them. Without this, a bench that begins hundreds of sessions
// would soon measure starts that inject nothing.

pub(crate) fn run_forget(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let (db, prefix) = args.next().zip(args.next()).context("usage: forget-starts DB PREFIX")?;
    #[expect(clippy::disallowed_methods, reason = "no operation of the product does this, and none should")]
    let connection = Connection::open(db)?;
    connection
        .execute_batch("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON; PRAGMA synchronous = OFF;")?;
    connection.execute("DELETE FROM injection", [])?;
    connection.execute(
        "UPDATE agent_session SET started_at = 0 WHERE name GLOB ?1 AND started_at > 0",
        [format!("{prefix}*")],
    )?;
    Ok(())
}
