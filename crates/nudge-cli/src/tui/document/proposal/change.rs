//! A proposed change of an entry or a file, with its diff.

use nudge_memory::review::ProposalView;

use super::source;
use crate::pages::diff::{self, Mark};
use crate::pages::words::whom;
use crate::tui::clock::Clock;
use crate::tui::document::field::field;
use crate::tui::styled::{Styled, Tone};

/// How many lines of a diff to show. Every key draws the page again.
const LINES_MOST: usize = 500;

/// The path, and the new one if it gets one.
pub(super) fn paths(proposal: &ProposalView) -> String {
    let path = proposal.path.as_deref().unwrap_or_default();
    match &proposal.to {
        Some(to) => format!("{path} → {to}"),
        None => path.to_owned(),
    }
}

/// Whether a part of its diff is not shown.
pub(super) fn is_cut(proposal: &ProposalView) -> bool {
    proposal.diff.as_deref().is_some_and(|text| diff::lines(text).count() > LINES_MOST)
}

pub(super) fn lines(proposal: &ProposalView, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = Vec::new();
    if let Some(by) = &proposal.current_stated_by {
        lines.extend(field("now", Tone::Plain, &format!("stated by {}", whom(by)), columns));
    }
    for (name, value) in proposal.attributes.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        lines.extend(field("fact", Tone::Good, &format!("{name}={value}"), columns));
    }
    lines.extend(source(proposal, clock, columns));
    let Some(text) = &proposal.diff else { return lines };
    lines.push(Styled::default());
    for (mark, line) in diff::lines(text).take(LINES_MOST) {
        let tone = match mark {
            Mark::Added => Tone::Good,
            Mark::Removed => Tone::Bad,
            Mark::Around => Tone::Faint,
        };
        lines.extend(Styled::of(tone, line).wrapped(columns, 2));
    }
    let more = diff::lines(text).count().saturating_sub(LINES_MOST);
    if more > 0 {
        let rest = format!("… and {more} more lines; `nudge show {}` shows all", proposal.id);
        lines.extend(Styled::faint(rest).wrapped(columns, 2));
    }
    lines
}
