//! What must not be told now, however well it fits: nothing is told too often.
//!
//! Two rules. Once a project has had a hundred injections, no entry serves more than five in any hundred of them, pinned or
//! not. And an entry that was told at each of the last three fresh starts without being of use rests for a day; what the
//! person pinned does not rest. What a session itself was doing is exempt from both: it is told once, to the one that lost it.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{ProjectId, Reader};

/// Of how many injections an entry may serve how many.
const WINDOW: u32 = 100;
const SHARE: u32 = 5;

/// After how many fresh starts in a row without use an entry rests, and for how long.
const STARTS: usize = 3;
const REST: Duration = Duration::from_secs(24 * 60 * 60);

/// Among how many of the newest injections the fresh starts are looked for.
const LOOKED_AT: u32 = 30;

pub(super) const TOO_OFTEN: &str = "told in 5 of the project's last 100 injections";
pub(super) const RESTS: &str = "told at the last 3 starts and not used; it rests for a day";

/// What must not be told now.
#[derive(Debug, Default)]
pub(super) struct Restraint {
    often: HashSet<EntryId>,
    resting: HashSet<EntryId>,
}

impl Restraint {
    /// Nothing is held back.
    pub(super) fn none() -> Self {
        Self::default()
    }

    /// What the ledger says of a project.
    pub(super) fn of(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<Self, Fault> {
        let mut restraint = Self { resting: resting(reader, project, now)?, often: HashSet::new() };
        if reader.has_injections(project, WINDOW)? {
            // The one that is about to be made is the hundredth of its window.
            let told = reader.told_lately(project, WINDOW - 1)?;
            restraint.often = told.iter().filter(|told| told.times >= SHARE).map(|told| told.entry).collect();
        }
        Ok(restraint)
    }

    /// Why an entry must not be told, if it must not.
    pub(super) fn on(&self, entry: EntryId, pinned: bool) -> Option<&'static str> {
        if self.often.contains(&entry) {
            Some(TOO_OFTEN)
        } else if self.resting.contains(&entry) && !pinned {
            Some(RESTS)
        } else {
            None
        }
    }
}

/// The entries that the last fresh starts all told and no session used, unless the last time is a day ago.
fn resting(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<HashSet<EntryId>, Fault> {
    let newest = reader.injections_of_project(project, LOOKED_AT)?;
    let starts: Vec<_> = newest.into_iter().filter(|row| !row.recovery).take(STARTS).collect();
    if starts.len() < STARTS || starts[0].at < now.minus(REST) {
        return Ok(HashSet::new());
    }
    let mut times: HashMap<EntryId, usize> = HashMap::new();
    let mut used = HashSet::new();
    for start in &starts {
        for line in reader.injection_lines(start.id)?.into_iter().filter(|line| line.is_told()) {
            *times.entry(line.entry).or_default() += 1;
            if line.used_at.is_some() {
                used.insert(line.entry);
            }
        }
    }
    Ok(times
        .into_iter()
        .filter(|(entry, times)| *times == STARTS && !used.contains(entry))
        .map(|(entry, _)| entry)
        .collect())
}
