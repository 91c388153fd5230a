//! Proposals about entries and files.

use nudge_memory::review::{DecisionAnswer, ProposalView};
use nudge_memory::statements::proposals::Action;

use super::from;
use crate::fit::cut;
use crate::pages::Page;
use crate::pages::words::whom;

/// `change src/main.rs`, or `rename a.rs to b.rs`.
pub(super) fn head(page: &mut Page, proposal: &ProposalView, columns: usize) {
    let verb = match proposal.action {
        Action::Set => "change",
        Action::Move => "rename",
        action => action.name(),
    };
    let path = proposal.path.as_deref().unwrap_or_default();
    match &proposal.to {
        Some(to) => page.text(format!("{verb} ")).strong(path).text(" to ").strong(to),
        None => page.text(format!("{verb} ")).strong(cut(path, columns, 8 + verb.len())),
    };
}

/// Who wrote the entry, what changes beside its body, and who proposed that.
pub(super) fn rows(rows: &mut Vec<(&str, String)>, proposal: &ProposalView) {
    if let Some(by) = &proposal.current_stated_by {
        rows.push(("now", format!("stated by {}", whom(by))));
    }
    for (name, value) in proposal.attributes.iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        rows.push(("fact", format!("{name}={value}")));
    }
    rows.push(("from", from(proposal)));
}

/// The decision about an entry or a file.
pub(super) fn decided(page: &mut Page, decision: &DecisionAnswer, accepted: bool) {
    page.text(if accepted { "accepted the change of " } else { "dropped the change of " });
    page.strong(decision.path.as_deref().unwrap_or_default());
}
