//! A run turn by turn, for people who ask why it went as it went.

use nudge_core::text::first_chars;
use nudge_memory::runs::RunView;

use super::super::page::Page;

/// How many characters of a body are shown.
const BODY: usize = 120;

/// For each record `tool:status path {attributes}`, and below it the first 120 characters of its
/// body.
pub(crate) fn turns(page: &mut Page, view: &RunView) {
    let mut turn = None;
    for row in &view.history {
        if turn != Some(row.turn) {
            page.strong(format!("turn {}", row.turn)).end();
            turn = Some(row.turn);
        }
        page.line(format!("  {}:{} {} {}", row.tool, row.status, row.record, row.attributes)).end();
        if !row.body.is_empty() {
            let shown = first_chars(&row.body, BODY);
            let more = if shown.len() < row.body.len() { "…" } else { "" };
            page.text("    ").line(format!("{shown}{more}")).end();
        }
    }
    if view.history.is_empty() {
        page.text("nothing has happened yet").end();
    }
}
