//! The query and its results.

use nudge_core::text::{one_line, width};
use nudge_memory::recall::{SearchAnswer, SearchRow, Withheld};
use ratatui::layout::{Position, Rect};

use super::canvas::Canvas;
use super::list::{self, Column, Table};
use crate::pages::words::whom;
use crate::sanitize::sanitize_line;
use crate::tui::clock::Clock;
use crate::tui::state::{Load, State};
use crate::tui::styled::{Styled, Tone};

const PROMPT: &str = "search: ";

/// Below this width only kind and text are shown.
const MIN_WIDTH_FOR_TIME: u16 = 70;

/// Draws the view. Returns the cursor position.
pub(super) fn draw(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Position {
    let cursor = query(state, canvas, area);
    let area = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    match &state.search.found {
        Some(found) if !found.results.is_empty() => results(state, found, canvas, area),
        Some(found) => none(state, found, canvas, area),
        None => invite(state, canvas, area),
    }
    cursor
}

/// The end of the query stays visible, however long the query is.
fn query(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Position {
    let room = usize::from(area.width).saturating_sub(PROMPT.len() + 1);
    let typed = sanitize_line(&state.search.query);
    let mut end = typed.as_str();
    while width(end) > room {
        let first = end.chars().next().map_or(0, char::len_utf8);
        end = &end[first..];
    }
    canvas.put(area, 0, 0, &Styled::of(Tone::Accent, PROMPT).and(Tone::Strong, end));
    let x = PROMPT.len() + width(end);
    Position { x: area.x + u16::try_from(x).unwrap_or_default(), y: area.y }
}

fn results(state: &State, found: &SearchAnswer, canvas: &mut Canvas<'_>, area: Rect) {
    let (above, below) = list::split(area, found.results.len());
    let is_roomy = area.width >= MIN_WIDTH_FOR_TIME;
    let columns = columns(is_roomy, state.all);
    let table = Table { columns: &columns, count: found.results.len(), cursor: state.search.cursor };
    table.draw(canvas, above, |index| cells(&found.results[index], state, is_roomy));
    if let Some(row) = state.search.selected() {
        let lines = facts(row, found, state.all, usize::from(area.width));
        list::details(canvas, below, &format!("#{}", row.id), &lines);
    }
}

fn columns(is_roomy: bool, all: bool) -> Vec<Column> {
    let mut columns = Vec::new();
    if is_roomy {
        columns.push(Column::new("when", Clock::COLUMNS));
    }
    columns.push(Column::new("kind", 13));
    if is_roomy && all {
        columns.push(Column::new("project", 14));
    }
    columns.push(Column::new("text", 0));
    columns
}

fn cells(row: &SearchRow, state: &State, is_roomy: bool) -> Vec<Styled> {
    let mut cells = Vec::new();
    if is_roomy {
        cells.push(Styled::faint(state.clock.short(row.timestamp)));
    }
    let tone = if row.obs_type == "command_error" { Tone::Bad } else { Tone::Plain };
    cells.push(Styled::of(tone, &row.obs_type));
    if is_roomy && state.all {
        cells.push(Styled::plain(row.project.as_deref().unwrap_or("-")));
    }
    let tone = if row.partial { Tone::Faint } else { Tone::Plain };
    let text = row.answer.as_ref().map_or(&row.content_preview, |answer| &answer.text);
    cells.push(Styled::of(tone, one_line(text)));
    cells
}

/// More of the selected result, and notes about the search.
fn facts(row: &SearchRow, found: &SearchAnswer, all: bool, columns: usize) -> Vec<Styled> {
    let answer = row.answer.iter().flat_map(|answer| answer.text.lines());
    let mut lines: Vec<Styled> = answer
        .chain(row.content_preview.lines())
        .flat_map(|line| Styled::plain(line).wrapped(columns, 2))
        .take(6)
        .collect();
    lines.push(Styled::default());
    let mut add = |name: &str, text: &str| {
        lines.extend(Styled::faint(format!("{name:<10}")).and(Tone::Plain, text).wrapped(columns, 10));
    };
    add("matches", &row.why.replace("title:", ""));
    let facts = [("file", &row.file_path), ("session", &row.session_id), ("then", &row.followed)];
    for (name, text) in facts.iter().filter_map(|(name, text)| Some((name, text.as_deref()?))) {
        add(name, text);
    }
    if let Some(by) = &row.stated_by {
        add("stated by", &whom(by));
    }
    for note in notes(found, all) {
        lines.push(Styled::default());
        lines.extend(Styled::faint(note).wrapped(columns, 0));
    }
    lines
}

fn none(state: &State, found: &SearchAnswer, canvas: &mut Canvas<'_>, area: Rect) {
    let title = if state.all { "Nothing found." } else { "Nothing found in this project." };
    let notes = notes(found, state.all);
    let mut next: Vec<&str> = notes.iter().map(String::as_str).collect();
    if next.is_empty() {
        next.push("Try fewer words, or the beginning of one, such as `migr*`.");
    }
    list::empty(canvas, area, settled(state), title, &next);
}

fn invite(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let next = [
        "Prompts, commands and their errors, edits, commits, statements: all of it is searched.",
        "Use plain words, \"a phrase\", prefix*, AND, OR, NOT and parentheses.",
    ];
    list::empty(canvas, area, settled(state), "Type to search.", &next);
}

/// While the next answer is pending, the last one stays. A syntax error is only in the status line.
fn settled(state: &State) -> &Load {
    match &state.search.load {
        Load::Failed(problem) if !problem.is_syntax => &state.search.load,
        _ => &Load::Ready,
    }
}

fn notes(found: &SearchAnswer, all: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if found.relaxed && !found.results.is_empty() {
        notes.push("Nothing has all of these words; these results have some.".to_owned());
    }
    let meant = found.did_you_mean.iter();
    notes.extend(meant.map(|(typed, meant)| format!("Nothing has `{typed}`; did you mean `{meant}`?")));
    if !all && let Some(rest) = &found.withheld {
        notes.push(elsewhere(rest));
    }
    notes
}

fn elsewhere(rest: &Withheld) -> String {
    let least = if rest.at_least { "At least " } else { "" };
    let verb = if rest.count == 1 { "matches" } else { "match" };
    format!("{least}{} {verb} in other projects; press ^P to see them.", rest.count)
}
