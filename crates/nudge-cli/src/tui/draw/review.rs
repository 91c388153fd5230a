//! The proposals that wait for the user.

use nudge_core::text::one_line;
use nudge_memory::review::ProposalView;
use nudge_memory::statements::proposals::Action;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::list::{self, Column, Table};
use crate::tui::clock::Clock;
use crate::tui::document::{self, Document, proposal_summary};
use crate::tui::state::State;
use crate::tui::styled::{Styled, Tone};

/// Below this width only the action and the subject are shown.
const ROOMY: u16 = 70;

pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let proposals = &state.proposals;
    let Some(selected) = proposals.selected() else {
        let next = [
            "Changes that agents propose to your statements appear here, and",
            "instructions you gave them that seem meant to last.",
        ];
        return list::empty(canvas, area, &proposals.load, "Nothing to review.", &next);
    };
    let (above, below) = list::split(area, proposals.rows.len());
    let is_roomy = area.width >= ROOMY;
    let table = Table { columns: &columns(is_roomy), count: proposals.rows.len(), cursor: proposals.cursor };
    table.draw(canvas, above, |index| cells(&proposals.rows[index], &state.clock, is_roomy));
    let document = Document::Proposal(Box::new(selected.clone()));
    let lines = document::lines(&document, &state.clock, usize::from(area.width));
    list::details(canvas, below, &format!("proposal {}", selected.id), &lines);
}

fn columns(is_roomy: bool) -> Vec<Column> {
    let mut columns = Vec::new();
    if is_roomy {
        columns.extend([Column::new("proposed", Clock::COLUMNS), Column::new("from", 12)]);
    }
    columns.extend([Column::new("action", 8), Column::new("what", 0)]);
    columns
}

fn cells(row: &ProposalView, clock: &Clock, is_roomy: bool) -> Vec<Styled> {
    let mut cells = Vec::new();
    if is_roomy {
        cells.push(Styled::faint(clock.short_text(&row.last_at)));
        cells.push(Styled::plain(from(row)));
    }
    cells.push(Styled::of(Tone::Warning, row.action.name()));
    cells.push(Styled::plain(one_line(&proposal_summary(row))));
    cells
}

/// The agent that proposed it, or the user for their own words.
fn from(row: &ProposalView) -> &str {
    match &row.client {
        Some(client) if row.action != Action::Remember => client,
        _ => "you",
    }
}
