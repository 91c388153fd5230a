//! Three views that are tables: sessions, proposals and injections.

use nudge_core::text::one_line;
use nudge_memory::inject::WhyInjection;
use nudge_memory::recall::ListedSession;
use nudge_memory::review::ProposalView;
use nudge_memory::statements::proposals::Action;
use ratatui::layout::Rect;

use super::canvas::Canvas;
use super::list::{self, Column, Table};
use crate::tui::clock::Clock;
use crate::tui::document::{self, Document, proposal_summary};
use crate::tui::state::State;
use crate::tui::styled::{Styled, Tone};

/// Below this width only the time and the goal are shown.
const SESSIONS_WIDE: u16 = 70;

pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let sessions = &state.sessions;
    let Some(selected) = sessions.selected() else {
        return empty(state, canvas, area);
    };
    let (above, below) = list::split(area, sessions.rows.len());
    let is_roomy = area.width >= SESSIONS_WIDE;
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

// The proposals that wait for the user.

/// Below this width only the action and the subject are shown.
const REVIEW_WIDE: u16 = 70;

pub(super) fn draw_review(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let proposals = &state.proposals;
    let Some(selected) = proposals.selected() else {
        let next = [
            "Changes that agents propose to your statements appear here, and",
            "instructions you gave them that seem meant to last.",
        ];
        return list::empty(canvas, area, &proposals.load, "Nothing to review.", &next);
    };
    let (above, below) = list::split(area, proposals.rows.len());
    let is_roomy = area.width >= REVIEW_WIDE;
    let table =
        Table { columns: &review_columns(is_roomy), count: proposals.rows.len(), cursor: proposals.cursor };
    table.draw(canvas, above, |index| review_cells(&proposals.rows[index], &state.clock, is_roomy));
    let document = Document::Proposal(Box::new(selected.clone()));
    let lines = document::lines(&document, &state.clock, usize::from(area.width));
    list::details(canvas, below, &format!("proposal {}", selected.id), &lines);
}

fn review_columns(is_roomy: bool) -> Vec<Column> {
    let mut review_columns = Vec::new();
    if is_roomy {
        review_columns.extend([Column::new("proposed", Clock::COLUMNS), Column::new("from", 12)]);
    }
    review_columns.extend([Column::new("action", 8), Column::new("what", 0)]);
    review_columns
}

fn review_cells(row: &ProposalView, clock: &Clock, is_roomy: bool) -> Vec<Styled> {
    let mut review_cells = Vec::new();
    if is_roomy {
        review_cells.push(Styled::faint(clock.short_text(&row.last_at)));
        review_cells.push(Styled::plain(proposal_source(row)));
    }
    review_cells.push(Styled::of(Tone::Warning, row.action.name()));
    review_cells.push(Styled::plain(one_line(&proposal_summary(row))));
    review_cells
}

/// The agent that proposed it, or the user for their own words.
fn proposal_source(row: &ProposalView) -> &str {
    match &row.client {
        Some(client) if row.action != Action::Remember => client,
        _ => "you",
    }
}

// The last injections: the context, its session, and why.

/// Below this width, the project and the omitted entries are not shown.
const WHY_WIDE: u16 = 70;

pub(super) fn draw_why(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let injections = &state.injections;
    let Some(selected) = injections.selected() else {
        return why_empty(state, canvas, area);
    };
    let (above, below) = list::split(area, injections.rows.len());
    let is_roomy = area.width >= WHY_WIDE;
    let why_columns = why_columns(is_roomy, state.all);
    let table = Table { columns: &why_columns, count: injections.rows.len(), cursor: injections.cursor };
    table.draw(canvas, above, |index| why_cells(&injections.rows[index], state, is_roomy));
    let document = Document::Injection(Box::new(selected.clone()));
    let lines = document::lines(&document, &state.clock, usize::from(area.width));
    list::details(canvas, below, &selected.session, &lines);
}

fn why_empty(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
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

fn why_columns(is_roomy: bool, all: bool) -> Vec<Column> {
    let mut why_columns =
        vec![Column::new("when", Clock::COLUMNS), Column::new("tokens", 6), Column::new("lines", 5)];
    if is_roomy {
        why_columns.push(Column::new("left out", 8));
        if all {
            why_columns.push(Column::new("project", 14));
        }
    }
    why_columns.extend([Column::new("on", 8), Column::new("session", 0)]);
    why_columns
}

fn why_cells(row: &WhyInjection, state: &State, is_roomy: bool) -> Vec<Styled> {
    let mut why_cells = vec![
        Styled::faint(state.clock.short_text(&row.at)),
        Styled::plain(format!("{:>6}", row.tokens)),
        Styled::plain(format!("{:>5}", row.lines)),
    ];
    if is_roomy {
        why_cells.push(Styled::plain(format!("{:>8}", row.left_out.len())));
        if state.all {
            why_cells.push(Styled::plain(row.project.as_deref().unwrap_or("-")));
        }
    }
    why_cells.extend([Styled::plain(&row.cause), Styled::plain(&row.session)]);
    why_cells
}
