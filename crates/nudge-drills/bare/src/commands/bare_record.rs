//! A minimal record hook: it reads the payload, opens the database, inserts the row, closes the
//! database and exits.
//!
//! `bare-record DB < PAYLOAD`. The row has the words that Nudge stores for the same payload. The
//! baseline for `nudge hook` as a whole process.

use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use crate::bare_table::{BareRow, BareTable};

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let db = args.first().context("usage: bare-record DB < PAYLOAD")?;
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
