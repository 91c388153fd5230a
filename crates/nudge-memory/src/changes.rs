//! Changes of entries and files that the user accepted, and the rules about files that they obey.

mod carry_out;
pub(crate) mod constraint;

pub(crate) use carry_out::carry_out;

use nudge_core::{Entry, Fault};
use nudge_store::Ending;
use serde_json::{Map, Value};

use crate::operation::OpContext;

/// The largest file that is read as an entry, in bytes.
pub(crate) const FILE_MOST: u64 = 4 * 1024 * 1024;

/// The attributes with new ones over them; `null` removes one.
pub(crate) fn with_attributes(
    before: &Map<String, Value>,
    new: Option<&Map<String, Value>>,
) -> Map<String, Value> {
    let mut all = before.clone();
    for (name, value) in new.into_iter().flatten() {
        if value.is_null() {
            all.remove(name);
        } else {
            all.insert(name.clone(), value.clone());
        }
    }
    all
}

/// Deletes a plain entry; its last version stays readable.
pub(crate) fn delete(ctx: &OpContext<'_>, entry: &Entry) -> Result<(), Fault> {
    let writer = ctx.writer()?;
    writer.join_appended(entry.id, ctx.now())?;
    writer.keep_version(entry.id, Ending::Deleted, false, &ctx.provenance()?, ctx.now())?;
    writer.delete_entry(entry.id, ctx.now())?;
    Ok(())
}
