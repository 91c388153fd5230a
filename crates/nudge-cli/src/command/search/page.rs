//! Search results as a list.

use nudge_memory::recall::{SearchAnswer, SearchRow, Withheld};

use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};

const RELAXED: &str = "nothing has all of these words; these have some of them";
const REST: &str = "these have some of the words";

/// One line for each result, then the notes about the search.
pub(super) fn render(page: &mut Page, found: &SearchAnswer, all: bool, view: View) {
    let view = &view.for_rows(found.results.iter().map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    if is_relaxed(found) {
        page.faint(RELAXED).end();
    }
    for (number, row) in found.results.iter().enumerate() {
        if row.partial && (number == 0 || !found.results[number - 1].partial) {
            page.faint(REST).end();
        }
        let words = SearchTerms::of(&row.why);
        line(row, all).add(page, &words, view);
        if !words.occur_in(&row.content_preview) {
            // The match is further down in the text, such as in the reason that a command failed.
            page.text(" ".repeat(view.columns.id + 3))
                .faint(format!("has {}", row.why.replace("title:", "")))
                .end();
        }
        if let Some(followed) = &row.followed {
            page.text(" ".repeat(view.columns.id + 3)).faint(followed).end();
        }
    }
    if found.results.is_empty() {
        let place = if all { "" } else { " in this project" };
        page.text(format!("nothing found{place}")).end();
    }
    if let Some(rest) = &found.withheld {
        page.faint(other_projects_note(rest)).end();
    }
    for note in notes(found) {
        page.faint(note).end();
    }
}

/// Notes on omitted results and suggested queries.
fn notes(found: &SearchAnswer) -> Vec<String> {
    let own = found.own_session.as_ref().map(|own| {
        let least = if own.at_least { "at least " } else { "" };
        format!("{least}{} of this session skipped; --session searches it", own.count)
    });
    let meant = found
        .did_you_mean
        .iter()
        .map(|(typed, meant)| format!("nothing has `{typed}`; did you mean `{meant}`?"));
    own.into_iter().chain(meant).collect()
}

/// The notes for programs, next to the results.
pub(super) fn aside(page: &mut Page, found: &SearchAnswer) {
    if is_relaxed(found) {
        page.text(RELAXED).end();
    }
    if let Some(rest) = &found.withheld {
        page.text(other_projects_note(rest)).end();
    }
    for note in notes(found) {
        page.text(note).end();
    }
}

fn is_relaxed(found: &SearchAnswer) -> bool {
    found.relaxed && !found.results.is_empty()
}

/// The results in other projects.
fn other_projects_note(rest: &Withheld) -> String {
    let least = if rest.at_least { "at least " } else { "" };
    let verb = if rest.count == 1 { "matches" } else { "match" };
    format!("{least}{} {verb} in other projects; --all shows them", rest.count)
}

fn line(row: &SearchRow, all: bool) -> Line<'_> {
    Line {
        id: row.id,
        at: row.timestamp,
        kind: &row.obs_type,
        project: all.then(|| row.project.as_deref().unwrap_or("-")),
        text: &row.content_preview,
        is_pinned: false,
        is_asked: false,
    }
}
