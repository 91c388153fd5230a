//! The last injections: the context, its session, and why.

use nudge_memory::inject::WhyInjection;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::list::{self, Column, Table};
use crate::tui::clock::Clock;
use crate::tui::document::{self, Document};
use crate::tui::state::State;
use crate::tui::styled::Styled;

/// Below this width, the project and the omitted entries are not shown.
const ROOMY: u16 = 70;

pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let injections = &state.injections;
    let Some(selected) = injections.selected() else {
        return empty(state, canvas, area);
    };
    let (above, below) = list::split(area, injections.rows.len());
    let is_roomy = area.width >= ROOMY;
    let columns = columns(is_roomy, state.all);
    let table = Table { columns: &columns, count: injections.rows.len(), cursor: injections.cursor };
    table.draw(canvas, above, |index| cells(&injections.rows[index], state, is_roomy));
    let document = Document::Injection(Box::new(selected.clone()));
    let lines = document::lines(&document, &state.clock, usize::from(area.width));
    list::details(canvas, below, &selected.session, &lines);
}

fn empty(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (title, next): (&str, &[&str]) = if state.all {
        ("Nothing was injected yet.", &["Run `nudge install` to connect your agents."])
    } else {
        (
            "Nothing was injected in this project yet.",
            &[
                "Press p to see all projects. `nudge context` previews what a new session would get.",
                "Run `nudge install` to connect your agents, if you have not.",
            ],
        )
    };
    list::empty(canvas, area, &state.injections.load, title, next);
}

fn columns(is_roomy: bool, all: bool) -> Vec<Column> {
    let mut columns =
        vec![Column::new("when", Clock::COLUMNS), Column::new("tokens", 6), Column::new("lines", 5)];
    if is_roomy {
        columns.push(Column::new("left out", 8));
        if all {
            columns.push(Column::new("project", 14));
        }
    }
    columns.extend([Column::new("on", 8), Column::new("session", 0)]);
    columns
}

fn cells(row: &WhyInjection, state: &State, is_roomy: bool) -> Vec<Styled> {
    let mut cells = vec![
        Styled::faint(state.clock.short_text(&row.at)),
        Styled::plain(format!("{:>6}", row.tokens)),
        Styled::plain(format!("{:>5}", row.lines)),
    ];
    if is_roomy {
        cells.push(Styled::plain(format!("{:>8}", row.left_out.len())));
        if state.all {
            cells.push(Styled::plain(row.project.as_deref().unwrap_or("-")));
        }
    }
    cells.extend([Styled::plain(&row.cause), Styled::plain(&row.session)]);
    cells
}
