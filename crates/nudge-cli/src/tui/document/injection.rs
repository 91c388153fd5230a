//! An injection: its lines, why each is there, what it cost and what was left out.

use nudge_core::text::one_line;
use nudge_memory::inject::{WhyInjection, WhyLine};

use super::field::field;
use crate::pages::words::count;
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone};

/// The columns before the text of a line: tokens and number.
const INDENT: usize = 14;

pub(super) fn lines(injection: &WhyInjection, clock: &Clock, columns: usize) -> Vec<Styled> {
    let cost = format!("{}, {} tokens", count(i64::from(injection.lines), "line"), injection.tokens);
    let mut lines = field("injected", Tone::Strong, &cost, columns);
    let when = format!("{}, on {}", clock.short_text(&injection.at).trim(), injection.cause);
    lines.extend(field("when", Tone::Plain, &when, columns));
    lines.extend(field("session", Tone::Plain, &injection.session, columns));
    if let Some(decision) = &injection.decision {
        let score = format!("{:.2}, needed {:.2}", decision.score, decision.least);
        lines.extend(field("score", Tone::Plain, &score, columns));
    }
    lines.push(Styled::default());
    lines.push(Styled::faint(format!("{:>6}  {:<6}entry and reason", "tokens", "")));
    lines.extend(injection.injected.iter().flat_map(|line| injected(line, columns)));
    if !injection.left_out.is_empty() {
        lines.push(Styled::default());
        lines.push(Styled::strong("Left out"));
        lines.extend(injection.left_out.iter().flat_map(|line| left_out(line, columns)));
    }
    lines
}

fn injected(line: &WhyLine, columns: usize) -> Vec<Styled> {
    let mut lines = vec![what(line, columns)];
    let section = line.section.as_deref().unwrap_or("none");
    let reason = Styled::faint(format!("{:INDENT$}{section}: {}", "", line.why));
    let used = if line.used_at.is_some() { "  used" } else { "" };
    lines.extend(reason.and(Tone::Good, used).wrapped(columns, INDENT));
    lines
}

fn left_out(line: &WhyLine, columns: usize) -> Vec<Styled> {
    let mut lines = vec![what(line, columns)];
    lines.extend(Styled::faint(format!("{:INDENT$}{}", "", line.why)).wrapped(columns, INDENT));
    lines
}

fn what(line: &WhyLine, columns: usize) -> Styled {
    Styled::plain(format!("{:>6}  ", line.tokens))
        .and(Tone::Accent, format!("{:<6}", format!("#{}", line.id)))
        .and(Tone::Plain, one_line(&line.what))
        .cut(columns)
}
