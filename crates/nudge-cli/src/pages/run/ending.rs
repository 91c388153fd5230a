//! What is shown below an answer: its sources and its cost.

use nudge_memory::runs::RunView;

use super::super::page::Page;
use super::{faint_lines, source, usage};

/// How many sources are listed.
const SOURCES: usize = 8;

/// Sources and cost. After an answer, a blank line comes first.
pub(crate) fn ending(page: &mut Page, view: &RunView, has_answer: bool) {
    if has_answer {
        page.end();
    }
    if has_answer && !view.sources.is_empty() {
        page.faint("Sources:").end();
        for one in view.sources.iter().take(SOURCES) {
            source(page, one);
        }
        if let Some(more) = view.sources.len().checked_sub(SOURCES).filter(|more| *more > 0) {
            page.faint(format!("  and {more} more; `nudge run show {}` lists them", view.run)).end();
        }
        if let Some(id) = view.sources.iter().take(SOURCES).find_map(|one| one.id) {
            page.faint(format!("  `nudge show {id}` reads #{id}")).end();
        }
    }
    if has_answer && view.sources.is_empty() {
        page.faint("no sources: the model saw nothing from memory or files for this").end();
    }
    cost(page, view);
}

/// What there is of a run that the user stopped.
pub(crate) fn aborted(page: &mut Page, view: &RunView, partial: &str) {
    if !partial.trim().is_empty() {
        page.faint("the model had said:").end();
        for line in partial.trim().lines() {
            page.text("  ").text(line).end();
        }
    }
    page.warning("aborted").text("; ").line(format!("`nudge run resume {}` goes on", view.run)).end();
    cost(page, view);
}

fn cost(page: &mut Page, view: &RunView) {
    let used = view.telemetry.as_ref().map(|used| format!(" · {}", usage(used))).unwrap_or_default();
    faint_lines(page, &format!("run {}{used}", view.run));
}
