//! A run while it works.

use std::time::Duration;

use nudge_core::text::one_line_of_chars;
use nudge_core::tokens;
use nudge_memory::runs::{HistoryRow, RunView};

use super::super::page::Page;
use super::super::words::grouped;
use crate::fit::cut;

/// The width of the tool's column.
const TOOL: usize = 8;

/// How much of a failure is shown.
const WHY: usize = 200;

/// Whether a user hears of this: not of the user's own prompt, not of thoughts, not of calls under
/// way, and not of the last update, which is the answer.
pub(crate) fn is_announced(row: &HistoryRow) -> bool {
    match row.tool.as_str() {
        "prompt" | "think" => false,
        "update" => row.status == 102 && !row.body.is_empty(),
        _ => !matches!(row.status, 100 | 102 | 202),
    }
}

/// One thing that happened: `  get     src/router.rs`, and why it failed.
pub(crate) fn happened(page: &mut Page, row: &HistoryRow) {
    let columns = page.columns();
    let about = if row.target.is_empty() { row.body.trim() } else { &row.target };
    page.text("  ");
    if row.tool == "error" {
        page.bad(format!("{:<TOOL$}", row.tool)).text(cut(&row.body, columns, TOOL + 2)).end();
        return;
    }
    let tool = TOOL.max(row.tool.len() + 2);
    page.faint(format!("{:<tool$}", row.tool)).text(cut(about, columns, tool + 2));
    if is_failure(row) {
        page.end().text(" ".repeat(tool + 2));
        page.bad(row.status.to_string()).text(" ").text(cut(&why(row), columns, tool + 6));
    }
    page.end();
}

/// Whether a call failed. An update says how the work stands, which is no failure.
pub(super) fn is_failure(row: &HistoryRow) -> bool {
    row.status >= 400 && row.tool != "update"
}

fn why(row: &HistoryRow) -> String {
    let said =
        if row.body.trim().is_empty() { row.outcome.as_deref().unwrap_or_default() } else { &row.body };
    one_line_of_chars(said, WHY)
}

/// The line that changes while a run works: `turn 2 · ≈310 tokens · 12 s`.
pub(crate) fn status(view: &RunView, since: Duration) -> String {
    let seconds = since.as_secs();
    let turn = match view.state.as_str() {
        "queued" => "queued".to_owned(),
        _ if view.turn == 0 => "starting".to_owned(),
        _ => format!("turn {}", view.turn),
    };
    let doing = if view.partial.is_empty() {
        format!("waiting for {}", view.model)
    } else {
        format!("≈{} tokens", grouped(u64::from(tokens::estimate(&view.partial).0)))
    };
    format!("{turn} · {doing} · {seconds} s")
}

/// The lines of a question that waits for the user.
pub(crate) fn asked(waiting: &HistoryRow) -> Vec<&str> {
    let (question, body) = (waiting.target.trim(), waiting.body.trim());
    let mut lines: Vec<&str> = body.lines().filter(|line| !line.trim().is_empty()).collect();
    if !question.is_empty() && !body.contains(question) {
        lines.insert(0, question);
    }
    lines
}

/// A question that waits for the user, with what to type.
pub(crate) fn question(page: &mut Page, waiting: &HistoryRow) {
    let lines = asked(waiting);
    for (place, line) in lines.iter().enumerate() {
        page.strong(if place == 0 { "question: " } else { "          " }).text(line).end();
    }
    page.faint("Type an answer and Enter; an empty line rejects the question.").end();
}
