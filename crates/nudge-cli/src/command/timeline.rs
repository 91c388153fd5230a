//! `nudge timeline`: shows what happened before and after an entry.

use clap::Args;
use nudge_core::Context;
use nudge_memory::recall::EntryRef;
use nudge_memory::recall::{Observation, TimelineAnswer, TimelineParams};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};

/// How many lines of the entry's text to show; `--json` has all.
const LINES: usize = 40;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// Entry id, such as 42 or obs://42
    id: String,
    /// Show N entries before it [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    before: Option<i64>,
    /// Show N entries after it [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    after: Option<i64>,
}

impl TimelineArgs {
    /// Shows the entry among the ones before and after it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let anchor = EntryRef::Path(self.id);
        let params = TimelineParams { anchor, before: self.before, after: self.after };
        let answer = invocation.call("timeline", &params, Context::unknown())?;
        invocation.show::<TimelineAnswer>(&answer, |page, answer| render(page, answer, View::own()))
    }
}

fn render(page: &mut Page, answer: &TimelineAnswer, view: View) {
    let anchor = &answer.anchor;
    let rows = answer.before.iter().chain([anchor]).chain(&answer.after);
    let view = &view.for_rows(rows.map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    let session = anchor.session_id.as_deref().unwrap_or("(none)");
    page.faint("session:").text(" ").text(session);
    if let Some(project) = &anchor.project {
        page.faint("  project:").text(" ").text(project);
    }
    page.end();
    answer.before.iter().for_each(|row| line(row).add(page, &SearchTerms::none(), view));
    Line { is_asked: true, ..line(anchor) }.add(page, &SearchTerms::none(), view);
    let lines: Vec<&str> = anchor.content.lines().collect();
    if lines.len() > 1 {
        lines.iter().take(LINES).for_each(|line| {
            page.text("          ").text(line).end();
        });
    }
    if lines.len() > LINES {
        page.faint(format!("          {} more lines; --json has them", lines.len() - LINES)).end();
    }
    answer.after.iter().for_each(|row| line(row).add(page, &SearchTerms::none(), view));
}

fn line(row: &Observation) -> Line<'_> {
    let is_pinned = row.metadata.get("is_pinned").is_some_and(|pinned| pinned == true);
    Line {
        id: row.id,
        at: row.timestamp,
        kind: &row.obs_type,
        project: None,
        text: &row.content,
        is_pinned,
        is_asked: false,
    }
}
