//! A run in full: prompts and answers, history, sources, open questions and usage.

use nudge_core::text::width;
use nudge_memory::runs::{HistoryRow, RunAnswer, RunView};

use super::super::page::Page;
use super::super::time;
use super::super::words::field;
use super::live::is_failure;
use super::{faint_lines, source, state, usage};
use crate::fit::cut;

/// The maximum width of a target in the history.
const TARGET: usize = 40;

/// The whole run.
pub(crate) fn show(page: &mut Page, view: &RunView) {
    page.strong(&view.run).text("  ");
    state(page, view);
    page.end();
    facts(page, view);
    for one in &view.loops {
        page.end();
        prompt(page, one);
    }
    if let Some(waiting) = &view.waits_for {
        page.end().warning("waits for your answer:").text(" ").text(super::asked(waiting).join(" ")).end();
        page.text(format!("  `nudge run resume {}` asks you", view.run)).end();
    }
    history(page, &view.history);
    if !view.sources.is_empty() {
        page.end().faint("Sources:").end();
        for one in &view.sources {
            source(page, one);
        }
    }
    if !view.unknowns.is_empty() {
        page.end().faint("Open questions:").end();
        for one in &view.unknowns {
            let columns = page.columns();
            page.text("  ")
                .strong(&one.path)
                .text("  ")
                .text(cut(&one.body, columns, width(&one.path) + 4))
                .end();
        }
    }
    if let Some(used) = &view.telemetry {
        page.end();
        faint_lines(page, &usage(used));
    }
}

fn facts(page: &mut Page, view: &RunView) {
    field(page, "project", &view.project);
    field(page, "model", &view.model);
    if let Some(parent) = &view.parent {
        field(page, "forked from", parent);
    }
    field(page, "started", &time::short_of_text(&view.created_at));
    field(page, "changed", &time::short_of_text(&view.updated_at));
    if let Some(outcome) = &view.outcome {
        field(page, "outcome", outcome);
    }
}

/// A prompt with its answer, indented.
fn prompt(page: &mut Page, one: &RunAnswer) {
    for (place, line) in one.prompt.lines().enumerate() {
        let mark = if place == 0 { format!("{}. ", one.number) } else { "   ".to_owned() };
        page.faint(mark).strong(line).end();
    }
    for line in one.answer.trim_end().lines() {
        page.text(if line.is_empty() { "" } else { "   " }).text(line).end();
    }
    let is_answered = matches!(one.status, 200 | 204) && !one.answer.is_empty();
    if !is_answered {
        let reason = if one.reason.is_empty() { String::new() } else { format!(": {}", one.reason) };
        page.faint(format!("   {} {}{reason}", one.state, one.status)).end();
    }
}

/// What happened, turn by turn: status, tool, target and first line.
fn history(page: &mut Page, rows: &[HistoryRow]) {
    let shown: Vec<&HistoryRow> = rows.iter().filter(|row| row.tool != "prompt").collect();
    let tool = shown.iter().map(|row| width(&row.tool)).max().unwrap_or(0);
    let mut turn = None;
    for row in shown {
        if turn != Some(row.turn) {
            page.end().faint(format!("turn {}", row.turn)).end();
            turn = Some(row.turn);
        }
        happened(page, row, tool);
    }
}

fn happened(page: &mut Page, row: &HistoryRow, tool: usize) {
    let columns = page.columns();
    let status = row.status.to_string();
    page.text("  ");
    match row.status {
        202 => page.warning(status),
        _ if is_failure(row) => page.bad(status),
        _ => page.good(status),
    };
    page.text(format!("  {}{}", row.tool, " ".repeat(tool.saturating_sub(width(&row.tool)))));
    let mut used = 2 + 3 + 2 + tool;
    if !row.target.is_empty() {
        let target = cut(&row.target, page.at_most(TARGET), 0);
        used += 2 + width(&target);
        page.text("  ").strong(target);
    }
    let first = row.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if !first.is_empty() && first != row.target && columns > used + 14 {
        page.faint(format!("  {}", cut(first, columns, used + 2)));
    }
    page.end();
}
