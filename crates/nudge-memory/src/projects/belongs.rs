//! What belongs to a project: searches look there, injections take from there, a purge removes just
//! that.

use nudge_core::Fault;
use nudge_store::{ProjectRow, Reader};

use super::resolve::key_of_name;

/// The keys under which a project's entries lie: those of its places, and what was brought in for
/// it by its name.
///
/// Memories that were imported for a name belong to the place of that name that came first. A
/// directory that was named so later, by chance or on purpose, gets none of them.
pub(crate) fn keys_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<String>, Fault> {
    let mut keys = project.keys.clone();
    let brought = key_of_name(&project.name);
    let first = reader.placed_called(&project.name)?.into_iter().next();
    if !keys.contains(&brought) && first.is_some_and(|first| first.id == project.id) {
        keys.push(brought);
    }
    Ok(keys)
}

/// The scopes in which its entries lie.
pub(crate) fn scopes_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<i64>, Fault> {
    Ok(reader.scopes_of_keys(&keys_of(reader, project)?)?)
}
