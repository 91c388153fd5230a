//! Finds what memory and the project's files have on a question, and puts it into a run's view.
//!
//! The best entries are shown whole as far as they fit, the rest in one line each. When nothing has
//! the words of the question, nothing is shown.

use nudge_context::count_tokens;
use nudge_core::text::one_line_of_chars;
use nudge_core::view::Visibility;
use nudge_core::{EntryId, Fault};
use nudge_store::ViewChange;
use serde_json::json;

use super::search_files::FileSearch;
use nudge_memory::entries::{GetEntries, GetParams};
use nudge_memory::operation::{Op, OpContext, RUNS};
use nudge_memory::recall::{Search, SearchParams};

/// How many entries are found.
const FOUND_MOST: i64 = 10;

/// The longest line of a list.
const LINE_MOST: usize = 200;

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
                None => FOUND_MOST,
            },
        }
    }

    pub(super) const fn within(tokens: u32) -> Self {
        Self { tokens, limit: FOUND_MOST }
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
            false => format!("{head}: {}", one_line_of_chars(&row.content_preview, LINE_MOST)),
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
