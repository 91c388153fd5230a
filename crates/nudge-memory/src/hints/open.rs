//! Which hints are open to a caller. Hints stated in a private project are closed to callers
//! outside it.

use std::collections::HashMap;

use nudge_core::{Fault, Provenance};
use nudge_store::HintRow;

use crate::operation::OpContext;
use crate::projects;

/// Keeps the hints that are open to the caller.
pub(crate) fn open(ctx: &OpContext<'_>, rows: Vec<HintRow>) -> Result<Vec<HintRow>, Fault> {
    let mut closed: HashMap<String, bool> = HashMap::new();
    let mut open = Vec::with_capacity(rows.len());
    for row in rows {
        let mut is_open = true;
        for key in [&row.entry.origin, &row.entry.writer].into_iter().filter_map(|from| from.project.as_ref())
        {
            is_open &= !match closed.get(key) {
                Some(known) => *known,
                None => {
                    let found = projects::is_hidden_from(ctx.store(), ctx.caller, key)?;
                    closed.insert(key.clone(), found);
                    found
                }
            };
        }
        if is_open {
            open.push(row);
        }
    }
    Ok(open)
}

/// Whether an entry with this provenance is closed to the caller.
pub(super) fn is_closed(ctx: &OpContext<'_>, from: &Provenance) -> Result<bool, Fault> {
    from.project.as_deref().map_or(Ok(false), |key| projects::is_hidden_from(ctx.store(), ctx.caller, key))
}
