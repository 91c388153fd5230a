//! Finds what memory and the project's files have on a question, and puts it into a run's view.
//!
//! The best entries are shown whole as far as they fit, the rest in one line each. When nothing has
//! the words of the question, nothing is shown.

use std::path::Path;
use std::time::{Duration, Instant};

use nudge_context::{PacketEntry, count_tokens};
use nudge_core::entry_state::{EntryState, Visibility, status_of};
use nudge_core::scheme::{Category, rules_of};
use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, Fault, FaultKind};
use nudge_home::workspace::{Constraint, ScanRules, Workspace};
use nudge_memory::entries::{GetEntries, GetParams, read_file};
use nudge_memory::operation::{Op, OpContext, RUNS};
use nudge_memory::recall::{Search, SearchParams};
use nudge_store::{InView, Reader, RunRow, ViewChange};
use serde_json::{Value, json};

/// How many entries are found.
const MAX_FOUND: i64 = 10;

/// The longest line of a list.
const MAX_LINE_CHARS: usize = 200;

/// What was found, as the record of the search says it.
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) count: usize,
}

/// How much of what is found becomes visible.
#[derive(Copy, Clone)]
pub(super) struct Show {
    /// How many tokens of whole bodies; 0 for none.
    pub(super) tokens: u32,
    /// How many entries to find.
    pub(super) limit: i64,
}

impl Show {
    pub(super) const fn lines(limit: Option<i64>) -> Self {
        Self {
            tokens: 0,
            limit: match limit {
                Some(limit) => limit,
                None => MAX_FOUND,
            },
        }
    }

    pub(super) const fn within(tokens: u32) -> Self {
        Self { tokens, limit: MAX_FOUND }
    }
}

/// Searches memory for a question, and adds what was found in files.
pub(super) fn gather(
    ctx: &OpContext<'_>,
    run: &str,
    question: &str,
    files: &FileSearch,
    show: Show,
) -> Result<Gathered, Fault> {
    let limit = usize::try_from(show.limit.clamp(1, 50)).unwrap_or(1);
    // Some of them are left out.
    let read = (limit * 2).min(50);
    let params: SearchParams =
        serde_json::from_value(json!({"query": question, "limit": read, "mode": "text"}))
            .map_err(|error| Fault::invalid("query", error.to_string()))?;
    let answer = Search::run(ctx, params)?;
    let mut lines = Vec::new();
    let mut left = show.tokens;
    let mut count = 0;
    for row in &answer.results {
        if lines.len() >= limit || is_of_run(ctx, row.session_id.as_deref())? {
            continue;
        }
        let Some(entry) = ctx.store().entry_by_id(EntryId(row.id))? else { continue };
        count += 1;
        let cost = count_tokens(&entry.body);
        let is_whole = cost <= left;
        left = left.saturating_sub(if is_whole { cost } else { 0 });
        let visibility = if is_whole { Visibility::Visible } else { Visibility::Summarized };
        see(ctx, run, entry.id, visibility)?;
        let by = row.stated_by.as_deref().map(|by| format!(", {by}")).unwrap_or_default();
        let head =
            format!("{} (#{}, {}{by}; matches {})", entry.path.as_str(), row.id, row.obs_type, row.why);
        // What is shown whole is not repeated.
        lines.push(match is_whole && show.tokens > 0 {
            true => head,
            false => format!("{head}: {}", one_line_of_chars(&row.content_preview, MAX_LINE_CHARS)),
        });
    }
    for file in &files.found {
        count += 1;
        let words = match file.words() {
            1 => "1 word".to_owned(),
            words => format!("{words} words"),
        };
        lines.push(format!("{}:{} (file, {words}): {}", file.path, file.line, file.text));
        let cost = left.min(show.tokens / 2);
        if cost > 0 {
            left = show_file(ctx, run, &file.path, cost)?.map_or(left, |used| left.saturating_sub(used));
        }
    }
    if !files.is_complete && !files.found.is_empty() {
        lines.push("Not all files were read: the project is large.".to_owned());
    }
    if lines.is_empty() {
        lines.push("Nothing in memory or in the files has these words.".to_owned());
    }
    Ok(Gathered { text: lines.join("\n"), count })
}

/// Whether something was asked or answered in a run. An answer that another one was made of is no
/// evidence for itself, and a wrong one must not spread.
fn is_of_run(ctx: &OpContext<'_>, session: Option<&str>) -> Result<bool, Fault> {
    let Some(name) = session else { return Ok(false) };
    Ok(ctx.store().agent_session_by_name(name)?.is_some_and(|session| session.harness == RUNS))
}

/// Puts an entry into the run's view, and leaves one that is there as it is unless it gets more
/// visible.
fn see(ctx: &OpContext<'_>, run: &str, id: EntryId, visibility: Visibility) -> Result<(), Fault> {
    let viewer = nudge_memory::entries::viewer_of(ctx, run)?;
    let before = ctx.store().view(&viewer, id)?;
    if before.is_some_and(|row| row.visibility >= visibility) {
        return Ok(());
    }
    let change = ViewChange { visibility: Some(visibility), turn: ctx.caller.turn, ..ViewChange::default() };
    ctx.writer()?.change_view(&viewer, id, &change, ctx.now())?;
    Ok(())
}

/// Makes a small file visible; returns what it cost, or `None` if it is too large.
fn show_file(ctx: &OpContext<'_>, run: &str, path: &str, most: u32) -> Result<Option<u32>, Fault> {
    let look = |preview: bool| GetParams {
        path: path.to_owned(),
        run: Some(run.to_owned()),
        preview,
        ..GetParams::default()
    };
    let listed = GetEntries::run(ctx, look(true))?;
    let Some(cost) = listed.entries.first().map(|entry| entry.tokens.visible).filter(|cost| *cost <= most)
    else {
        return Ok(None);
    };
    GetEntries::run(ctx, look(false))?;
    Ok(Some(cost))
}

// Searches the files of a project for the words of a text.

/// Shorter words are in every file.
const MIN_WORD_CHARS: usize = 3;

/// How many words of a question are looked for.
const MAX_WORDS: usize = 12;

/// A word that at most this many files have says something by itself.
const MAX_FILES_OF_RARE_WORD: usize = 2;

/// Larger files are data, not source.
const MAX_FILE_BYTES: u64 = 512 * 1024;

/// The search ends after this time with what it has.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(1_500);

/// The longest line that is shown.
const MAX_FOUND_LINE_CHARS: usize = 160;

/// Words that questions are made of.
const COMMON_WORDS: [&str; 44] = [
    "the", "and", "for", "why", "how", "what", "when", "where", "who", "does", "did", "are", "was", "were",
    "has", "have", "had", "can", "could", "should", "would", "will", "with", "from", "into", "this", "that",
    "these", "those", "there", "our", "your", "use", "used", "using", "not", "but", "all", "any", "its",
    "which", "about", "get", "out",
];

/// A file that has words of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundInFile {
    pub(super) path: String,
    /// The line with most of the words, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    /// Which of the words the file has, a bit for each.
    which: u32,
}

impl FoundInFile {
    /// How many of the words the file has.
    pub(super) const fn words(&self) -> u32 {
        self.which.count_ones()
    }

    const fn has(&self, word: usize) -> bool {
        self.which >> word & 1 == 1
    }
}

/// What was found, and whether all files were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileSearch {
    pub(super) found: Vec<FoundInFile>,
    pub(super) is_complete: bool,
}

/// The files with most of a question's words, best first.
pub(super) fn search(root: &Path, constraints: Vec<Constraint>, question: &str, limit: usize) -> FileSearch {
    let words = words_of(question);
    let Ok(workspace) = Workspace::open(root) else { return FileSearch::default() };
    if words.is_empty() {
        return FileSearch { is_complete: true, ..FileSearch::default() };
    }
    let began = Instant::now();
    let is_late = || began.elapsed() > SEARCH_TIMEOUT;
    let scan = workspace.scan(&ScanRules::new(constraints), &is_late);
    let mut is_complete = scan.is_complete();
    let mut found: Vec<FoundInFile> = Vec::new();
    for file in scan.files.iter().filter(|file| file.size <= MAX_FILE_BYTES) {
        if is_late() {
            is_complete = false;
            break;
        }
        let Ok(read) = read_file(&workspace, &file.path) else { continue };
        found.extend(of_file(&file.path, &read.text, &words));
    }
    // A file with one word of a longer question is there by chance, unless few files have the word.
    let least = if words.len() > 2 { 2 } else { 1 };
    let rare = (0..words.len())
        .filter(|at| found.iter().filter(|file| file.has(*at)).count() <= MAX_FILES_OF_RARE_WORD);
    let rare: Vec<usize> = rare.collect();
    found.retain(|file| file.words() >= least || rare.iter().any(|at| file.has(*at)));
    found.sort_by(|a, b| b.words().cmp(&a.words()).then_with(|| a.path.cmp(&b.path)));
    found.truncate(limit);
    FileSearch { found, is_complete }
}

fn words_of(question: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let parts = question.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for word in parts.map(str::to_lowercase).filter(|word| word.chars().count() >= MIN_WORD_CHARS) {
        if !COMMON_WORDS.contains(&word.as_str()) && !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(MAX_WORDS);
    words
}

fn of_file(path: &str, text: &str, words: &[String]) -> Option<FoundInFile> {
    let (path_low, text_low) = (path.to_lowercase(), text.to_lowercase());
    let is_there = |word: &String| text_low.contains(word) || path_low.contains(word);
    let which = words.iter().enumerate().fold(0, |bits, (at, word)| bits | u32::from(is_there(word)) << at);
    if which == 0 {
        return None;
    }
    let has = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(*word)).count()
    };
    let mut best = (0, 1, "");
    for (at, line) in text.lines().enumerate() {
        let score = has(line);
        if score > best.0 {
            best = (score, at + 1, line);
        }
    }
    Some(FoundInFile {
        path: path.to_owned(),
        line: best.1,
        text: one_line_of_chars(best.2, MAX_FOUND_LINE_CHARS),
        which,
    })
}

// The entries of a run as its packet needs them. Files are read from disk when they are asked for.

/// Attributes that are for people and programs, not for the model.
const NOT_SHOWN: [&str; 10] =
    ["hash", "stat", "modified_ms", "hashed_ms", "mode", "healed", "phase", "sandbox", "command", "took_ms"];

/// Everything that the model of a run may see.
pub(super) fn entries(reader: &Reader<'_>, run: &RunRow) -> Result<Vec<PacketEntry>, Fault> {
    let workspace = run.root.as_deref().and_then(|root| Workspace::open(Path::new(root)).ok());
    let mut all = Vec::new();
    for row in reader.in_view(&run.scope)? {
        all.push(entry(row, workspace.as_ref()));
    }
    Ok(all)
}

fn entry(row: InView, workspace: Option<&Workspace>) -> PacketEntry {
    let is_file = row.scheme == "file";
    let rules = rules_of(&row.scheme);
    // What was typed elsewhere is data here. Only the prompts of runs have a mode.
    let is_said = row.scheme == "prompt" && !row.attributes.contains_key("mode");
    let is_secret = row.attributes.get("secret").is_some_and(|secret| *secret == Value::Bool(true));
    let mut status = status_of(row.state, row.outcome.as_deref());
    let (mut state, mut outcome) = (row.state, row.outcome);
    let mut body = row.body;
    if is_file {
        match workspace.map(|workspace| read_file(workspace, &row.path)) {
            // Credentials stay on this machine.
            Some(Ok(file)) => body = nudge_secrets::redact(&file.text).into_owned(),
            _ => {
                (status, state) = (404, EntryState::Failed);
                outcome = Some("not_found".to_owned());
            }
        }
    }
    if is_secret {
        body = String::new();
    }
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let shown = |name: &str| row.scheme != "hint" && !NOT_SHOWN.contains(&name);
    PacketEntry {
        attributes: row
            .attributes
            .iter()
            .filter(|(name, _)| shown(name))
            .filter_map(|(name, value)| Some((name.clone(), text(value)?)))
            .collect(),
        path: row.path,
        scheme: match row.scheme {
            _ if is_file => String::new(),
            _ if is_said => "said".to_owned(),
            scheme => scheme,
        },
        category: if is_said { Category::Data } else { rules.category },
        visibility: row.visibility,
        status,
        state,
        outcome,
        turn: u32::try_from(row.turn).unwrap_or(0),
        summary: row.summary,
        body,
        by_user: row.by_user && !is_said,
        model_visible: rules.model_visible,
    }
}

/// The prompt that a loop answers, as the packet needs it.
pub(super) fn prompt(entries: &[PacketEntry], path: &str) -> Option<PacketEntry> {
    entries.iter().find(|entry| entry.path == path).cloned()
}

pub(super) fn gone() -> Fault {
    Fault::new(FaultKind::NotFound, "no_run", "the run is gone")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_searched_by_its_rare_words() {
        assert_eq!(
            words_of("Why does the router drop long requests?"),
            ["router", "drop", "long", "requests"]
        );
        assert_eq!(words_of("how and why"), Vec::<String>::new());
    }

    #[test]
    fn the_best_line_of_a_file_is_shown() {
        let words = words_of("router drop requests");
        let text = "fn a() {}\n// The router drops requests over 8 KiB.\nfn router() {}\n";
        let found = of_file("src/net.rs", text, &words).expect("found");
        assert_eq!((found.line, found.words()), (2, 3));
        assert_eq!(of_file("src/net.rs", "nothing", &words), None);
    }
}
