//! `nudge history`: shows which sessions touched a file, and why.

use clap::Args;
use nudge_memory::recall::{FileHistoryAnswer, FileHistoryParams, FileSession};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::flags::PeriodFlags;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};
use crate::pages::time;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Path of the file, relative to here
    file: String,
    #[command(flatten)]
    period: PeriodFlags,
    /// Show at most N sessions, up to 50 [default: 10]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl HistoryArgs {
    /// Shows what each session did to the file.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = FileHistoryParams {
            file_path: self.file,
            before: self.period.until,
            after: self.period.since,
            limit: self.limit,
        };
        let answer = invocation.call("file_history", &params, here())?;
        invocation.show::<FileHistoryAnswer>(&answer, |page, answer| render(page, answer, View::own()))
    }
}

fn render(page: &mut Page, answer: &FileHistoryAnswer, view: View) {
    let rows = answer.sessions.iter().flat_map(|session| &session.touches);
    let view = &view.for_rows(rows.map(|row| (row.observation_id, row.timestamp, row.obs_type.as_str())));
    page.strong(view.shorten_path(&answer.file_path)).end();
    if answer.sessions.is_empty() {
        page.text("no session read or changed this file").end();
    }
    answer.sessions.iter().for_each(|session| touched(page, session, view));
}

fn touched(page: &mut Page, session: &FileSession, view: &View) {
    let columns = page.columns();
    page.text(&session.session_id)
        .text(format!("  {}", session.project.as_deref().unwrap_or("(no project)")))
        .end();
    page.faint(format!("  started {}", time::short_of_seconds(session.started_at, view.now))).end();
    if let Some(intent) = &session.summary_intent {
        page.text("  ").faint("about:").text(" ").text(cut(intent, columns, 9)).end();
    }
    let mut said: Option<&str> = None;
    for touch in &session.touches {
        let prompt = touch.prompt_content.as_deref();
        if prompt != said
            && prompt != session.summary_intent.as_deref()
            && let Some(prompt) = prompt
        {
            page.text("  ").faint("asked:").text(" ").text(cut(prompt, columns, 9)).end();
        }
        said = prompt;
        let line = Line {
            id: touch.observation_id,
            at: touch.timestamp,
            kind: &touch.obs_type,
            project: None,
            text: &touch.content_preview,
            is_pinned: touch.is_pinned,
            is_asked: false,
        };
        line.add(page, &SearchTerms::none(), view);
    }
}
