//! What the model has said so far in a turn whose answer is not whole.

use nudge_context::count_tokens;
use nudge_core::{EntryPath, Fault};
use nudge_store::{Reader, RunRow, TurnId, Writer};

/// The text that has come.
pub(super) fn text(reader: &Reader<'_>, run: &RunRow, turn: u32) -> Result<String, Fault> {
    let Ok(path) = EntryPath::parse(&format!("assistant://{turn}")) else { return Ok(String::new()) };
    let Some(entry) = reader.entry(&run.scope, &path)? else { return Ok(String::new()) };
    Ok(entry.body + &reader.appended(entry.id)?)
}

/// Notes how much that was. No model counts an answer that broke off.
pub(super) fn estimate(writer: &Writer<'_>, run: &RunRow, turn: (TurnId, u32)) -> Result<(), Fault> {
    let text = text(writer, run, turn.1)?;
    Ok(writer.estimate_output(turn.0, count_tokens(&text))?)
}
