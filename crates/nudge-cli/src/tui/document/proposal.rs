//! A proposal: the current value and the proposed one.

mod change;

use nudge_memory::hints::wire::Value as HintValue;
use nudge_memory::review::ProposalView;
use nudge_memory::statements::proposals::Action;

use super::field::field;
use crate::pages::hint::conditions;
use crate::pages::words::{count, whom};
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone};

/// Its subject, on one line.
pub(in crate::tui) fn summary(proposal: &ProposalView) -> String {
    match (&proposal.component, &proposal.key, &proposal.text) {
        _ if proposal.path.is_some() => change::paths(proposal),
        (Some(component), Some(key), _) => format!("{component}/{key}"),
        (_, _, Some(text)) => text.clone(),
        _ => format!("proposal {}", proposal.id),
    }
}

/// Whether a part of it is not shown.
pub(in crate::tui) fn is_cut(proposal: &ProposalView) -> bool {
    change::is_cut(proposal)
}

pub(super) fn lines(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let title = Styled::faint(format!("{} ", proposal.action.name())).and(Tone::Strong, summary(proposal));
    let mut lines = title.wrapped(columns, 2);
    lines.push(Styled::default());
    if proposal.action == Action::Remember {
        lines.extend(said(proposal, clock, columns));
    } else if proposal.path.is_some() {
        lines.extend(change::lines(proposal, clock, columns));
    } else {
        lines.extend(hint_change(proposal, clock, columns));
    }
    lines
}

/// The user's words that seem meant to last.
fn said(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
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
