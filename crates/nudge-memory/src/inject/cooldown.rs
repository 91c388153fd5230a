//! Limits on repetition: entries that must not be injected now, however well they fit, because they
//! were shown too often or the user silenced them.
//!
//! Two rules apply, to rows only. Once a project has had a hundred injections, no row appears in
//! more than five of any hundred. And a row that three fresh starts in a row injected without any
//! use rests for a day, whatever is injected instead. Only injections that were followed by an
//! action count. Exempt are statements, pinned rows, the work of the newest session, and the work
//! of a session that lost its context.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use nudge_context::Trigger;
use nudge_core::{EntryId, Fault, Timestamp};
use nudge_store::{InjectionRow, ProjectId, Reader};

use super::usage::SessionActions;

/// The window, in injections, and how many of them an entry may appear in.
const WINDOW_INJECTIONS: u32 = 100;
const MAX_IN_WINDOW: u32 = 5;

/// After how many fresh starts in a row without use an entry rests, and for how long.
const STARTS_WITHOUT_USE: usize = 3;
const REST_TIME: Duration = Duration::from_secs(24 * 60 * 60);

/// How many of the newest injections are searched for fresh starts: more than a project has in a
/// day of work. The hook of a start waits for this.
const MAX_SEARCHED_INJECTIONS: u32 = 100;

/// For how many of the newest starts the session's actions are checked for use, and how many steps
/// of each: an agent soon gets to what it uses. For the other starts, the ledger decides.
const MAX_CHECKED_STARTS: usize = 8;
const MAX_STEPS: u32 = 300;

pub(super) const TOO_OFTEN: &str = "injected in 5 of the project's last 100 injections";
pub(super) const SILENCED: &str = "hidden with `nudge stop-showing`";
pub(super) const OTHER_DIRECTORY: &str = "it is for another directory";
pub(super) const LONG_AGO: &str = "said once, more than 30 days ago";
pub(super) const OTHERS: &str = "enough others of its kind rank higher";
pub(super) const RESTS: &str = "injected at 3 starts in a row and not used; withheld for a day";

/// Entries that must not be injected now.
#[derive(Debug, Default)]
pub(super) struct Cooldown {
    often: HashSet<EntryId>,
    resting: HashSet<EntryId>,
    silenced: HashSet<EntryId>,
}

impl Cooldown {
    /// The cooldown of a project, from its ledger.
    pub(super) fn of(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<Self, Fault> {
        Ok(Self { resting: resting(reader, project, now)?, ..Self::of_prompt(reader, project)? })
    }

    /// The cooldown for a prompt. Here no entry rests: an entry that was of no use unasked may be
    /// useful when it is asked for.
    pub(super) fn of_prompt(reader: &Reader<'_>, project: ProjectId) -> Result<Self, Fault> {
        let mut cooldown =
            Self { resting: HashSet::new(), often: HashSet::new(), silenced: reader.silenced(project)? };
        if reader.has_injections(project, WINDOW_INJECTIONS)? {
            // The injection in progress is the hundredth of its window.
            let injected = reader.recently_injected(project, WINDOW_INJECTIONS - 1)?;
            cooldown.often = injected
                .iter()
                .filter(|injected| injected.times >= MAX_IN_WINDOW)
                .map(|injected| injected.entry)
                .collect();
        }
        Ok(cooldown)
    }

    /// Whether the user has silenced an entry. Nothing is exempt from that.
    pub(super) fn is_silenced(&self, entry: EntryId) -> bool {
        self.silenced.contains(&entry)
    }

    /// Why an entry must not be injected; `None` if it may be.
    pub(super) fn reason_to_withhold(&self, entry: EntryId) -> Option<&'static str> {
        if self.is_silenced(entry) {
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

/// The entries that three fresh starts in a row injected and no session used, unless the last of
/// those starts is more than a day ago. Later starts that injected other entries make no
/// difference.
fn resting(reader: &Reader<'_>, project: ProjectId, now: Timestamp) -> Result<HashSet<EntryId>, Fault> {
    let newest = reader.injections_acted_on(project, MAX_SEARCHED_INJECTIONS)?;
    let mut starts: Vec<_> =
        newest.into_iter().filter(|row| row.trigger == Trigger::Start.number()).collect();
    let lately = starts.iter().take_while(|start| start.at >= now.minus(REST_TIME)).count();
    if lately == 0 || starts.len() < STARTS_WITHOUT_USE {
        return Ok(HashSet::new());
    }
    starts.truncate(lately + STARTS_WITHOUT_USE - 1);
    let mut used = UsageCheck { reader, starts: &starts, actions: HashMap::new() };
    let mut resting = HashSet::new();
    for (entry, last) in unused_streaks(reader, &starts, lately)? {
        if !used.was_used_after_any(entry, last..last + STARTS_WITHOUT_USE)? {
            resting.insert(entry);
        }
    }
    Ok(resting)
}

/// The entries that were injected without recorded use by at least `STARTS_WITHOUT_USE` starts in a
/// row, the newest of them among the first `lately` starts. Each comes with the index of that
/// newest start; lowest index first.
fn unused_streaks(
    reader: &Reader<'_>,
    starts: &[InjectionRow],
    lately: usize,
) -> Result<Vec<(EntryId, usize)>, Fault> {
    let mut injected: HashMap<EntryId, (usize, usize)> = HashMap::new();
    for (place, start) in starts.iter().enumerate() {
        for (entry, used) in reader.injected_in(start.id)? {
            let (last, times) = injected.entry(entry).or_insert((place, 0));
            if place == *last + *times && !used {
                *times += 1;
            }
        }
    }
    let in_a_row =
        injected.into_iter().filter(|(_, (last, times))| *last < lately && *times >= STARTS_WITHOUT_USE);
    let mut runs: Vec<_> = in_a_row.map(|(entry, (last, _))| (entry, last)).collect();
    runs.sort_unstable_by_key(|(entry, last)| (*last, *entry));
    Ok(runs)
}

/// Whether sessions used the entries that their starts injected.
struct UsageCheck<'u> {
    reader: &'u Reader<'u>,
    starts: &'u [InjectionRow],
    actions: HashMap<usize, SessionActions>,
}

impl UsageCheck<'_> {
    /// Whether the actions of any of these sessions show a use of an entry.
    fn was_used_after_any(&mut self, entry: EntryId, places: Range<usize>) -> Result<bool, Fault> {
        let Some(row) = self.reader.recent_row(entry)? else { return Ok(false) };
        for place in places {
            if self.actions_after(place)?.is_some_and(|deeds| deeds.use_of(&row).is_some()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The actions of a start's session after it, read once; `None` if the limit of sessions is
    /// reached.
    fn actions_after(&mut self, place: usize) -> Result<Option<&SessionActions>, Fault> {
        if self.actions.len() < MAX_CHECKED_STARTS && !self.actions.contains_key(&place) {
            self.actions.insert(place, SessionActions::after(self.reader, &self.starts[place], MAX_STEPS)?);
        }
        Ok(self.actions.get(&place))
    }
}
