//! Writes transcripts, and imports them in the simplest possible way.
//!
//! `bare-import write SPEC` with `{"dir", "rows"}` and, optionally, `"commands"` (a file of real
//! commands). `bare-import take DIR DB` reads every line as JSON, inserts each message and each
//! call into a bare table, a thousand rows at a time, and prints the number of rows.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

use crate::bare_table::{BareRow, BareTable};
use crate::captured_events::History;
use crate::transcripts;

/// Rows in one transaction.
const BATCH: usize = 1_000;

#[derive(Deserialize)]
struct Spec {
    dir: PathBuf,
    rows: u64,
    commands: Option<PathBuf>,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["write", spec] => {
            let spec: Spec = serde_json::from_str(spec)?;
            let history = History::new(spec.rows, spec.commands.as_deref())?;
            transcripts::write(&history, spec.rows, &spec.dir)
        }
        ["take", dir, db] => take(Path::new(dir), Path::new(db)),
        _ => anyhow::bail!("usage: bare-import write SPEC | take DIR DB"),
    }
}

fn take(dir: &Path, db: &Path) -> anyhow::Result<()> {
    let table = BareTable::create(db, false)?;
    let mut waiting: Vec<(String, &'static str, String)> = Vec::new();
    let mut rows = 0;
    for folder in std::fs::read_dir(dir)? {
        for file in std::fs::read_dir(folder?.path())? {
            for line in BufReader::new(std::fs::File::open(file?.path())?).lines() {
                let line: Value = serde_json::from_str(&line?)?;
                let Some((kind, text)) = said(&line["message"]["content"]) else { continue };
                let session = line["sessionId"].as_str().context("a line without a session")?;
                waiting.push((session.to_owned(), kind, text));
                rows += 1;
                if waiting.len() == BATCH {
                    insert(&table, &mut waiting)?;
                }
            }
        }
    }
    insert(&table, &mut waiting)?;
    println!("{rows}");
    Ok(())
}

/// A prompt, or the input of a tool.
fn said(content: &Value) -> Option<(&'static str, String)> {
    match content {
        Value::String(text) => Some(("user_prompt", text.clone())),
        Value::Array(blocks) => {
            let call = blocks.iter().find(|block| block["type"] == "tool_use")?;
            Some(("tool", call["input"].to_string()))
        }
        _ => None,
    }
}

fn insert(table: &BareTable, waiting: &mut Vec<(String, &'static str, String)>) -> anyhow::Result<()> {
    let rows = waiting.iter().map(|(session, kind, text)| BareRow { at: 0, session, kind, text });
    table.insert_all(rows)?;
    waiting.clear();
    Ok(())
}
