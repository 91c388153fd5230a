//! The overview as text.

use nudge_core::Timestamp;
use nudge_memory::recall::ListedSession;

use super::next::Next;
use super::{Overview, Remembered};
use crate::fit::cut;
use crate::pages::Page;
use crate::pages::time;
use crate::pages::words::count;

/// The width of the name column on the left.
const NAMES: usize = 14;

/// Shows where the user is, what is remembered, and the next step.
pub(super) fn render(page: &mut Page, overview: &Overview, next: &Next, now: Timestamp) {
    page.strong(&overview.project).text("  ").faint(&overview.directory).end();
    match &overview.problem {
        Some(problem) => row(page, "problem", problem),
        None => remembered(page, &overview.remembered, now),
    }
    row(page, "capture", &capture(overview));
    page.end();
    page.faint("next:").text(" ").strong(next.command).text("  ").faint(&next.why).end();
}

fn remembered(page: &mut Page, remembered: &Remembered, now: Timestamp) {
    let statements = i64::try_from(remembered.statements).unwrap_or(i64::MAX);
    let counts = [
        count(statements, "statement"),
        count(remembered.hints, "hint"),
        count(remembered.sessions, "session"),
    ];
    row(page, "remembered", &counts.join(", "));
    let last =
        remembered.last_session.as_ref().map_or_else(|| "none yet".to_owned(), |last| spelled(last, now));
    row(page, "last session", &last);
    if remembered.proposals > 0 {
        row(page, "waiting", &count(i64::try_from(remembered.proposals).unwrap_or(i64::MAX), "proposal"));
    }
}

fn spelled(last: &ListedSession, now: Timestamp) -> String {
    let asked = last.goal.as_deref().unwrap_or("(no prompt)");
    format!("{}, {}: {asked}", time::short_of_seconds(last.timestamp, now), last.agent)
}

fn capture(overview: &Overview) -> String {
    let agents = overview.agents.join(", ");
    match (&overview.capture_off, overview.pauses) {
        _ if overview.agents.is_empty() => "off: no agent is set up".to_owned(),
        (Some(why), _) => format!("off: {why}"),
        (None, 0) => format!("on, in {agents}"),
        (None, pauses) => format!("{} in force; else on, in {agents}", count(pauses as i64, "pause")),
    }
}

fn row(page: &mut Page, name: &str, text: &str) {
    let columns = page.columns();
    page.faint(format!("  {name:<NAMES$}")).text(cut(text, columns, NAMES + 2)).end();
}
