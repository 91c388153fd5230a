//! What a store has, without what differs between homes: no ids, times, writers or names of
//! projects.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use nudge_core::{EntryId, Scope};
use nudge_store::{Reader, Store, StoreError};

/// The rows of a store, as lines.
pub(super) type Dump = BTreeSet<String>;

/// Reads all entries, and how each viewer sees them.
pub(super) fn dump(store: &Store) -> anyhow::Result<Dump> {
    Ok(store.read(rows)?)
}

fn rows(reader: &Reader<'_>) -> Result<Dump, StoreError> {
    let mut ids = Vec::new();
    reader.visit_paths("", |hit| {
        ids.push(hit.id);
        ControlFlow::Continue(())
    })?;
    let mut rows = Dump::new();
    let mut names = BTreeMap::new();
    for id in ids {
        let Some(entry) = reader.entry_by_id(id)? else { continue };
        let path = entry.path.as_str();
        let name = format!("{} in {}", path, place(&entry.scope));
        let attributes = serde_json::to_string(&entry.attributes).unwrap_or_default();
        let body = entry.body.clone() + &reader.appended(id)?;
        rows.insert(format!("entry {name} v{} {attributes} {body:?}", entry.version));
        names.insert(id, name);
    }
    for viewer in scopes(reader)? {
        rows.extend(views(reader, &viewer, &names)?);
    }
    Ok(rows)
}

fn views(
    reader: &Reader<'_>,
    viewer: &Scope,
    names: &BTreeMap<EntryId, String>,
) -> Result<Vec<String>, StoreError> {
    let shown = |row: nudge_store::ViewRow| {
        let name = names.get(&row.entry).map_or("an entry that is gone", String::as_str);
        format!(
            "view of {} on {name}: {} {} {:?} {:?}, {} writes",
            place(viewer),
            row.visibility.name(),
            row.state.name(),
            row.outcome,
            row.summary,
            row.write_count
        )
    };
    Ok(reader.views(viewer)?.into_iter().map(shown).collect())
}

/// All scopes. Their ids have no gaps.
fn scopes(reader: &Reader<'_>) -> Result<Vec<Scope>, StoreError> {
    let mut scopes = Vec::new();
    for id in 1.. {
        match reader.scope_by_id(id)? {
            Some(scope) => scopes.push(scope),
            None => break,
        }
    }
    Ok(scopes)
}

/// The kind of a scope, and the alias of a run. Projects have other names in other homes.
fn place(scope: &Scope) -> String {
    match scope {
        Scope::Run(key) => format!("run {}", key.rsplit('#').next().unwrap_or_default()),
        scope => scope.kind().to_owned(),
    }
}
