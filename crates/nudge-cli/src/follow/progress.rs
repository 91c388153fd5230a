//! What a run does, on standard error: a line for everything that happened, and on a terminal one
//! line that changes.

use std::collections::BTreeSet;
use std::time::Instant;

use nudge_memory::runs::{HistoryRow, RunView};

use crate::invocation::Invocation;
use crate::output::Output;
use crate::pages::run;

/// What was shown of a run.
pub(super) struct Progress<'i> {
    invocation: &'i Invocation,
    is_silent: bool,
    has_status: bool,
    began: Instant,
    shown: BTreeSet<String>,
    turn: u32,
}

impl<'i> Progress<'i> {
    /// Everything that happened in `known` counts as shown.
    pub(super) fn new(invocation: &'i Invocation, is_silent: bool, known: Option<&RunView>) -> Self {
        let rows = known.into_iter().flat_map(|view| &view.history);
        Self {
            invocation,
            is_silent,
            has_status: !is_silent && Output::has_status_line(),
            began: Instant::now(),
            shown: rows.filter(|row| run::is_announced(row)).map(|row| row.record.clone()).collect(),
            turn: known.map_or(0, |view| view.turn),
        }
    }

    /// Shows what is new.
    pub(super) fn show(&mut self, view: &RunView) {
        if self.is_silent {
            return;
        }
        let is_new = |row: &&HistoryRow| run::is_announced(row) && !self.shown.contains(&row.record);
        let new: Vec<&HistoryRow> = view.history.iter().filter(is_new).collect();
        if !new.is_empty() {
            self.clear();
        }
        for row in new {
            let heading = (row.turn > self.turn).then_some(row.turn);
            self.turn = self.turn.max(row.turn);
            self.shown.insert(row.record.clone());
            self.invocation.output.aside(|page| {
                if let Some(turn) = heading {
                    page.faint(format!("turn {turn}")).end();
                }
                run::happened(page, row);
            });
        }
        if self.has_status {
            let status = run::status(view, self.began.elapsed());
            self.invocation.output.status_line(Some(&status));
        }
    }

    /// Removes the line that changes.
    pub(super) fn clear(&self) {
        if self.has_status {
            self.invocation.output.status_line(None);
        }
    }
}
