//! Which rows are worth telling, best first.

use std::collections::HashSet;

use nudge_core::Timestamp;

use crate::fragment::{Row, Where};

/// How much age and how much the sort of thing weigh.
const RECENCY: f64 = 0.6;
const KIND: f64 = 0.4;

/// Work that this session may not be able to see ranks below its own.
const ASIDE: f64 = 0.5;

const WEEK_MS: f64 = 7.0 * 24.0 * 60.0 * 60.0 * 1_000.0;

/// How much a row says about what goes on here, from 0 to 1.
pub(crate) fn score(row: &Row, now: Timestamp) -> f64 {
    let age = now.as_millis().saturating_sub(row.at.as_millis()).max(0) as f64;
    let score = RECENCY * 0.5_f64.powf(age / WEEK_MS) + KIND * row.kind.weight();
    match row.place {
        Where::Here | Where::Project(_) => score,
        Where::Worktree(_) | Where::Parallel => score * ASIDE,
    }
}

/// The rows best first, pinned ones before all others; of rows about one file the best, with those it stands for apart.
pub(crate) fn ranked(rows: Vec<Row>, now: Timestamp) -> (Vec<Row>, Vec<Row>) {
    let mut rows: Vec<(f64, Row)> = rows.into_iter().map(|row| (score(&row, now), row)).collect();
    rows.sort_by(|(one, a), (other, b)| {
        b.pinned.cmp(&a.pinned).then(other.total_cmp(one)).then(b.entry.cmp(&a.entry))
    });
    let mut files = HashSet::new();
    rows.into_iter()
        .map(|(_, row)| row)
        .partition(|row| row.file.as_ref().is_none_or(|file| files.insert(file.clone())))
}
