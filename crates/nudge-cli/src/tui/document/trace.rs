//! A session from start to end.

use nudge_core::text::one_line;
use nudge_memory::recall::{SessionTraceAnswer, TraceRow, TracedPrompt};

use super::field::field;
use crate::pages::words::count;
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone};

pub(super) fn lines(trace: &SessionTraceAnswer, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = head(trace, clock, columns);
    for prompt in &trace.prompts {
        lines.push(Styled::default());
        lines.extend(asked(prompt, clock, columns));
    }
    if trace.prompts.is_empty() {
        lines.push(Styled::default());
        lines.push(Styled::faint("Nothing was captured in this session."));
    }
    if trace.truncated
        && let Some(last) = trace.prompts.iter().flat_map(|prompt| &prompt.observations).next_back()
    {
        lines.push(Styled::default());
        let more = format!("There is more; `nudge timeline {} --after 100` goes on from here.", last.id);
        lines.push(Styled::faint(more).cut(columns));
    }
    lines
}

fn head(trace: &SessionTraceAnswer, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = field("session", Tone::Strong, &trace.session_id, columns);
    if let Some(project) = &trace.project {
        lines.extend(field("project", Tone::Plain, project, columns));
    }
    let ended = trace
        .ended_at
        .map_or_else(|| "still open".to_owned(), |at| format!("ended {}", clock.short(at).trim()));
    lines.extend(field(
        "started",
        Tone::Plain,
        &format!("{}, {ended}", clock.long(trace.started_at)),
        columns,
    ));
    if let Some(intent) = trace.summary.as_ref().and_then(|summary| summary.get("intent")?.as_str()) {
        lines.extend(field("about", Tone::Plain, &one_line(intent), columns));
    }
    lines
}

fn asked(prompt: &TracedPrompt, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = Vec::new();
    if prompt.prompt_id.is_some() {
        let done = count(i64::try_from(prompt.observation_count).unwrap_or(i64::MAX), "action");
        let head = Styled::faint(format!("{}  ", clock.short(prompt.timestamp)))
            .and(Tone::Accent, format!("{}  ", speaker(prompt)))
            .and(Tone::Strong, one_line(&prompt.content))
            .and(Tone::Faint, format!("  {done}"));
        lines.extend(head.wrapped(columns, usize::from(Clock::COLUMNS) + 2));
    }
    lines.extend(prompt.observations.iter().map(|row| action(row, clock, columns)));
    lines
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
