//! Entries in a table.

use nudge_core::text::width;
use nudge_memory::entries::EntryView;

use super::super::page::Page;
use super::super::words::whom;
use super::about;
use crate::fit::cut;

/// The titles of the columns.
const TITLES: [&str; 5] = ["PATH", "STATE", "VISIBILITY", "TOKENS", "FROM"];

/// The columns that a path gets at least.
const PATH_LEAST: usize = 12;

/// The columns that the source of an entry gets at most, while a path is cut.
const FROM_MOST: usize = 24;

/// The blanks between two columns.
const GAP: usize = 2;

/// One line for each entry: path, state, visibility, tokens and who wrote it.
pub(crate) fn table(page: &mut Page, entries: &[EntryView]) {
    let rows: Vec<[String; 5]> = entries.iter().map(row).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| width(&row[column]));
        cells.chain([width(TITLES[column])]).max().unwrap_or(0)
    };
    let middle: usize = (1..4).map(|column| widest(column) + GAP).sum();
    let beside = middle + GAP + widest(4).min(FROM_MOST);
    let room = page.columns().saturating_sub(beside).max(PATH_LEAST);
    let widths = [widest(0).min(room), widest(1), widest(2), widest(3)];
    let head = line(page.columns(), &TITLES.map(str::to_owned), widths);
    page.faint(format!("{}{}", head.0, head.1)).end();
    for row in &rows {
        let (path, rest) = line(page.columns(), row, widths);
        page.strong(path).text(rest).end();
    }
}

fn row(entry: &EntryView) -> [String; 5] {
    let state = match &entry.outcome {
        Some(outcome) => format!("{} ({outcome})", entry.state),
        None => entry.state.clone(),
    };
    [
        entry.path.clone(),
        state,
        entry.visibility.clone().unwrap_or_else(|| "-".to_owned()),
        format!("{}{}", about(entry.tokens), entry.tokens.visible),
        whom(&entry.stated_by),
    ]
}

/// The path, and everything after it.
fn line(columns: usize, cells: &[String; 5], widths: [usize; 4]) -> (String, String) {
    let path = if width(&cells[0]) > widths[0] { cut(&cells[0], widths[0], 0) } else { cells[0].clone() };
    let mut rest = " ".repeat(widths[0].saturating_sub(width(&path)));
    for column in 1..3 {
        rest.push_str(&" ".repeat(GAP));
        rest.push_str(&padded(&cells[column], widths[column]));
    }
    // Numbers stand at the right of their column.
    rest.push_str(&" ".repeat(GAP + widths[3].saturating_sub(width(&cells[3]))));
    rest.push_str(&cells[3]);
    rest.push_str(&" ".repeat(GAP));
    let used = width(&path) + width(&rest);
    rest.push_str(&cut(&cells[4], columns, used));
    rest.truncate(rest.trim_end().len());
    (path, rest)
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
