//! The account: what was sent, compared with what is stored.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::Timing;
use super::plan::What;
use crate::stage::Violations;

/// More violations of the same kind would only fill the screen.
const MAX_SHOWN: usize = 5;

/// The reason in the drop record for a full disk.
const DISK_FULL: &str = "disk_full";

/// One process that was given an event.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub(super) took: Duration,
    /// Whether the disk was full during any part of it.
    pub(super) disk_full: bool,
    /// Whether the event may be stored although its hook got no answer, as when PRIMARY dies before
    /// it answers. Such a hook sends its event once more, and the store counts a repetition that
    /// nobody sent.
    pub(super) doubtful: bool,
    pub(super) problem: Option<String>,
}

/// One event and all its sendings.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) key: String,
    pub(super) what: What,
    /// The hash of its payload, as in the drop record.
    pub(super) hash: String,
    pub(super) sendings: Vec<Sending>,
}

/// What is stored afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// How often each key is in the store.
    pub(super) stored: BTreeMap<String, usize>,
    /// How many captured events the store counted as repetitions.
    pub(super) duplicates: usize,
    /// Payloads in the drop record: hash and reason.
    pub(super) dropped: Vec<(String, String)>,
    /// The total in the drop record.
    pub(super) dropped_in_all: usize,
}

/// The totals.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub(super) sent: usize,
    pub(super) stored: usize,
    pub(super) duplicates: usize,
    pub(super) dropped: usize,
    /// Sendings that store nothing by design, and that were not dropped.
    pub(super) nothing_to_keep: usize,
    /// Repetitions that nobody sent: a hook without an answer sent its event once more.
    pub(super) sent_again: usize,
}

impl Found {
    /// Reads the output of `capture-ledger`.
    pub(super) fn from_json(ledger: &Value) -> anyhow::Result<Self> {
        let count = |value: &Value| value.as_u64().map(|number| number as usize);
        let stored = ledger["stored"].as_object().context("a ledger without its rows")?;
        let stored = stored.iter().map(|(key, times)| Some((key.clone(), count(times)?)));
        let slots = ledger["dropped"].as_array().context("a ledger without its drop record")?;
        let slots =
            slots.iter().map(|slot| Some((slot[0].as_str()?.to_owned(), slot[1].as_str()?.to_owned())));
        Ok(Self {
            stored: stored.collect::<Option<_>>().context("a row without its count")?,
            duplicates: count(&ledger["duplicates"]).context("no count of duplicates")?,
            dropped: slots.collect::<Option<_>>().context("a slot without its hash or reason")?,
            dropped_in_all: count(&ledger["dropped_in_all"]).context("no count of drops")?,
        })
    }
}

/// Compares, records every violation, and returns the totals.
pub(super) fn check_account(
    sent: &[Sent],
    found: &Found,
    (slowest_true, timing): (Duration, Timing),
    violations: &mut Violations,
) -> Sums {
    let drops = by_hash(&found.dropped);
    let mut complaints = Complaints::default();
    let mut sums = Sums { dropped: found.dropped_in_all, ..Sums::default() };
    for event in sent {
        let stored = found.stored.get(&event.key).copied().unwrap_or_default();
        let dropped = drops.get(event.hash.as_str()).cloned().unwrap_or_default();
        sums.sent += event.sendings.len();
        sums.stored += stored;
        if !event.what.is_stored() {
            sums.nothing_to_keep += event.sendings.len().saturating_sub(dropped.len());
        }
        check_stored_or_dropped(event, stored, &dropped, &mut complaints);
        check_process(event, &mut complaints);
    }
    check_times(sent, slowest_true, timing, &mut complaints);
    check_unsent(sent, found, &drops, &mut complaints);
    complaints.enter(violations);
    check_totals(sent, found, &mut sums, violations);
    let listed = found.dropped.len();
    violations.unless(
        listed == found.dropped_in_all,
        format!("the drop record counts {} and lists {listed}", found.dropped_in_all),
    );
    sums
}

/// Stored, repeated and dropped events must add up to what was sent. Only doubtful sendings may
/// have counted twice as repetitions.
fn check_totals(sent: &[Sent], found: &Found, sums: &mut Sums, violations: &mut Violations) {
    let doubtful = sent.iter().flat_map(|event| &event.sendings).filter(|sending| sending.doubtful).count();
    let accounted = sums.stored + found.duplicates + sums.dropped + sums.nothing_to_keep;
    sums.sent_again = accounted.saturating_sub(sums.sent).min(found.duplicates);
    sums.duplicates = found.duplicates - sums.sent_again;
    violations.unless(
        accounted >= sums.sent && sums.sent_again <= doubtful,
        format!(
            "{} sendings, {doubtful} of them in doubt, but {accounted} accounted for: {sums:?}",
            sums.sent
        ),
    );
}

/// In the store once, or dropped each time it was sent, and only because of the full disk.
fn check_stored_or_dropped(event: &Sent, stored: usize, dropped: &[&str], complaints: &mut Complaints) {
    let Sent { key, what, sendings, .. } = event;
    let while_full = sendings.iter().filter(|sending| sending.disk_full).count();
    if stored > usize::from(what.is_stored()) {
        complaints.add("stored too often", format!("{what:?} {key} is stored {stored} times"));
    }
    if what.is_stored() && stored == 0 && dropped.len() < sendings.len() {
        let times =
            format!("sent {} times, {while_full} to a full disk, dropped {}", sendings.len(), dropped.len());
        complaints.add("lost", format!("{what:?} {key} ({}) is not in the store; {times}", event.hash));
    }
    if dropped.len() > while_full {
        complaints.add(
            "dropped without need",
            format!("{what:?} {key} was dropped {} times, sent to a full disk {while_full}", dropped.len()),
        );
    }
    for reason in dropped.iter().filter(|reason| **reason != DISK_FULL) {
        complaints.add("dropped for another reason", format!("{what:?} {key}: {reason}"));
    }
}

/// Every process must print nothing and succeed.
fn check_process(event: &Sent, complaints: &mut Complaints) {
    let Sent { key, what, sendings, .. } = event;
    for problem in sendings.iter().filter_map(|sending| sending.problem.as_ref()) {
        complaints.add("ill-mannered", format!("{what:?} {key} {problem}"));
    }
}

/// Every process must be in time.
fn check_times(sent: &[Sent], slowest_true: Duration, timing: Timing, complaints: &mut Complaints) {
    let limit = |event: &Sent| event.what.deadline() + slowest_true;
    let all =
        || sent.iter().flat_map(|event| event.sendings.iter().map(move |sending| (event, sending.took)));
    let late = |times: u32| all().filter(move |(event, took)| *took > limit(event) * times);
    let times = match timing {
        Timing::Unoptimised if late(1).count() * 100 <= all().count() => 2,
        Timing::Strict | Timing::Unoptimised => 1,
    };
    for (event, took) in late(times) {
        let Sent { key, what, .. } = event;
        complaints.add("late", format!("{what:?} {key} took {took:?}, allowed were {:?}", limit(event)));
    }
}

/// Events that nobody sent must not be stored.
fn check_unsent(
    sent: &[Sent],
    found: &Found,
    drops: &BTreeMap<&str, Vec<&str>>,
    complaints: &mut Complaints,
) {
    let known: BTreeMap<&str, &str> =
        sent.iter().map(|event| (event.key.as_str(), event.hash.as_str())).collect();
    for key in found.stored.keys().filter(|key| !known.contains_key(key.as_str())) {
        complaints.add("stored but never sent", key.clone());
    }
    let hashes: std::collections::BTreeSet<&str> = known.into_values().collect();
    for (hash, reasons) in drops.iter().filter(|(hash, _)| !hashes.contains(*hash)) {
        complaints.add("dropped but never sent", format!("{hash}: {reasons:?}"));
    }
}

fn by_hash(dropped: &[(String, String)]) -> BTreeMap<&str, Vec<&str>> {
    let mut drops: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (hash, reason) in dropped {
        drops.entry(hash).or_default().push(reason);
    }
    drops
}

/// Violations by kind: all are counted, some are shown.
#[derive(Default)]
struct Complaints(BTreeMap<&'static str, Vec<String>>);

impl Complaints {
    fn add(&mut self, kind: &'static str, what: String) {
        self.0.entry(kind).or_default().push(what);
    }

    fn enter(&self, violations: &mut Violations) {
        for (kind, all) in &self.0 {
            let shown = all.iter().take(MAX_SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
            let more = if all.len() > MAX_SHOWN { "; …" } else { "" };
            violations.unless(false, format!("{kind}, {} in all: {shown}{more}", all.len()));
        }
    }
}

#[cfg(test)]
mod tests;
