//! The commands that sessions of a project run regularly: how it is built, checked and tested.

use std::collections::{HashMap, HashSet};

use nudge_context::Row;
use nudge_core::Fault;
use nudge_outcomes::shell::is_read_only;
use nudge_store::RecentRow;

use super::gathering::Gathering;

/// How many of the newest sessions are read, and how many commands of each.
const SESSIONS: usize = 12;
const STEPS: u32 = 40;

/// In how many of them a command must have run, as a number and as a fraction, and how many
/// commands are shown.
const LEAST: usize = 3;
const PART: usize = 5;
const SHOWN: usize = 2;

/// The longest command, in characters. A longer one is rarely repeated word for word.
const LONGEST: usize = 120;

/// The commands that ran in most of the newest sessions, each with its newest run. Commands that
/// only look at something are left out.
pub(super) fn commands(gathering: &Gathering<'_>) -> Result<Vec<Row>, Fault> {
    let request = gathering.request;
    let mut runs: HashMap<String, (usize, RecentRow)> = HashMap::new();
    let mut sessions = 0;
    for session in gathering.sessions.iter().filter(|session| !gathering.is_known(session.id)).take(SESSIONS)
    {
        let mut ran = HashSet::new();
        sessions += 1;
        for row in request.reader.commands_in_session(session.id, request.project, STEPS)? {
            if row.text.chars().count() > LONGEST || !ran.insert(row.text.clone()) {
                continue;
            }
            let run = runs.entry(row.text.clone()).or_insert_with(|| (0, row));
            run.0 += 1;
        }
    }
    let mut usual: Vec<(usize, RecentRow)> =
        runs.into_values().filter(|(times, _)| *times >= LEAST.max(sessions / PART)).collect();
    usual.sort_by(|(times, a), (others, b)| {
        others.cmp(times).then(b.at.cmp(&a.at)).then(b.entry.cmp(&a.entry))
    });
    let usual = usual.into_iter().filter(|(_, row)| !is_read_only(&row.text)).take(SHOWN);
    Ok(usual
        .map(|(times, row)| {
            let place = gathering.place(row.session);
            Row { often: Some((times, sessions)), ..gathering.row(row, place) }
        })
        .collect())
}
