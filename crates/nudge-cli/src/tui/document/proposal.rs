//! A proposal: the current value and the proposed one.

use nudge_memory::hints::wire::Value as HintValue;
use nudge_memory::review::ProposalView;
use nudge_memory::statements::proposals::Action;

use crate::pages::diff::{self, Mark};
use crate::pages::hint::conditions;
use crate::pages::words::{count, whom};
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone, field};

/// Its subject, on one line.
pub(in crate::tui) fn summary(proposal: &ProposalView) -> String {
    match (&proposal.component, &proposal.key, &proposal.text) {
        _ if proposal.path.is_some() => paths(proposal),
        (Some(component), Some(key), _) => format!("{component}/{key}"),
        (_, _, Some(text)) => text.clone(),
        _ => format!("proposal {}", proposal.id),
    }
}

/// Whether a part of it is not shown.
pub(in crate::tui) fn is_cut(proposal: &ProposalView) -> bool {
    is_change_cut(proposal)
}

pub(super) fn lines(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let title = Styled::faint(format!("{} ", proposal.action.name())).and(Tone::Strong, summary(proposal));
    let mut lines = title.wrapped(columns, 2);
    lines.push(Styled::default());
    if proposal.action == Action::Remember {
        lines.extend(statement_change(proposal, clock, columns));
    } else if proposal.path.is_some() {
        lines.extend(change_lines(proposal, clock, columns));
    } else {
        lines.extend(hint_change(proposal, clock, columns));
    }
    lines
}

/// The user's words that seem meant to last.
fn statement_change(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let now = if proposal.in_force { "already injected" } else { "not stated" };
    let mut lines = field("now", Tone::Plain, now, columns);
    lines.extend(field("new", Tone::Good, &format!("stated: “{}”", summary(proposal)), columns));
    for other in &proposal.contradicts {
        let text = format!("#{} “{}” ({})", other.id, other.text, whom(&other.stated_by));
        lines.extend(field("replaces", Tone::Warning, &text, columns));
    }
    let times = count(proposal.times, "time");
    let sessions = count(i64::from(proposal.sessions.unwrap_or(0)), "session");
    let last = clock.short_text(&proposal.last_at);
    lines.extend(field(
        "said",
        Tone::Plain,
        &format!("{times} in {sessions}, last {}", last.trim()),
        columns,
    ));
    let places = [("for", &proposal.directory), ("project", &proposal.project)];
    for (name, text) in places.iter().filter_map(|(name, text)| Some((name, text.as_deref()?))) {
        lines.extend(field(name, Tone::Plain, text, columns));
    }
    lines.extend(field("because", Tone::Faint, &proposal.why, columns));
    lines
}

/// A change that an agent proposes.
fn hint_change(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let now = match (&proposal.current, &proposal.current_stated_by) {
        (Some(current), Some(by)) => format!("{current}  ({})", whom(by)),
        (None, Some(by)) => format!("secret  ({})", whom(by)),
        _ => "nothing".to_owned(),
    };
    let mut lines = field("now", Tone::Plain, &now, columns);
    lines.extend(field("new", Tone::Good, &becomes(proposal), columns));
    if let Some(reason) = &proposal.reason {
        lines.extend(field("reason", Tone::Plain, reason, columns));
    }
    if let Some(ttl) = &proposal.ttl {
        lines.extend(field("ttl", Tone::Plain, ttl, columns));
    }
    if let Some(scope) = &proposal.scope {
        lines.extend(field("applies", Tone::Plain, &conditions(scope), columns));
    }
    lines.extend(source(proposal, clock, columns));
    lines
}

/// Who proposed it, and why it was not done at once.
fn source(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let client = proposal.client.as_deref().map(|client| format!(" ({client})")).unwrap_or_default();
    let times = if proposal.times > 1 { format!(", {} times", proposal.times) } else { String::new() };
    let last = clock.short_text(&proposal.last_at);
    let from = format!("{}{client}, {}{times}", proposal.proposed_by, last.trim());
    let mut lines = field("from", Tone::Plain, &from, columns);
    lines.extend(field("because", Tone::Faint, &proposal.why, columns));
    lines
}

fn becomes(proposal: &ProposalView) -> String {
    if let Some(value) = &proposal.value {
        return HintValue::from_json(value.clone())
            .map_or_else(|_| value.to_string(), |value| value.0.text());
    }
    match (proposal.action, &proposal.text) {
        (Action::Delete, _) => "deleted".to_owned(),
        (Action::Forget, _) => "forgotten".to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "unchanged".to_owned(),
    }
}

// A proposed change of an entry or a file, with its diff.

/// How many lines of a diff to show. Every key draws the page again.
const MAX_LINES: usize = 500;

/// The path, and the new one if it gets one.
fn paths(proposal: &ProposalView) -> String {
    let path = proposal.path.as_deref().unwrap_or_default();
    match &proposal.to {
        Some(to) => format!("{path} → {to}"),
        None => path.to_owned(),
    }
}

/// Whether a part of its diff is not shown.
fn is_change_cut(proposal: &ProposalView) -> bool {
    proposal.diff.as_deref().is_some_and(|text| diff::lines(text).count() > MAX_LINES)
}

fn change_lines(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut change_lines = Vec::new();
    if let Some(by) = &proposal.current_stated_by {
        change_lines.extend(field("now", Tone::Plain, &format!("stated by {}", whom(by)), columns));
    }
    for (name, value) in proposal.attributes.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        change_lines.extend(field("fact", Tone::Good, &format!("{name}={value}"), columns));
    }
    change_lines.extend(source(proposal, clock, columns));
    let Some(text) = &proposal.diff else { return change_lines };
    change_lines.push(Styled::default());
    for (mark, line) in diff::lines(text).take(MAX_LINES) {
        let tone = match mark {
            Mark::Added => Tone::Good,
            Mark::Removed => Tone::Bad,
            Mark::Around => Tone::Faint,
        };
        change_lines.extend(Styled::of(tone, line).wrapped(columns, 2));
    }
    let more = diff::lines(text).count().saturating_sub(MAX_LINES);
    if more > 0 {
        let rest = format!("… and {more} more lines; `nudge show {}` shows all", proposal.id);
        change_lines.extend(Styled::faint(rest).wrapped(columns, 2));
    }
    change_lines
}
