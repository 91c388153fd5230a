//! The user's statements as Markdown, for an AGENTS.md.

use nudge_core::text::one_line;
use nudge_memory::knowledge::KnowsAnswer;
use nudge_memory::statements::{Origin, StatementView};

use crate::pages::Page;

/// Statements of the project come first, then those for a directory, then those that apply
/// everywhere. Statements by agents are left out, because they are not the user's.
pub(super) fn render(page: &mut Page, answer: &KnowsAnswer) {
    let is_own = |one: &&StatementView| !matches!(one.origin, Origin::Agent | Origin::SaidOnce);
    let mut own: Vec<&StatementView> = answer.statements.iter().filter(is_own).collect();
    if own.is_empty() {
        return;
    }
    own.sort_by_key(|one| (one.everywhere, one.directory.clone()));
    let mut heading = None;
    for one in own {
        let title = title(one);
        if heading.as_ref() != Some(&title) {
            if heading.is_some() {
                page.end();
            }
            page.text(format!("## {title}")).end().end();
            heading = Some(title);
        }
        page.text("- ").line(one_line(&one.text)).end();
    }
}

fn title(one: &StatementView) -> String {
    match (&one.directory, one.everywhere) {
        (_, true) => "In every project".to_owned(),
        (Some(directory), false) => format!("In `{directory}`"),
        (None, false) => "In this project".to_owned(),
    }
}
