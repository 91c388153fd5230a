//! Entries as text: a table of them, one in full, and what a verb did to each.

use nudge_core::text::width;
use nudge_core::{Fault, FaultKind};
use nudge_memory::entries::{EntryResult, EntryTokens, EntryView, VerbAnswer};
use nudge_memory::statements::proposals::State;

use super::super::pages::diff;
use super::Page;
use super::words::{count, whom};
use crate::exit::Exit;
use crate::pages::words::cut;

/// An entry under its path: facts on one line, then the body, indented.
pub(crate) fn in_full(page: &mut Page, entry: &EntryView) {
    page.strong(&entry.path).end();
    page.text("  ").faint(facts(entry)).end();
    if let Some(why) = &entry.withheld {
        page.text("  ").warning(format!("not shown: {why}")).end();
    }
    for line in entry.body.as_deref().unwrap_or_default().lines() {
        page.text("    ").text(line).end();
    }
}

/// `visible, 12 tokens, version 2, you, in shop`.
pub(crate) fn facts(entry: &EntryView) -> String {
    let mut facts = Vec::new();
    if entry.state != "resolved" {
        let outcome = entry.outcome.as_deref().map(|outcome| format!(" ({outcome})")).unwrap_or_default();
        facts.push(format!("{}{outcome}", entry.state));
    }
    facts.push(entry.visibility.clone().unwrap_or_else(|| "not in view".to_owned()));
    facts.push(cost(entry.tokens));
    if let Some(lines) = entry.lines {
        let last = (lines.from + lines.count).saturating_sub(1);
        facts.push(match lines.count {
            0 => format!("no lines of {}", lines.of),
            1 => format!("line {last} of {}", lines.of),
            _ => format!("lines {} to {last} of {}", lines.from, lines.of),
        });
    }
    facts.extend(entry.version.map(|version| format!("version {version}")));
    facts.extend(Some(whom(&entry.stated_by)).filter(|by| !by.is_empty()));
    facts.join(", ")
}

fn cost(tokens: EntryTokens) -> String {
    format!("{}{}", about(tokens), count(i64::from(tokens.visible), "token"))
}

/// The mark of a number that comes from the size alone.
const fn about(tokens: EntryTokens) -> &'static str {
    if tokens.estimated { "≈" } else { "" }
}

/// A number of entries: `1 entry`, `12 entries`.
pub(crate) fn entries(n: u64) -> String {
    count(i64::try_from(n).unwrap_or(i64::MAX), "entry")
}

// What a verb did to each entry, and the exit code for it.

/// What a verb does, in words.
#[derive(Copy, Clone, Debug)]
pub(crate) struct ActionWords {
    /// After it was done, such as `removed`.
    pub(crate) done: &'static str,
    /// Before it is done, such as `would remove`.
    pub(crate) would: &'static str,
    /// The words after the path; may be empty.
    pub(crate) after: &'static str,
}

/// Everything a verb did.
pub(crate) fn results(page: &mut Page, answer: &VerbAnswer, words: ActionWords) {
    for result in &answer.results {
        one(page, result, words, answer.preview);
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

fn one(page: &mut Page, result: &EntryResult, words: ActionWords, preview: bool) {
    if is_failure(result) {
        return failed(page, result);
    }
    match &result.proposal {
        Some(note) => proposed(page, result, note.id.filter(|_| note.state == State::Waiting)),
        None => done(page, result, words, preview),
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

fn done(page: &mut Page, result: &EntryResult, words: ActionWords, preview: bool) {
    if preview {
        page.text(words.would);
    } else {
        page.good("✔").text(" ").text(words.done);
    }
    page.text(" ").strong(&result.path);
    if let Some(to) = &result.to {
        page.text(" to ").strong(to);
    }
    page.text(words.after);
    let facts = result_facts(result);
    if !facts.is_empty() {
        page.text(format!(" ({facts})"));
    }
    page.end();
}

/// The version, and what is not as usual.
fn result_facts(result: &EntryResult) -> String {
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

/// The titles of the columns.
const COLUMN_TITLES: [&str; 5] = ["PATH", "STATE", "VISIBILITY", "TOKENS", "FROM"];

/// The columns that a path gets at least.
const MIN_PATH: usize = 12;

/// The columns that the source of an entry gets at most, while a path is cut.
const MAX_FROM: usize = 24;

/// The blanks between two columns.
const COLUMN_GAP: usize = 2;

/// One line for each entry: path, state, visibility, tokens and who wrote it.
pub(crate) fn table(page: &mut Page, entries: &[EntryView]) {
    let rows: Vec<[String; 5]> = entries.iter().map(table_row).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|table_row| width(&table_row[column]));
        cells.chain([width(COLUMN_TITLES[column])]).max().unwrap_or(0)
    };
    let middle: usize = (1..4).map(|column| widest(column) + COLUMN_GAP).sum();
    let beside = middle + COLUMN_GAP + widest(4).min(MAX_FROM);
    let room = page.columns().saturating_sub(beside).max(MIN_PATH);
    let widths = [widest(0).min(room), widest(1), widest(2), widest(3)];
    let head = line(page.columns(), &COLUMN_TITLES.map(str::to_owned), widths);
    page.faint(format!("{}{}", head.0, head.1)).end();
    for table_row in &rows {
        let (path, rest) = line(page.columns(), table_row, widths);
        page.strong(path).text(rest).end();
    }
}

fn table_row(entry: &EntryView) -> [String; 5] {
    let state = match &entry.outcome {
        Some(outcome) => format!("{} ({outcome})", entry.state),
        None => entry.state.clone(),
    };
    [
        entry.path.clone(),
        state,
        entry.visibility.clone().unwrap_or_else(|| "-".to_owned()),
        format!("{}{}", about(entry.tokens), entry.tokens.visible),
        whom(&entry.stated_by),
    ]
}

/// The path, and everything after it.
fn line(columns: usize, cells: &[String; 5], widths: [usize; 4]) -> (String, String) {
    let path = if width(&cells[0]) > widths[0] { cut(&cells[0], widths[0], 0) } else { cells[0].clone() };
    let mut rest = " ".repeat(widths[0].saturating_sub(width(&path)));
    for column in 1..3 {
        rest.push_str(&" ".repeat(COLUMN_GAP));
        rest.push_str(&padded(&cells[column], widths[column]));
    }
    // Numbers stand at the right of their column.
    rest.push_str(&" ".repeat(COLUMN_GAP + widths[3].saturating_sub(width(&cells[3]))));
    rest.push_str(&cells[3]);
    rest.push_str(&" ".repeat(COLUMN_GAP));
    let used = width(&path) + width(&rest);
    rest.push_str(&cut(&cells[4], columns, used));
    rest.truncate(rest.trim_end().len());
    (path, rest)
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
