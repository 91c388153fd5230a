//! Records in a run's own log: what was called, what came of it, and what went wrong.

use nudge_context::count_tokens;
use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::path::action_path;
use nudge_core::{EntryId, EntryPath, Fault, Provenance, Source, Tier, Timestamp};
use nudge_store::{EntryDraft, Reader, RunRow, SecretPolicy, TurnId, ViewChange, Writer};
use serde_json::{Map, Value};

/// What is written under a path of a run.
pub(super) struct Record<'r> {
    pub(super) path: &'r EntryPath,
    pub(super) body: &'r str,
    pub(super) attributes: Map<String, Value>,
    /// The state with its outcome.
    pub(super) state: (EntryState, Option<String>),
    pub(super) visibility: Visibility,
    /// The turn and the loop.
    pub(super) turn: (u32, u32),
}

/// Who writes the records of a run: Nudge itself.
pub(super) fn by_nudge(run: &RunRow) -> Provenance {
    Provenance {
        source: Source::ToolOutput,
        tier: Tier::System,
        client: Some("nudge".to_owned()),
        session: run.session.clone(),
        project: None,
        machine: None,
    }
}

/// Who writes what the model of a run said.
pub(super) fn by_model(run: &RunRow) -> Provenance {
    Provenance {
        source: Source::Agent,
        tier: Tier::Model,
        client: Some(format!("run:{}", run.model)),
        ..by_nudge(run)
    }
}

/// Writes a record in the run's scope, and puts it into the run's view.
pub(super) fn write(
    writer: &Writer<'_>,
    run: &RunRow,
    record: Record<'_>,
    by: Provenance,
    now: Timestamp,
) -> Result<EntryId, Fault> {
    let written = writer.put_entry(&EntryDraft {
        scope: run.scope.clone(),
        path: record.path.clone(),
        body: record.body.to_owned(),
        attributes: record.attributes,
        provenance: by,
        secrets: SecretPolicy::Redact,
        now,
    })?;
    let change = ViewChange {
        visibility: Some(record.visibility),
        state: Some(record.state),
        summary: None,
        turn: Some((i64::from(record.turn.0), i64::from(record.turn.1))),
        is_write: true,
    };
    writer.change_view(&run.scope, written.id, &change, now)?;
    Ok(written.id)
}

/// Writes an error that belongs to no call. Further ones of a turn get a number.
pub(super) fn error(
    writer: &Writer<'_>,
    run: &RunRow,
    turn: (u32, u32),
    slug: &str,
    (status, body): (u16, &str),
    visibility: Visibility,
    now: Timestamp,
) -> Result<(), Fault> {
    let invalid = |error: nudge_core::path::PathError| Fault::invalid("path", error.to_string());
    let mut path = action_path(turn.0, "error", slug).map_err(invalid)?;
    for number in 2.. {
        if writer.entry(&run.scope, &path)?.is_none() {
            break;
        }
        path = action_path(turn.0, "error", &format!("{slug}_{number}")).map_err(invalid)?;
    }
    let mut attributes = Map::new();
    attributes.insert("tool".to_owned(), "error".into());
    let record = Record {
        path: &path,
        body,
        attributes,
        state: (EntryState::Failed, Some(format!("{slug}:{status}"))),
        visibility,
        turn,
    };
    write(writer, run, record, by_nudge(run), now)?;
    Ok(())
}

/// The text of a turn's answer that has come.
pub(super) fn text(reader: &Reader<'_>, run: &RunRow, turn: u32) -> Result<String, Fault> {
    let Ok(path) = EntryPath::parse(&format!("assistant://{turn}")) else { return Ok(String::new()) };
    let Some(entry) = reader.entry(&run.scope, &path)? else { return Ok(String::new()) };
    Ok(entry.body + &reader.appended(entry.id)?)
}

/// Notes how much that was. No model counts an answer that broke off.
pub(super) fn estimate_tokens(writer: &Writer<'_>, run: &RunRow, turn: (TurnId, u32)) -> Result<(), Fault> {
    let text = text(writer, run, turn.1)?;
    Ok(writer.estimate_output(turn.0, count_tokens(&text))?)
}
