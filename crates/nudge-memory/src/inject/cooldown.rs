//! What must not be told now, however well it fits: nothing is told too often, and nothing that the person silenced.
//!
//! Two rules, for rows alone. Once a project has had a hundred injections, no row serves more than five in any hundred of
//! them. And a row that three fresh starts in a row told without its being of use rests for a day, whatever is told in its
//! stead. Only injections that were followed by an action count. Exempt are what was stated or pinned, what the newest
//! session did, and what a session itself was doing when it lost its context.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use nudge_context::Trigger;
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{InjectionRow, ProjectId, Reader};

use super::used::Deeds;

/// Of how many injections an entry may serve how many.
const WINDOW: u32 = 100;
const SHARE: u32 = 5;

/// After how many fresh starts in a row without use an entry rests, and for how long.
const STARTS: usize = 3;
const REST: Duration = Duration::from_secs(24 * 60 * 60);

/// Among how many of the newest injections the fresh starts are looked for: more than a project has in a day of work. The hook
/// of a start waits for it.
const LOOKED_AT: u32 = 100;

/// Of how many starts it is told from what their sessions did whether something was of use, the newest first, and how many steps
/// of each tell it: an agent comes soon to what it makes use of. Of the others the ledger's word is taken.
const DERIVED: usize = 8;
const STEPS: u32 = 300;

pub(super) const TOO_OFTEN: &str = "told in 5 of the project's last 100 injections";
pub(super) const SILENCED: &str = "the person does not want it shown (`nudge stop-showing`)";
pub(super) const OTHER_DIRECTORY: &str = "it is for another directory";
pub(super) const LONG_AGO: &str = "said once, more than 30 days ago";
pub(super) const OTHERS: &str = "enough others of its sort come before it";
pub(super) const RESTS: &str = "told at 3 starts in a row and not used; it rests for a day";

/// What must not be told now.
#[derive(Debug, Default)]
pub(super) struct Cooldown {
    often: HashSet<EntryId>,
    resting: HashSet<EntryId>,
    silenced: HashSet<EntryId>,
}

impl Cooldown {
    /// What the ledger says of a project.
    pub(super) fn of(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<Self, Fault> {
        Ok(Self { resting: resting(reader, project, now)?, ..Self::of_prompt(reader, project)? })
    }

    /// The same for a prompt. What was of no use to those who did not ask for it does not rest when somebody asks.
    pub(super) fn of_prompt(reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        let mut cooldown =
            Self { resting: HashSet::new(), often: HashSet::new(), silenced: reader.silenced(project)? };
        if reader.has_injections(project, WINDOW)? {
            // The one that is about to be made is the hundredth of its window.
            let told = reader.told_lately(project, WINDOW - 1)?;
            cooldown.often = told.iter().filter(|told| told.times >= SHARE).map(|told| told.entry).collect();
        }
        Ok(cooldown)
    }

    /// Whether the person does not want to see an entry, whatever it is.
    pub(super) fn silences(&self, entry: EntryId) -> bool {
        self.silenced.contains(&entry)
    }

    /// Why an entry must not be told, if it must not.
    pub(super) fn on(&self, entry: EntryId) -> Option<&'static str> {
        if self.silences(entry) {
            Some(SILENCED)
        } else if self.often.contains(&entry) {
            Some(TOO_OFTEN)
        } else if self.resting.contains(&entry) {
            Some(RESTS)
        } else {
            None
        }
    }
}

/// The entries that three fresh starts in a row told and no session used, unless the last of those is a day ago. Starts after
/// them that told something else change nothing.
fn resting(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<HashSet<EntryId>, Fault> {
    let newest = reader.injections_acted_on(project, LOOKED_AT)?;
    let mut starts: Vec<_> =
        newest.into_iter().filter(|row| row.trigger == Trigger::Start.number()).collect();
    let lately = starts.iter().take_while(|start| start.at >= now.minus(REST)).count();
    if lately == 0 || starts.len() < STARTS {
        return Ok(HashSet::new());
    }
    starts.truncate(lately + STARTS - 1);
    let mut used = Used { reader, starts: &starts, deeds: HashMap::new() };
    let mut resting = HashSet::new();
    for (entry, last) in runs(reader, &starts, lately)? {
        if !used.at_any(entry, last..last + STARTS)? {
            resting.insert(entry);
        }
    }
    Ok(resting)
}

/// The entries that the newest start to tell them, one of the first so many, and those directly before it told without a noted use,
/// each with the place of that start; the newest places first.
fn runs(reader: &Reader<'_>, starts: &[InjectionRow], lately: usize) -> Result<Vec<(EntryId, usize)>, Fault> {
    let mut told: HashMap<EntryId, (usize, usize)> = HashMap::new();
    for (place, start) in starts.iter().enumerate() {
        for (entry, used) in reader.told_in(start.id)? {
            let (last, times) = told.entry(entry).or_insert((place, 0));
            if place == *last + *times && !used {
                *times += 1;
            }
        }
    }
    let in_a_row = told.into_iter().filter(|(_, (last, times))| *last < lately && *times >= STARTS);
    let mut runs: Vec<_> = in_a_row.map(|(entry, (last, _))| (entry, last)).collect();
    runs.sort_unstable_by_key(|(entry, last)| (*last, *entry));
    Ok(runs)
}

/// Whether entries were of use to the sessions that some starts told.
struct Used<'u> {
    reader: &'u Reader<'u>,
    starts: &'u [InjectionRow],
    deeds: HashMap<usize, Deeds>,
}

impl Used<'_> {
    /// Whether what the sessions did shows that an entry was of use to any of these.
    fn at_any(&mut self, entry: EntryId, places: Range<usize>) -> Result<bool, Fault> {
        let Some(row) = self.reader.recent_row(entry)? else { return Ok(false) };
        for place in places {
            if self.deeds(place)?.is_some_and(|deeds| deeds.use_of(&row).is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What the session of a start did afterwards, read once; `None` where enough was read.
    fn deeds(&mut self, place: usize) -> Result<Option<&Deeds>, Fault> {
        if self.deeds.len() < DERIVED && !self.deeds.contains_key(&place) {
            self.deeds.insert(place, Deeds::after(self.reader, &self.starts[place], STEPS)?);
        }
        Ok(self.deeds.get(&place))
    }
}
