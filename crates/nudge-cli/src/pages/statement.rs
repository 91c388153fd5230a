//! Text about statements that several pages share.

use super::words::whom;
use nudge_memory::statements::{Contradicted, StatementView};

use super::page::Page;

/// The statements that a new one contradicts, and what to do about them.
pub(crate) fn contradictions(page: &mut Page, others: &[Contradicted]) {
    for other in others {
        page.warning("  it contradicts").text(format!(" #{}: ", other.id)).line(&other.text);
        page.faint(format!(" ({})", whom(&other.stated_by))).end();
    }
    if let [first, ..] = others {
        page.text(format!("  both apply; `nudge forget {}` removes the older one", first.id)).end();
    }
}

/// `✔ word #12 in shop: text`.
pub(crate) fn done(page: &mut Page, word: &str, statement: &StatementView, project: Option<&str>) {
    page.good("✔").text(format!(" {word} ")).strong(format!("#{}", statement.id));
    if let Some(project) = project {
        page.text(format!(" in {project}"));
    }
    page.text(": ").line(&statement.text).end();
}
