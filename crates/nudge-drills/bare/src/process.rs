//! What the least program takes as a whole process: `nudge-bare-process COMMAND ARGUMENT…`.
//!
//! A program of its own. A process pays for the size of its program before it does anything, and
//! `nudge-bare` is as large as the product.

#![allow(clippy::print_stdout, reason = "printing what it read is what this program is for")]

#[allow(dead_code, reason = "`nudge-bare` uses the rest")]
mod bare_table;

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use bare_table::{BareRow, BareTable};
use rusqlite::Connection;
use serde_json::{Value, json};

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((name, args)) if name == "get" => get(args),
        Some((name, args)) if name == "record" => record(args),
        _ => anyhow::bail!("usage: nudge-bare-process get|record ARGUMENT…"),
    }
}

// A minimal program that reads one entry: it opens the database, reads the row, prints it and
// exits.
//
// `get DB PATH`. The baseline for `nudge get` as a whole process.

fn get(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let (db, path) = args.next().zip(args.next()).context("usage: get DB PATH")?;
    #[expect(clippy::disallowed_methods, reason = "the yardstick is what a program without our door does")]
    let connection = Connection::open(db)?;
    connection.execute_batch("PRAGMA busy_timeout = 2000")?;
    let body: String =
        connection.query_row("SELECT body FROM entry WHERE path = ?1", [path], |row| row.get(0))?;
    println!("{body}");
    Ok(())
}

// A minimal record hook: it reads the payload, opens the database, inserts the row, closes the
// database and exits.
//
// `record DB < PAYLOAD`. The row has the words that Nudge stores for the same payload. The
// baseline for `nudge hook` as a whole process.

fn record(args: &[String]) -> anyhow::Result<()> {
    let db = args.first().context("usage: record DB < PAYLOAD")?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let payload: Value = serde_json::from_str(&text)?;
    let input = &payload["tool_input"];
    let kept = json!({"description": input["description"], "duration_ms": payload["duration_ms"]});
    let text = format!("{} {kept}", input["command"].as_str().unwrap_or_default());
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let row = BareRow {
        at: i64::try_from(since.as_millis())?,
        session: payload["session_id"].as_str().unwrap_or_default(),
        kind: "command",
        text: &text,
    };
    // The database is closed properly: a leftover log makes every later open slower.
    BareTable::open(Path::new(&db))?.insert(&row)
}
