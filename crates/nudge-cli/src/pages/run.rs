//! Runs as text: while they work, when they end, in a list, and in full.

use std::time::Duration;

use nudge_agent::runs::{HistoryRow, RunAnswer, RunList, RunSource, RunView, Telemetry};
use nudge_core::text::{first_chars, one_line, one_line_of_chars, one_line_of_columns, width, wrap};
use nudge_core::tokens;
use serde_json::Value;

use super::super::pages::time;
use super::super::pages::words::field;
use super::Page;
use super::words::{count, grouped};
use crate::pages::words::cut;

/// The columns that first words get at least; with less room they are left out.
const MIN_PREVIEW: usize = 20;

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
        if columns > used + MIN_PREVIEW && !source.preview.is_empty() {
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

// A run while it works.

/// The width of the tool's column.
const TOOL_WIDTH: usize = 8;

/// How much of a failure is shown.
const MAX_WHY: usize = 200;

/// Whether a user hears of this: not of the user's own prompt, not of thoughts, not of calls under
/// way, and not of the last update, which is the answer.
pub(crate) fn is_announced(row: &HistoryRow) -> bool {
    match row.tool.as_str() {
        "prompt" | "think" => false,
        "update" => row.status == 102 && !row.body.is_empty(),
        _ => !matches!(row.status, 100 | 102 | 202),
    }
}

/// Whether a row is an error that belongs to no call.
pub(crate) fn is_error(row: &HistoryRow) -> bool {
    row.tool == "error"
}

/// One thing that happened: `  get     src/router.rs`, and why it failed.
pub(crate) fn announce(page: &mut Page, row: &HistoryRow) {
    let columns = page.columns();
    let about = if row.target.is_empty() { row.body.trim() } else { &row.target };
    page.text("  ");
    if is_error(row) {
        page.bad(format!("{:<TOOL_WIDTH$}", row.tool)).text(cut(&row.body, columns, TOOL_WIDTH + 2)).end();
        return;
    }
    let tool = TOOL_WIDTH.max(row.tool.len() + 2);
    page.faint(format!("{:<tool$}", row.tool)).text(cut(about, columns, tool + 2));
    if is_failure(row) {
        page.end().text(" ".repeat(tool + 2));
        page.bad(row.status.to_string()).text(" ").text(cut(&why(row), columns, tool + 6));
    }
    page.end();
}

/// Whether a call failed. An update says how the work stands, which is no failure.
fn is_failure(row: &HistoryRow) -> bool {
    row.status >= 400 && row.tool != "update"
}

fn why(row: &HistoryRow) -> String {
    let said =
        if row.body.trim().is_empty() { row.outcome.as_deref().unwrap_or_default() } else { &row.body };
    one_line_of_chars(said, MAX_WHY)
}

/// How much of what the model is saying the line shows.
const SHOWN_CHARS: usize = 40;

/// The line that changes while a run works: `turn 2 · ≈310 tokens · 12 s · …accepts at most 8 KiB`.
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
    let text = one_line(&view.partial);
    let cut = text.chars().count().saturating_sub(SHOWN_CHARS);
    let end: String = text.chars().skip(cut).collect();
    let mark = if cut > 0 { "…" } else { "" };
    let said = if end.is_empty() { String::new() } else { format!(" · {mark}{end}") };
    format!("{turn} · {doing} · {seconds} s{said}")
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

/// What the user is asked to accept.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A change of files or entries.
    Change,
    /// A command.
    Command,
    /// A call of a plugin.
    Call,
}

impl Asked {
    /// What a row asks.
    pub(crate) fn of(row: &HistoryRow) -> Self {
        match row.tool.as_str() {
            "sh" | "env" => Self::Command,
            "mcp" => Self::Call,
            _ => Self::Change,
        }
    }
}

/// How many lines of a proposal are shown.
const MAX_PROPOSED_LINES: usize = 200;

/// What waits for the user: the diff, the exact command with its rights and what keeps it in, or
/// the call of a plugin with its exact arguments.
pub(crate) fn proposal(page: &mut Page, waiting: &HistoryRow, facts: &Value) {
    let asked = Asked::of(waiting);
    if asked != Asked::Change {
        match asked {
            Asked::Call => {
                page.strong("call: ").line(format!("{} {}", waiting.target, waiting.body.trim())).end()
            }
            _ => page.strong("run: ").line(waiting.body.trim()).end(),
        };
        let rights: Vec<&str> =
            facts["rights"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !rights.is_empty() {
            page.text("     ").warning(format!("it asks for: {}", rights.join(", "))).end();
        }
        if let Some(sandbox) = facts["sandbox"].as_str().filter(|sandbox| !sandbox.is_empty()) {
            page.text("     ").faint(sandbox).end();
        }
        return;
    }
    page.strong("change: ").line(&waiting.target).end();
    let lines: Vec<&str> = waiting.body.trim_end().lines().collect();
    for line in lines.iter().take(MAX_PROPOSED_LINES) {
        match line.chars().next() {
            Some('+') => page.good(*line),
            Some('-') => page.bad(*line),
            _ => page.text(*line),
        };
        page.end();
    }
    if let Some(more) = lines.len().checked_sub(MAX_PROPOSED_LINES).filter(|more| *more > 0) {
        page.faint(format!("and {more} more lines; `nudge review` shows all")).end();
    }
}

/// The keys that decide.
pub(crate) fn keys(page: &mut Page, asked: Asked) {
    page.strong("y").text(" accept  ").strong("n").text(" reject, stop  ").strong("e").text(" edit  ");
    page.strong("r").text(" say why not  ");
    match asked {
        Asked::Command => page.strong("p").text(" accept all of this program").end(),
        Asked::Call => page.strong("t").text(" accept all calls of this tool").end(),
        Asked::Change => page.strong("a").text(" accept all edits").end(),
    };
}

/// Output of a command, as it comes.
pub(crate) fn output(page: &mut Page, text: &str) {
    for line in text.lines() {
        page.faint("  | ").line(line).end();
    }
}

// A run in full: prompts and answers, history, sources, open questions and usage.

/// The maximum width of a target in the history.
const TARGET_WIDTH: usize = 40;

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
        page.end().warning("waits for your answer:").text(" ").text(asked(waiting).join(" ")).end();
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
        let target = cut(&row.target, page.at_most(TARGET_WIDTH), 0);
        used += 2 + width(&target);
        page.text("  ").strong(target);
    }
    let first = row.body.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if !first.is_empty() && first != row.target && columns > used + 14 {
        page.faint(format!("  {}", cut(first, columns, used + 2)));
    }
    page.end();
}

// A run turn by turn, for people who ask why it went as it went.

/// How many characters of a body are shown.
const MAX_BODY: usize = 120;

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
            let shown = first_chars(&row.body, MAX_BODY);
            let more = if shown.len() < row.body.len() { "…" } else { "" };
            page.text("    ").line(format!("{shown}{more}")).end();
        }
    }
    if view.history.is_empty() {
        page.text("nothing has happened yet").end();
    }
}

// Runs in a list, newest first.

/// The maximum width of a name, and of a project.
const MAX_NAME: usize = 32;

const MAX_PROJECT: usize = 16;

/// The longest list.
const MAX_RUNS: usize = 200;

/// Two lines for each run: how it stands, and what it was asked.
pub(crate) fn list(page: &mut Page, answer: &RunList, all: bool) {
    if answer.runs.is_empty() {
        let place = if all { "" } else { " in this project; --all looks at all projects" };
        page.text(format!("no runs{place}")).end();
        if all {
            page.text("ask a model something with `nudge ask`").end();
        }
    }
    for view in &answer.runs {
        one(page, view, all);
    }
    if answer.more {
        let most = (answer.runs.len() * 2).min(MAX_RUNS);
        page.faint(format!("there are more; `--limit {most}` shows them")).end();
    }
}

fn one(page: &mut Page, view: &RunView, all: bool) {
    let columns = page.columns();
    let name = one_line_of_columns(&view.run, page.at_most(MAX_NAME));
    let at = time::short_of_text(&view.updated_at);
    let standing = format!("{} {}", view.state, view.status);
    let mut used = width(&name) + 2 + width(&standing) + 2 + width(&at);
    page.strong(name).text("  ");
    state(page, view);
    page.faint(format!("  {at}"));
    if all {
        let project = one_line_of_columns(&view.project, page.at_most(MAX_PROJECT));
        used += 5 + width(&project);
        page.faint("  in ").text(project);
    }
    if let Some(rest) = columns.checked_sub(used + 2).filter(|rest| *rest > 0) {
        page.text("  ").text(one_line_of_columns(&list_facts(view), rest));
    }
    page.end();
    let prompt = view.loops.last().map_or("(no prompt)", |one| &one.prompt);
    page.text("  ").text(cut(prompt, columns, 2)).end();
}

/// `local, 3 turns, $0.0021`.
fn list_facts(view: &RunView) -> String {
    let used = view.telemetry.as_ref();
    let turns = used.map_or(u64::from(view.turn), |used| used.turns);
    let turns = count(i64::try_from(turns).unwrap_or(i64::MAX), "turn");
    let cost = used.and_then(|used| used.cost_usd).map(dollars);
    [Some(turns), cost, Some(view.model.clone())].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

// What is shown below an answer: its sources and its cost.

/// How many sources are listed.
const MAX_SOURCES: usize = 8;

/// Sources and cost. After an answer, a blank line comes first.
pub(crate) fn ending(page: &mut Page, view: &RunView, has_answer: bool) {
    if has_answer {
        page.end();
    }
    if has_answer && !view.sources.is_empty() {
        page.faint("Sources:").end();
        for one in view.sources.iter().take(MAX_SOURCES) {
            source(page, one);
        }
        if let Some(more) = view.sources.len().checked_sub(MAX_SOURCES).filter(|more| *more > 0) {
            page.faint(format!("  and {more} more; `nudge run show {}` lists them", view.run)).end();
        }
        if let Some(id) = view.sources.iter().take(MAX_SOURCES).find_map(|one| one.id) {
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

#[cfg(test)]
mod tests;
