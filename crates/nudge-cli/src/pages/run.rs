//! Runs as text: while they work, when they end, in a list, and in full.

mod ending;
mod list;
mod live;
mod show;
#[cfg(test)]
mod tests;
mod turns;

use nudge_core::text::{width, wrap};
use nudge_memory::runs::{RunSource, RunView, Telemetry};

use super::page::Page;
use super::words::{count, grouped};
use crate::fit::cut;

pub(crate) use ending::{aborted, ending};
pub(crate) use list::list;
pub(crate) use live::{asked, happened, is_announced, question, status};
pub(crate) use show::show;
pub(crate) use turns::turns;

/// The columns that first words get at least; with less room they are left out.
const PREVIEW_LEAST: usize = 20;

/// How much a run has used: `3 turns · 4,120 tokens in, 310 out · $0.0021`.
fn usage(used: &Telemetry) -> String {
    let number = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let estimated = if used.estimated { " (estimated)" } else { "" };
    let mut parts = vec![
        count(number(used.turns), "turn"),
        format!(
            "{} tokens in{estimated}, {} out",
            grouped(used.prompt_tokens),
            grouped(used.completion_tokens)
        ),
    ];
    parts.extend(used.cost_usd.map(dollars));
    if used.errors > 0 {
        parts.push(format!("{} with errors", count(number(used.errors), "turn")));
    }
    if used.healed > 0 {
        parts.push(format!("{} healed", count(number(used.healed), "fault")));
    }
    parts.join(" · ")
}

/// A cost. Most are a fraction of a cent.
fn dollars(cost: f64) -> String {
    if cost == 0.0 {
        return "$0".to_owned();
    }
    if cost < 1.0 { format!("${cost:.4}") } else { format!("${cost:.2}") }
}

/// Less important text, wrapped to the page.
fn faint_lines(page: &mut Page, text: &str) {
    for line in wrap(text, page.columns()) {
        page.faint(line).end();
    }
}

/// One source on a line: its path, and the id and first words of an entry. Those that the answer
/// names stand out.
fn source(page: &mut Page, source: &RunSource) {
    page.text("  ");
    if source.cited {
        page.strong(&source.path);
    } else {
        page.text(&source.path);
    }
    if let Some(id) = source.id {
        let columns = page.columns();
        let id = format!("  #{id}");
        let used = 2 + width(&source.path) + width(&id) + 2;
        page.faint(&id);
        if columns > used + PREVIEW_LEAST && !source.preview.is_empty() {
            page.faint(format!("  {}", cut(&source.preview, columns, used)));
        }
    }
    page.end();
}

/// The state with its number: `completed 200`.
fn state(page: &mut Page, view: &RunView) {
    let text = format!("{} {}", view.state, view.status);
    match view.status {
        200 | 204 => page.good(text),
        202 => page.warning(text),
        100..=199 => page.text(text),
        _ => page.bad(text),
    };
}
