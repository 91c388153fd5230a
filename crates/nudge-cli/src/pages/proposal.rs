//! The note for an agent when its change waits for the user.

use nudge_memory::statements::proposals::{ProposalNote, State};

use super::page::Page;

/// Says that nothing changed, why, and who decides.
pub(crate) fn note(page: &mut Page, note: &ProposalNote) {
    match (note.state, note.id) {
        (State::Waiting, Some(id)) => page.warning("proposed").text(format!(" as {id}: ")),
        _ => page.warning("not changed").text(": "),
    };
    page.text(&note.why).end();
    page.text("  ").text(&note.next).end();
}
