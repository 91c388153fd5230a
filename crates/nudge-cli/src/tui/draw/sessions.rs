//! The sessions, newest first.

use nudge_core::text::one_line;
use nudge_memory::recall::ListedSession;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::list::{self, Column, Table};
use crate::tui::clock::Clock;
use crate::tui::state::State;
use crate::tui::styled::{Styled, Tone};

/// Below this width only the time and the goal are shown.
const ROOMY: u16 = 70;

pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let sessions = &state.sessions;
    let Some(selected) = sessions.selected() else {
        return empty(state, canvas, area);
    };
    let (above, below) = list::split(area, sessions.rows.len());
    let is_roomy = area.width >= ROOMY;
    let columns = columns(is_roomy, state.all);
    let table = Table { columns: &columns, count: sessions.rows.len(), cursor: sessions.cursor };
    table.draw(canvas, above, |index| cells(&sessions.rows[index], state, is_roomy));
    let lines = facts(selected, &state.clock, usize::from(area.width));
    list::details(canvas, below, &selected.session_id, &lines);
}

fn empty(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let (title, next): (&str, &[&str]) = if state.all {
        (
            "No sessions yet.",
            &["Run `nudge install` to connect your agents; their next session appears here."],
        )
    } else {
        (
            "No sessions in this project yet.",
            &["Press p to see all projects.", "Run `nudge install` to connect your agents, if you have not."],
        )
    };
    list::empty(canvas, area, &state.sessions.load, title, next);
}

fn columns(is_roomy: bool, all: bool) -> Vec<Column> {
    let mut columns = vec![Column::new("last active", Clock::COLUMNS)];
    if is_roomy {
        columns.extend([Column::new("agent", 11), Column::new("state", 9)]);
        if all {
            columns.push(Column::new("project", 14));
        }
    }
    columns.push(Column::new("goal", 0));
    columns
}

fn cells(row: &ListedSession, state: &State, is_roomy: bool) -> Vec<Styled> {
    let mut cells = vec![Styled::faint(state.clock.short(row.timestamp))];
    if is_roomy {
        cells.push(Styled::plain(&row.agent));
        cells.push(Styled::of(state_tone(&row.ended), &row.ended));
        if state.all {
            cells.push(Styled::plain(row.project.as_deref().unwrap_or("-")));
        }
    }
    let name = row.name.as_deref().map(|name| format!("{name}: ")).unwrap_or_default();
    cells.push(Styled::of(Tone::Accent, name).and(Tone::Plain, goal(row)));
    cells
}

fn goal(row: &ListedSession) -> String {
    row.goal.as_deref().map_or_else(|| "(no prompt)".to_owned(), one_line)
}

fn state_tone(ended: &str) -> Tone {
    match ended {
        "open" => Tone::Good,
        "ended" => Tone::Faint,
        _ => Tone::Warning,
    }
}

/// The facts about a session that need no trace.
fn facts(row: &ListedSession, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = Styled::strong(goal(row)).wrapped(columns, 0);
    lines.truncate(4);
    lines.push(Styled::default());
    let mut add = |name: &str, text: String| {
        lines.extend(Styled::faint(format!("{name:<10}")).and(Tone::Plain, text).wrapped(columns, 10));
    };
    add("agent", row.agent.clone());
    if let Some(project) = &row.project {
        add("project", project.clone());
    }
    add("started", clock.short_text(&row.started_at).trim().to_owned());
    if !row.files.is_empty() {
        let more = if row.more_files > 0 { format!(" and {} more", row.more_files) } else { String::new() };
        add("changed", format!("{}{more}", row.files.join(", ")));
    }
    if row.commits > 0 {
        add("commits", row.commits.to_string());
    }
    lines
}
