//! Runs in a list, newest first.

use nudge_core::text::{one_line_of_columns, width};
use nudge_memory::runs::{RunList, RunView};

use super::super::page::Page;
use super::super::time;
use super::super::words::count;
use super::{dollars, state};
use crate::fit::cut;

/// The maximum width of a name, and of a project.
const NAME: usize = 32;
const PROJECT: usize = 16;

/// The longest list.
const MOST: usize = 200;

/// Two lines for each run: how it stands, and what it was asked.
pub(crate) fn list(page: &mut Page, answer: &RunList, all: bool) {
    if answer.runs.is_empty() {
        let place = if all { "" } else { " in this project; --all looks at all projects" };
        page.text(format!("no runs{place}")).end();
        if all {
            page.text("ask a model something with `nudge ask`").end();
        }
    }
    for view in &answer.runs {
        one(page, view, all);
    }
    if answer.more {
        let most = (answer.runs.len() * 2).min(MOST);
        page.faint(format!("there are more; `--limit {most}` shows them")).end();
    }
}

fn one(page: &mut Page, view: &RunView, all: bool) {
    let columns = page.columns();
    let name = one_line_of_columns(&view.run, page.at_most(NAME));
    let at = time::short_of_text(&view.updated_at);
    let standing = format!("{} {}", view.state, view.status);
    let mut used = width(&name) + 2 + width(&standing) + 2 + width(&at);
    page.strong(name).text("  ");
    state(page, view);
    page.faint(format!("  {at}"));
    if all {
        let project = one_line_of_columns(&view.project, page.at_most(PROJECT));
        used += 5 + width(&project);
        page.faint("  in ").text(project);
    }
    if let Some(rest) = columns.checked_sub(used + 2).filter(|rest| *rest > 0) {
        page.text("  ").text(one_line_of_columns(&facts(view), rest));
    }
    page.end();
    let prompt = view.loops.last().map_or("(no prompt)", |one| &one.prompt);
    page.text("  ").text(cut(prompt, columns, 2)).end();
}

/// `local, 3 turns, $0.0021`.
fn facts(view: &RunView) -> String {
    let used = view.telemetry.as_ref();
    let turns = used.map_or(u64::from(view.turn), |used| used.turns);
    let turns = count(i64::try_from(turns).unwrap_or(i64::MAX), "turn");
    let cost = used.and_then(|used| used.cost_usd).map(dollars);
    [Some(turns), cost, Some(view.model.clone())].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
