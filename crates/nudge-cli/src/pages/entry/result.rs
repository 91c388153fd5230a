//! What a verb did to each entry, and the exit code for it.

use nudge_core::{Fault, FaultKind};
use nudge_memory::entries::{EntryResult, VerbAnswer};
use nudge_memory::statements::proposals::State;

use super::super::diff;
use super::super::page::Page;
use super::entries;
use crate::exit::Exit;

/// What a verb does, in words.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Deed {
    /// After it was done, such as `removed`.
    pub(crate) done: &'static str,
    /// Before it is done, such as `would remove`.
    pub(crate) would: &'static str,
    /// The words after the path; may be empty.
    pub(crate) after: &'static str,
}

/// Everything a verb did.
pub(crate) fn results(page: &mut Page, answer: &VerbAnswer, deed: Deed) {
    for result in &answer.results {
        one(page, result, deed, answer.preview);
    }
    if answer.results.is_empty() {
        page.text("nothing matches").end();
    }
    if answer.results.len() > 1 || answer.preview {
        page.faint(total(answer)).end();
    }
    if let Some(note) = &answer.note {
        page.text(note).end();
    }
}

fn total(answer: &VerbAnswer) -> String {
    let mut text = entries(answer.matched);
    let failed = answer.results.iter().filter(|result| is_failure(result)).count();
    if failed > 0 {
        text.push_str(&format!(", {failed} failed"));
    }
    let waiting = answer.results.iter().filter(|result| result.proposal.is_some()).count();
    if waiting > 0 {
        text.push_str(&format!(", {waiting} for review"));
    }
    if answer.preview {
        text.push_str("; nothing was changed");
    }
    text
}

fn one(page: &mut Page, result: &EntryResult, deed: Deed, preview: bool) {
    if is_failure(result) {
        return failed(page, result);
    }
    match &result.proposal {
        Some(note) => proposed(page, result, note.id.filter(|_| note.state == State::Waiting)),
        None => done(page, result, deed, preview),
    }
    if let Some(words) = result.matched.as_deref().and_then(quality) {
        page.text("  ").warning(words).end();
    }
    for warning in &result.warnings {
        page.text("  ").warning("warning:").text(" ").line(warning).end();
    }
    if let Some(diff) = &result.diff {
        diff::whole(page, diff, "  ");
    }
}

fn done(page: &mut Page, result: &EntryResult, deed: Deed, preview: bool) {
    if preview {
        page.text(deed.would);
    } else {
        page.good("✔").text(" ").text(deed.done);
    }
    page.text(" ").strong(&result.path);
    if let Some(to) = &result.to {
        page.text(" to ").strong(to);
    }
    page.text(deed.after);
    let facts = facts(result);
    if !facts.is_empty() {
        page.text(format!(" ({facts})"));
    }
    page.end();
}

/// The version, and what is not as usual.
fn facts(result: &EntryResult) -> String {
    let version = result.version.map(|version| format!("version {version}"));
    let state = Some(&result.state).filter(|state| *state != "resolved").map(|state| match &result.outcome {
        Some(outcome) => format!("{state}: {outcome}"),
        None => state.clone(),
    });
    let visibility = result.visibility.clone().filter(|visibility| visibility != "visible");
    [version, state, visibility].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn proposed(page: &mut Page, result: &EntryResult, id: Option<i64>) {
    page.warning(if id.is_some() { "proposed:" } else { "not changed:" }).text(" ").strong(&result.path);
    if let Some(to) = &result.to {
        page.text(" to ").strong(to);
    }
    if let Some(id) = id {
        page.text(format!(" waits for review (proposal {id})"));
    }
    page.end();
    if let Some(note) = &result.proposal {
        page.text("  ").text(&note.why).end();
        page.text("  ").text(&note.next).end();
    }
}

fn failed(page: &mut Page, result: &EntryResult) {
    page.bad("error:").text(" ").line(reason(result)).end();
    if let Some(next) = &result.next {
        page.text("  ").strong("hint:").text(" ").line(next).end();
    }
}

/// How an edit found its place; `None` if there is nothing to say about it.
fn quality(matched: &str) -> Option<&'static str> {
    match matched {
        "line_start" => Some("the text is there more than once; one place was changed"),
        "whitespace" => Some("matched with other white space"),
        "reindented" => Some("matched with other indentation"),
        _ => None,
    }
}

/// Whether the call failed for this entry. A state of failure that the caller set is no failure.
fn is_failure(result: &EntryResult) -> bool {
    result.is_failed() && result.why.is_some()
}

/// Why it failed, with the path.
fn reason(result: &EntryResult) -> String {
    let why = result.why.as_deref().unwrap_or(&result.state);
    if why.contains(&result.path) { why.to_owned() } else { format!("{}: {why}", result.path) }
}

/// The failure of a call about this entry alone.
pub(crate) fn fault_of(result: &EntryResult) -> Option<Fault> {
    if !is_failure(result) {
        return None;
    }
    // The disk failed, not the memory: that has its own exit code.
    let word =
        if result.status >= 500 { "unwritable" } else { result.outcome.as_deref().unwrap_or("failed") };
    let word = word.split_once(':').map_or(word, |(word, _)| word);
    let fault = Fault::new(kind_of(result.status), word, reason(result)).with("path", result.path.as_str());
    Some(match &result.next {
        Some(next) => fault.next(next),
        None => fault,
    })
}

/// The exit code of the first failure.
pub(crate) fn exit_of(results: &[EntryResult]) -> Exit {
    results.iter().find_map(fault_of).map_or(Exit::Ok, |fault| Exit::of(&fault))
}

/// The exit code of a status.
pub(crate) fn exit_of_status(status: u16) -> Exit {
    let reason = if status >= 500 { "unwritable" } else { "status" };
    Exit::of(&Fault::new(kind_of(status), reason, ""))
}

/// The kind of mistake with this status.
const fn kind_of(status: u16) -> FaultKind {
    match status {
        403 => FaultKind::Forbidden,
        404 => FaultKind::NotFound,
        409 => FaultKind::Conflict,
        413 => FaultKind::TooLarge,
        400..=499 => FaultKind::Invalid,
        _ => FaultKind::Unavailable,
    }
}
