//! Which rows are worth showing, best first.

use std::collections::HashSet;

use nudge_core::{ObservationKind, Outcome, Timestamp};

use crate::assemble::{Excluded, LeftOut};
use crate::fragment::Row;

/// The weights of age and of kind.
const RECENCY_WEIGHT: f64 = 0.6;
const KIND_WEIGHT: f64 = 0.4;

/// The factor for work that this session may be unable to see: it ranks below its own.
pub const INVISIBLE_WORK_FACTOR: f64 = 0.5;

const WEEK_MS: f64 = 7.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// How much a row says about the work here, from 0 to 1.
pub(crate) fn score(row: &Row, now: Timestamp) -> f64 {
    let score = worth(row.kind, row.at, now);
    if row.place.may_be_invisible() { score * INVISIBLE_WORK_FACTOR } else { score }
}

/// How much an action of that kind and age says, from 0 to 1. The part for its age halves in a
/// week.
pub fn worth(kind: ObservationKind, at: Timestamp, now: Timestamp) -> f64 {
    let age = now.as_millis().saturating_sub(at.as_millis()).max(0) as f64;
    RECENCY_WEIGHT * 0.5_f64.powf(age / WEEK_MS) + KIND_WEIGHT * kind.weight()
}

/// The rows, best first, pinned ones before all others. Of rows about the same file, or that say
/// the same, only the best is kept; the others are returned separately.
pub(crate) fn ranked(rows: Vec<Row>, now: Timestamp) -> (Vec<Row>, Vec<Excluded>) {
    let mut rows: Vec<(f64, Row)> = rows.into_iter().map(|row| (score(&row, now), row)).collect();
    rows.sort_by(|(one, a), (other, b)| {
        b.pinned.cmp(&a.pinned).then(other.total_cmp(one)).then(b.entry.cmp(&a.entry))
    });
    let (mut files, mut said) = (HashSet::new(), HashSet::new());
    let (mut best, mut rest) = (Vec::new(), Vec::new());
    for (_, row) in rows {
        let why = if row.file.as_ref().is_some_and(|file| !files.insert(file.clone())) {
            Some(LeftOut::SameFile)
        } else if row.file.is_none() && !said.insert((row.kind, row.text.clone(), ended(row.outcome))) {
            Some(LeftOut::Same)
        } else {
            None
        };
        match why {
            Some(why) => rest.push(Excluded { entry: row.entry, why }),
            None => best.push(row),
        }
    }
    (best, rest)
}

/// Whether it worked, as far as that distinguishes two runs of the same command.
const fn ended(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Unknown => 0,
        Outcome::Success => 1,
        Outcome::Failed { .. } => 2,
    }
}
