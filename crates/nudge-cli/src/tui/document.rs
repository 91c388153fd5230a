//! A row in full: a session, an entry, a proposal or an injection, as lines to read.

mod proposal;

use nudge_core::text::one_line;
use nudge_memory::inject::{WhyInjection, WhyLine};
use nudge_memory::recall::{Observation, SessionTraceAnswer, TraceRow, TracedPrompt};
use nudge_memory::review::ProposalView;
use serde_json::Value;

use super::clock::Clock;
use super::styled::Styled;
use crate::pages::metadata;
use crate::pages::words::{count, whom};
use crate::tui::styled::{Tone, field};

pub(super) use proposal::{is_cut as is_proposal_cut, summary as proposal_summary};

/// A document to read.
#[derive(Clone, Debug)]
pub(super) enum Document {
    Trace(Box<SessionTraceAnswer>),
    Entry(Box<Observation>),
    Proposal(Box<ProposalView>),
    Injection(Box<WhyInjection>),
}

/// Its lines, none wider than `columns`.
pub(super) fn lines(document: &Document, clock: &Clock, columns: usize) -> Vec<Styled> {
    match document {
        Document::Trace(trace) => trace_lines(trace, clock, columns),
        Document::Entry(entry) => entry_lines(entry, clock, columns),
        Document::Proposal(proposal) => proposal::lines(proposal, clock, columns),
        Document::Injection(injection) => injection_lines(injection, clock, columns),
    }
}

/// Metadata that is shown as separate text, with its heading.
const SEPARATE_TEXTS: [(&str, &str); 4] = [
    ("description", "Description"),
    ("response", "Output"),
    ("changed", "Change"),
    ("commit_message", "Message"),
];

fn entry_lines(entry: &Observation, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut entry_lines = field("entry", Tone::Strong, &format!("#{} {}", entry.id, entry.obs_type), columns);
    entry_lines.extend(field("when", Tone::Plain, &clock.long(entry.timestamp), columns));
    let facts = [
        ("project", &entry.project),
        ("session", &entry.session_id),
        ("tool", &entry.tool_name),
        ("file", &entry.file_path),
    ];
    for (name, text) in facts.iter().filter_map(|(name, text)| Some((name, text.as_deref()?))) {
        entry_lines.extend(field(name, Tone::Plain, text, columns));
    }
    if let Some(by) = &entry.stated_by {
        entry_lines.extend(field("stated by", Tone::Plain, &whom(by), columns));
    }
    for (name, text) in metadata::facts(entry) {
        entry_lines.extend(field(&format!("{} ", name.replace('_', " ")), Tone::Plain, &text, columns));
    }
    entry_lines.push(Styled::default());
    entry_lines.extend(text_lines(&entry.content, columns));
    // The text of a summary repeats its metadata.
    if metadata::is_summary(entry) {
        return entry_lines;
    }
    for (name, title) in SEPARATE_TEXTS {
        if let Some(text) = entry.metadata.get(name).and_then(Value::as_str) {
            entry_lines.push(Styled::default());
            entry_lines.push(Styled::strong(title));
            entry_lines.extend(text_lines(text, columns));
        }
    }
    entry_lines
}

fn text_lines(text: &str, columns: usize) -> Vec<Styled> {
    text.lines().flat_map(|line| Styled::plain(line).wrapped(columns, 2)).collect()
}

// An injection: its lines, why each is there, what it cost and what was left out.

/// The columns before the text of a line: tokens and number.
const FIELD_INDENT: usize = 14;

fn injection_lines(injection: &WhyInjection, clock: &Clock, columns: usize) -> Vec<Styled> {
    let cost = format!("{}, {} tokens", count(i64::from(injection.lines), "line"), injection.tokens);
    let mut injection_lines = field("injected", Tone::Strong, &cost, columns);
    let when = format!("{}, on {}", clock.short_text(&injection.at).trim(), injection.cause);
    injection_lines.extend(field("when", Tone::Plain, &when, columns));
    injection_lines.extend(field("session", Tone::Plain, &injection.session, columns));
    if let Some(decision) = &injection.decision {
        let score = format!("{:.2}, needed {:.2}", decision.score, decision.least);
        injection_lines.extend(field("chance", Tone::Plain, &score, columns));
    }
    injection_lines.push(Styled::default());
    injection_lines.push(Styled::faint(format!("{:>6}  {:<6}entry and reason", "tokens", "")));
    injection_lines.extend(injection.injected.iter().flat_map(|line| injected(line, columns)));
    if !injection.left_out.is_empty() {
        injection_lines.push(Styled::default());
        injection_lines.push(Styled::strong("Left out"));
        injection_lines.extend(injection.left_out.iter().flat_map(|line| left_out(line, columns)));
    }
    injection_lines
}

fn injected(line: &WhyLine, columns: usize) -> Vec<Styled> {
    let mut injection_lines = vec![what(line, columns)];
    let section = line.section.as_deref().unwrap_or("none");
    let reason = Styled::faint(format!("{:FIELD_INDENT$}{section}: {}", "", line.why));
    let used = if line.used_at.is_some() { "  used" } else { "" };
    injection_lines.extend(reason.and(Tone::Good, used).wrapped(columns, FIELD_INDENT));
    injection_lines
}

fn left_out(line: &WhyLine, columns: usize) -> Vec<Styled> {
    let mut injection_lines = vec![what(line, columns)];
    injection_lines
        .extend(Styled::faint(format!("{:FIELD_INDENT$}{}", "", line.why)).wrapped(columns, FIELD_INDENT));
    injection_lines
}

fn what(line: &WhyLine, columns: usize) -> Styled {
    Styled::plain(format!("{:>6}  ", line.tokens))
        .and(Tone::Accent, format!("{:<6}", format!("#{}", line.id)))
        .and(Tone::Plain, one_line(&line.what))
        .cut(columns)
}

fn trace_lines(trace: &SessionTraceAnswer, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut trace_lines = head(trace, clock, columns);
    for prompt in &trace.prompts {
        trace_lines.push(Styled::default());
        trace_lines.extend(asked(prompt, clock, columns));
    }
    if trace.prompts.is_empty() {
        trace_lines.push(Styled::default());
        trace_lines.push(Styled::faint("Nothing was captured in this session."));
    }
    if trace.truncated
        && let Some(last) = trace.prompts.iter().flat_map(|prompt| &prompt.observations).next_back()
    {
        trace_lines.push(Styled::default());
        let more = format!("There is more; `nudge timeline {} --after 100` goes on from here.", last.id);
        trace_lines.push(Styled::faint(more).cut(columns));
    }
    trace_lines
}

fn head(trace: &SessionTraceAnswer, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut trace_lines = field("session", Tone::Strong, &trace.session_id, columns);
    if let Some(project) = &trace.project {
        trace_lines.extend(field("project", Tone::Plain, project, columns));
    }
    let ended = trace
        .ended_at
        .map_or_else(|| "still open".to_owned(), |at| format!("ended {}", clock.short(at).trim()));
    trace_lines.extend(field(
        "started",
        Tone::Plain,
        &format!("{}, {ended}", clock.long(trace.started_at)),
        columns,
    ));
    if let Some(intent) = trace.summary.as_ref().and_then(|summary| summary.get("intent")?.as_str()) {
        trace_lines.extend(field("about", Tone::Plain, &one_line(intent), columns));
    }
    trace_lines
}

fn asked(prompt: &TracedPrompt, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut trace_lines = Vec::new();
    if prompt.prompt_id.is_some() {
        let done = count(i64::try_from(prompt.observation_count).unwrap_or(i64::MAX), "action");
        let head = Styled::faint(format!("{}  ", clock.short(prompt.timestamp)))
            .and(Tone::Accent, format!("{}  ", speaker(prompt)))
            .and(Tone::Strong, one_line(&prompt.content))
            .and(Tone::Faint, format!("  {done}"));
        trace_lines.extend(head.wrapped(columns, usize::from(Clock::COLUMNS) + 2));
    }
    trace_lines.extend(prompt.observations.iter().map(|row| action(row, clock, columns)));
    trace_lines
}

fn action(row: &TraceRow, clock: &Clock, columns: usize) -> Styled {
    let tone = kind_tone(&row.obs_type);
    let pinned = if row.is_pinned { "pinned " } else { "" };
    Styled::faint(format!("{:>12}  ", clock.time(row.timestamp)))
        .and(tone, format!("{:<15}", row.obs_type))
        .and(Tone::Warning, pinned)
        .and(Tone::Plain, one_line(&row.content_preview))
        .cut(columns)
}

/// Failures and commits stand out.
fn kind_tone(kind: &str) -> Tone {
    match kind {
        "command_error" => Tone::Bad,
        "git_commit" | "git_push" => Tone::Good,
        _ => Tone::Faint,
    }
}

/// The speaker, and the channel if it was not a prompt.
fn speaker(prompt: &TracedPrompt) -> String {
    match &prompt.said {
        Some(said) => format!("{} ({})", prompt.source, said.replace('_', " ")),
        None => prompt.source.clone(),
    }
}
