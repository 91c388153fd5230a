//! Writes transcripts, and imports them in the simplest possible way.
//!
//! `bare-import write SPEC` with `{"dir", "rows"}` and, optionally, `"commands"` (a file of real
//! commands). `bare-import take DIR DB` reads every line as JSON, inserts each message and each
//! call into a bare table, a thousand rows at a time, and prints the number of rows.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use nudge_core::{Outcome, Timestamp};
use nudge_memory::capture::{Action, CapturedEvent, EventBody};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::bare_table::{BareRow, BareTable};
use crate::observe::History;

/// Rows in one transaction.
const BATCH_ROWS: usize = 1_000;

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
            write_transcripts(&history, spec.rows, &spec.dir)
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
                let Some((kind, text)) = content_of(&line["message"]["content"]) else { continue };
                let session = line["sessionId"].as_str().context("a line without a session")?;
                waiting.push((session.to_owned(), kind, text));
                rows += 1;
                if waiting.len() == BATCH_ROWS {
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
fn content_of(content: &Value) -> Option<(&'static str, String)> {
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

// The same history in the format of Claude Code: a file of JSON lines for each session.

/// The output of a command or a tool: read, but not stored.
const ANSWER: &str = "test search::tests::finds_what_was_said ... ok\n";

/// Writes the first `rows` rows into a directory.
pub fn write_transcripts(history: &History, rows: u64, dir: &Path) -> anyhow::Result<()> {
    let mut files: BTreeMap<String, BufWriter<File>> = BTreeMap::new();
    for number in 0..rows {
        let captured = history.row(number).captured;
        if !files.contains_key(&captured.session) {
            // Sessions follow each other, except for a few that overlap.
            while files.len() > 16 {
                if let Some((_, mut done)) = files.pop_first() {
                    done.flush()?;
                }
            }
            let folder = dir.join(captured.project.key.replace('/', "-"));
            std::fs::create_dir_all(&folder)?;
            let file = File::create(folder.join(format!("{}.jsonl", captured.session)))?;
            files.insert(captured.session.clone(), BufWriter::new(file));
        }
        let Some(file) = files.get_mut(&captured.session) else { continue };
        for line in lines(number, &captured) {
            writeln!(file, "{line}")?;
        }
    }
    for file in files.values_mut() {
        file.flush()?;
    }
    Ok(())
}

/// The lines of an event: a message, or a call and its result.
fn lines(number: u64, captured: &CapturedEvent) -> Vec<Value> {
    match &captured.what {
        EventBody::Prompt { text, .. } => {
            vec![line(captured, number, 0, "user", json!({"message": {"role": "user", "content": text}}))]
        }
        EventBody::Action(action) => {
            let id = format!("toolu_{number:012}");
            let failed = matches!(action.outcome, Outcome::Failed { .. });
            let (input, answer) = call(action);
            let content = json!([{"type": "tool_use", "id": id, "name": action.tool, "input": input}]);
            let usage = json!({"input_tokens": 100, "output_tokens": 20, "service_tier": "standard"});
            let asked = json!({"message": {
                "id": format!("msg_{number:012}"), "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                "content": content, "stop_reason": "tool_use", "usage": usage,
            }});
            let said = if failed { "Exit code 1\nerror: no such file or directory" } else { ANSWER };
            let content =
                json!([{"tool_use_id": id, "type": "tool_result", "content": said, "is_error": failed}]);
            let answered = json!({
                "message": {"role": "user", "content": content},
                "toolUseResult": if failed { json!(format!("Error: {said}")) } else { answer },
            });
            vec![line(captured, number, 0, "assistant", asked), line(captured, number, 1, "user", answered)]
        }
        _ => Vec::new(),
    }
}

/// The input of a call, and the program's report of its result.
fn call(action: &Action) -> (Value, Value) {
    let body = action.body.as_str();
    match action.tool.as_deref() {
        Some("Bash") => (
            json!({"command": body, "description": "Look at what is there"}),
            json!({"stdout": ANSWER.repeat(8), "stderr": "", "interrupted": false, "isImage": false}),
        ),
        Some("Read") => (
            json!({"file_path": body}),
            json!({"type": "text", "file": {"filePath": body, "content": ANSWER.repeat(20), "numLines": 20}}),
        ),
        Some("Edit") => {
            let (old, new) =
                ("    let limit = 20;", "    let limit = settings.limit;\n    tracing::debug!(limit);");
            let lines = [
                format!("-{old}"),
                "+    let limit = settings.limit;".into(),
                "+    tracing::debug!(limit);".into(),
            ];
            let patch =
                json!([{"oldStart": 12, "oldLines": 1, "newStart": 12, "newLines": 2, "lines": lines}]);
            (
                json!({"file_path": body, "old_string": old, "new_string": new, "replace_all": false}),
                json!({
                    "filePath": body, "oldString": old, "newString": new, "originalFile": ANSWER.repeat(20),
                    "structuredPatch": patch, "userModified": false, "replaceAll": false,
                }),
            )
        }
        _ => (json!({"query": body}), json!("{\"hits\":[]}")),
    }
}

fn line(captured: &CapturedEvent, number: u64, part: u64, kind: &str, own: Value) -> Value {
    let uuid = |number: u64, part: u64| format!("{part:08x}-0000-4000-8000-{number:012x}");
    let mut line = json!({
        "parentUuid": if part > 0 { json!(uuid(number, part - 1)) } else { Value::Null },
        "isSidechain": false, "promptId": captured.turn, "type": kind,
    });
    for (name, value) in own.as_object().into_iter().flatten() {
        line[name] = value.clone();
    }
    let at = Timestamp::from_millis(captured.at + part.cast_signed() * 500);
    for (name, value) in [
        ("uuid", json!(uuid(number, part))),
        ("timestamp", json!(at.to_string())),
        ("userType", json!("external")),
        ("entrypoint", json!("cli")),
        ("cwd", json!(captured.cwd)),
        ("sessionId", json!(captured.session)),
        ("version", json!("2.1.325")),
        ("gitBranch", json!("main")),
    ] {
        line[name] = value;
    }
    line
}
