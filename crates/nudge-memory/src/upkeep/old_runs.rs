//! Removes runs that ended long ago.

use std::time::Duration;

use nudge_core::{Fault, Timestamp};
use nudge_store::{Pace, Store};

use super::{clock, orphans};

/// How many are read at a time.
const PAGE: u32 = 100;

/// One day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes the runs that ended more than this many days ago, and returns how many. A run with forks
/// stays until they are gone: they see its entries.
pub(crate) fn remove(store: &Store, pace: &mut Pace, days: u32, now: Timestamp) -> Result<u64, Fault> {
    let before = store.read(|reader| clock::for_runs(reader, now))?.minus(DAY * days);
    let mut removed = 0;
    loop {
        let page = store.read(|reader| reader.runs_ended_before(before, PAGE))?;
        let mut gone = 0;
        orphans::each(store, pace, &page, |writer, run| {
            gone += u64::from(writer.remove_ended_run(run.id, before, now)?);
            Ok(())
        })?;
        // A page of runs that all went on meanwhile ends the work, too.
        if gone == 0 {
            return Ok(removed);
        }
        removed += gone;
    }
}
