//! Prints every text and blob of a database, read through the engine.
//!
//! `dump-store DATABASE` prints one JSON object per line: `{"table", "column", "text"}`. Bytes that
//! are not text are replaced. Each distinct value is printed once per table and column.
//!
//! `dump-store DATABASE --seen` prints the captured entries instead, one per line: `{"session",
//! "body", "attributes"}`.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::json;

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
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
