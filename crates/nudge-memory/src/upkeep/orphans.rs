//! Removes rows that nothing refers to any more.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_store::{Pace, Store, Writer};

/// How many are read at a time.
const PAGE: u32 = 1_000;

/// How long an empty session is kept: its first event may still be on its way.
const MAX_EMPTY_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The result.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) files: u64,
    pub(crate) subagents: u64,
    pub(crate) sessions: u64,
}

/// Removes files and subagents that no observation names, and old empty sessions.
pub(crate) fn clear(store: &Store, pace: &mut Pace, now: Timestamp) -> Result<Removed, Fault> {
    let mut removed = words(store, pace)?;
    loop {
        let empty = store.read(|reader| reader.empty_sessions(now.minus(MAX_EMPTY_TIME), PAGE))?;
        if empty.is_empty() {
            return Ok(removed);
        }
        removed.sessions += each(store, pace, &empty, |writer, id| {
            writer.remove_empty_session(*id, now)?;
            Ok(())
        })?;
    }
}

/// Removes files and subagents that no observation names.
pub(crate) fn words(store: &Store, pace: &mut Pace) -> Result<Removed, Fault> {
    let mut removed = Removed::default();
    loop {
        let files = store.read(|reader| reader.unused_files(PAGE))?;
        let subagents = store.read(|reader| reader.unused_subagents(PAGE))?;
        if files.is_empty() && subagents.is_empty() {
            return Ok(removed);
        }
        removed.files += each(store, pace, &files, |writer, id| Ok(writer.remove_unused_file(*id)?))?;
        removed.subagents +=
            each(store, pace, &subagents, |writer, id| Ok(writer.remove_unused_subagent(*id)?))?;
    }
}

/// Runs an action on each item, in batches. Returns how many there were.
pub(crate) fn each<T>(
    store: &Store,
    pace: &mut Pace,
    items: &[T],
    mut act: impl FnMut(&Writer<'_>, &T) -> Result<(), Fault>,
) -> Result<u64, Fault> {
    let mut next = 0;
    if !items.is_empty() {
        store.write_in_batches(pace, |writer, portion| {
            while let Some(item) = items.get(next) {
                act(writer, item)?;
                next += 1;
                if portion.is_full() {
                    break;
                }
            }
            Ok::<_, Fault>(next < items.len())
        })?;
    }
    Ok(next as u64)
}
