//! What pages say of statements.

use nudge_memory::statements::{Contradicted, StatementView};

use super::page::Page;

/// The statements that a new one speaks against, and the way out.
pub(crate) fn contradictions(page: &mut Page, others: &[Contradicted]) {
    for other in others {
        page.warning("  it speaks against").text(format!(" #{}: ", other.id)).line(&other.text);
        page.faint(format!("  — {}", other.stated_by)).end();
    }
    if let [first, ..] = others {
        page.text(format!("  both hold; `nudge forget {}` gives the other one up", first.id)).end();
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
