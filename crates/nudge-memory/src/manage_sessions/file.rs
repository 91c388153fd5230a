//! `session_file`: a file that a session worked on, as it is now, and what the session did to it.

use std::collections::HashSet;
use std::path::Path;

use nudge_context::clean_text;
use nudge_core::{Fault, ObservationKind, Tier};
use nudge_home::workspace::Workspace;
use nudge_store::ObservationRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::operation::{Effect, Op, OpContext};
use crate::recall::session_called;

/// The largest file whose text is shown, in bytes.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// How many lines are shown.
const MAX_LINES: usize = 5_000;

/// How many steps of the session are searched for changes: the newest.
const MAX_STEPS: u32 = 20_000;

/// How many changes are listed.
const MAX_CHANGES: usize = 100;

/// A shorter line is found by chance.
const MIN_LINE_CHARS: usize = 3;

/// Parameters of `session_file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionFileParams {
    /// Session id or a unique prefix.
    pub session_id: String,
    /// Path of the file.
    pub path: String,
}

/// Answer of `session_file`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionFile {
    /// Path of the file.
    pub path: String,
    /// Its lines as they are now, without credentials; null if it cannot be shown.
    pub lines: Option<Vec<String>>,
    /// Why its text is not shown, or not whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Numbers of the lines that this session wrote, from 1.
    pub written: Vec<usize>,
    /// Changes by this session, oldest first.
    pub changes: Vec<FileChangeMade>,
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileChangeMade {
    /// Observation id.
    pub id: i64,
    /// Time of the change.
    pub at: String,
    /// Number of lines added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u64>,
    /// Number of lines removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// The changed lines, each behind `+` or `-`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// The `session_file` operation.
pub struct FileOfSession;

impl Op for FileOfSession {
    const NAME: &'static str = "session_file";
    const TITLE: &'static str = "File of a session";
    const DOC: &'static str = "Return a file of the session's project as it is now, and the lines that the \
        session wrote.";
    const REFERENCE: &'static str = "Return a file that a session worked on, as it is now, with the lines \
        that the session wrote and its changes. A file outside the project has no text.";
    // It reads files of any project.
    const TIER: Tier = Tier::Client;
    const CLIENTS_ONLY: bool = true;
    const EFFECT: Effect = Effect::Read;
    type Params = SessionFileParams;
    type Answer = SessionFile;

    fn run(ctx: &OpContext<'_>, params: SessionFileParams) -> Result<SessionFile, Fault> {
        let session =
            session_called(ctx, &params.session_id).map_err(|fault| fault.with("field", "session_id"))?;
        let (reader, hidden) = (ctx.store(), ctx.hidden()?);
        let mut rows = Vec::new();
        for step in reader.steps_of_session(session.id, MAX_STEPS)?.into_iter().rev() {
            if !matches!(step.kind, ObservationKind::FileEdit | ObservationKind::FileWrite)
                || hidden.hide_entry(reader, step.id)?
                || !reader.touched_by(step.id)?.contains(&params.path)
            {
                continue;
            }
            rows.extend(reader.observation(step.id)?);
        }
        let root = reader.project_root(session.project)?.unwrap_or_default();
        let (lines, note) = match text_of(&root, &params.path) {
            Ok(text) => lines_of(&text),
            Err(why) => (None, Some(why)),
        };
        let added = added_lines(&rows);
        let is_written = |line: &str| line.trim().len() >= MIN_LINE_CHARS && added.contains(line.trim_end());
        let numbered = lines.iter().flatten().enumerate();
        let written = numbered.filter(|(_, line)| is_written(line)).map(|(place, _)| place + 1).collect();
        let from = rows.len().saturating_sub(MAX_CHANGES);
        Ok(SessionFile {
            path: clean_text(&params.path),
            written,
            lines,
            note,
            changes: rows[from..].iter().map(change).collect(),
        })
    }
}

/// The text of a file in the project, without credentials; or why there is none.
fn text_of(root: &str, path: &str) -> Result<String, String> {
    let outside = || "it is outside the project, so its text is not shown".to_owned();
    let workspace =
        Workspace::open(Path::new(root)).map_err(|_| "the project's directory is gone".to_owned())?;
    let below = Path::new(path)
        .strip_prefix(root)
        .or_else(|_| Path::new(path).strip_prefix(workspace.root()))
        .map_err(|_| outside())?;
    let below = below.to_str().ok_or_else(outside)?;
    let path = workspace.resolve(below).map_err(|_| outside())?;
    let file = workspace.read(&path, MAX_FILE_BYTES).map_err(|error| clean_text(&error.to_string()))?;
    Ok(nudge_secrets::redact(&file.text).into_owned())
}

fn lines_of(text: &str) -> (Option<Vec<String>>, Option<String>) {
    let lines: Vec<String> = text.lines().take(MAX_LINES).map(clean_line).collect();
    let all = text.lines().count();
    let note = (all > lines.len()).then(|| format!("the first {MAX_LINES} of {all} lines"));
    (Some(lines), note)
}

/// A line of code as it stands: indentation is kept.
fn clean_line(line: &str) -> String {
    clean_text(line)
}

/// The lines that the changes added.
fn added_lines(rows: &[ObservationRow]) -> HashSet<String> {
    let diffs = rows.iter().filter_map(|row| row.attributes.get("changed").and_then(Value::as_str));
    let lines = diffs.flat_map(str::lines).filter_map(|line| line.strip_prefix('+'));
    lines.map(|line| clean_line(line.trim_end())).collect()
}

fn change(row: &ObservationRow) -> FileChangeMade {
    let number = |name: &str| row.attributes.get(name).and_then(Value::as_u64);
    FileChangeMade {
        id: row.id.0,
        at: row.at.to_string(),
        added: number("lines_added"),
        removed: number("lines_removed"),
        diff: row.attributes.get("changed").and_then(Value::as_str).map(clean_text),
    }
}
