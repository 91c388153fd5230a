//! The output formats of search results.

use nudge_core::{Context, Fault};
use nudge_memory::recall::EntryRef;
use nudge_memory::recall::GetObservationsParams;
use serde_json::Value;

use super::SearchArgs;
use crate::invocation::Invocation;

/// How many entries can be fetched in full at once.
const AT_ONCE: usize = 50;

/// The fields that `--full` adds to a row.
const MORE: [&str; 5] = ["project", "source_event", "tool_name", "content", "metadata"];

/// An output format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// A list to read.
    Human,
    /// Rows as JSON.
    Rows,
    /// Rows with all fields, as JSON.
    Full,
    /// Ids, one per line.
    Ids,
}

impl Mode {
    /// The shape that the flags ask for; without one, a list to read.
    pub(super) const fn of(args: &SearchArgs, json: bool) -> Self {
        match args {
            SearchArgs { ids: true, .. } => Self::Ids,
            SearchArgs { full: true, .. } => Self::Full,
            _ if json => Self::Rows,
            _ => Self::Human,
        }
    }
}

/// The rows with all fields. Entries that were removed since the search are left out.
pub(super) fn full(invocation: &Invocation, rows: &Value, context: Context) -> Result<Value, Fault> {
    let rows = rows.as_array().map_or(&[][..], Vec::as_slice);
    let mut whole = Vec::with_capacity(rows.len());
    for some in rows.chunks(AT_ONCE) {
        let ids = some.iter().filter_map(|row| row["id"].as_i64()).map(EntryRef::Number).collect();
        let params = GetObservationsParams { ids, around: None };
        let fetched = invocation.call("get_observations", &params, context.clone())?;
        for row in some {
            let of_row = |known: &&Value| known["id"] == row["id"];
            let known = fetched.as_array().into_iter().flatten().find(of_row);
            let (Some(known), Value::Object(mut row)) = (known, row.clone()) else { continue };
            for name in MORE {
                row.insert(name.to_owned(), known[name].clone());
            }
            whole.push(Value::Object(row));
        }
    }
    Ok(Value::Array(whole))
}
