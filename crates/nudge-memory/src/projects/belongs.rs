//! What belongs to a project. Searches and injections use exactly this, and a purge removes exactly
//! this.

use nudge_core::Fault;
use nudge_store::{ProjectRow, Reader};

use super::resolve::key_of_name;

/// The keys under which a project's entries are stored: those of its places, and the key for
/// memories imported under its name.
///
/// Memories imported for a name belong to the first place with that name. A directory that was
/// given the same name later, by chance or on purpose, gets none of them.
pub(crate) fn keys_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<String>, Fault> {
    let mut keys = project.keys.clone();
    let brought = key_of_name(&project.name);
    let first = reader.places_named(&project.name)?.into_iter().next();
    if !keys.contains(&brought) && first.is_some_and(|first| first.id == project.id) {
        keys.push(brought);
    }
    Ok(keys)
}

/// The scopes that contain its entries.
pub(crate) fn scopes_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<i64>, Fault> {
    Ok(reader.scopes_of_keys(&keys_of(reader, project)?)?)
}
