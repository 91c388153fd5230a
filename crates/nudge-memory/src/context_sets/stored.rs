//! The sets of a session, as stored.

use std::collections::BTreeMap;

use nudge_core::{EntryId, EntryPath, Fault, Timestamp};
use nudge_store::{EntryDraft, Reader, SessionRow};
use serde_json::{Map, Value, json};

use crate::operation::OpContext;

/// The scheme of context sets.
pub(super) const SCHEME: &str = "context";

/// The attribute that contains a set's items.
const ITEMS: &str = "items";

/// The attribute of a session's entry that describes its environment.
pub(crate) const ENV_HINT: &str = "envHint";

/// Items of each set, by set name.
pub(crate) type Sets = BTreeMap<String, Vec<String>>;

/// A set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredSet {
    pub(crate) entry: EntryId,
    pub(crate) name: String,
    /// Empty if the set was cleared. Its entry stays, so that a report of the change can name it.
    pub(crate) items: Vec<String>,
    pub(crate) updated_at: Timestamp,
}

/// The sets of a session, including cleared ones, in the order they were created.
pub(crate) fn sets_of(reader: &Reader<'_>, session: &SessionRow) -> Result<Vec<StoredSet>, Fault> {
    let entries = reader.entries_in(&session.scope(), Some(SCHEME))?;
    let sets = entries.into_iter().map(|entry| StoredSet {
        entry: entry.id,
        name: entry.path.parts().join("/"),
        items: texts(&entry.attributes),
        updated_at: entry.updated_at,
    });
    Ok(sets.collect())
}

/// The items of a session's sets, without empty sets.
pub(crate) fn items_of(reader: &Reader<'_>, session: &SessionRow) -> Result<Sets, Fault> {
    let sets = sets_of(reader, session)?.into_iter().filter(|set| !set.items.is_empty());
    Ok(sets.map(|set| (set.name, set.items)).collect())
}

fn texts(attributes: &Map<String, Value>) -> Vec<String> {
    let items = attributes.get(ITEMS).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(Into::into).collect()
}

/// Stores a set.
pub(super) fn put(
    ctx: &OpContext<'_>,
    session: &SessionRow,
    name: &str,
    items: &[String],
) -> Result<(), Fault> {
    let path = EntryPath::from_parts(SCHEME, &[name], None)
        .map_err(|error| Fault::invalid("set_name", error.to_string()).with("field", "setName"))?;
    let mut attributes = Map::new();
    attributes.insert(ITEMS.to_owned(), json!(items));
    let mut provenance = ctx.provenance()?;
    provenance.session = Some(session.name.clone());
    ctx.writer()?.put_entry(&EntryDraft {
        scope: session.scope(),
        path,
        body: items.join("\n"),
        attributes,
        provenance,
        secrets: ctx.secret_policy(),
        now: ctx.now(),
    })?;
    Ok(())
}

/// What was stated about a session.
pub(crate) fn said_of(reader: &Reader<'_>, session: &SessionRow) -> Result<Map<String, Value>, Fault> {
    let entry = match session.activity.entry {
        Some(id) => reader.entry_by_id(id)?,
        None => None,
    };
    Ok(entry.map(|entry| entry.attributes).unwrap_or_default())
}
