//! `nudge history`: who touched a file, and what for.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::recall::{FileHistoryAnswer, FileHistoryParams, FileSession};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::{Invocation, now};
use crate::pages::Page;
use crate::pages::recall::{Line, View, Words, age, when};

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// Its path, as seen from here
    file: String,
    /// Only what came after: 2d, 2026-01-31 or Unix seconds
    #[arg(long, value_name = "WHEN")]
    after: Option<String>,
    /// Only what came before
    #[arg(long, value_name = "WHEN")]
    before: Option<String>,
    /// At most so many, up to 50 [default: 10]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl HistoryArgs {
    /// Shows what each session did to it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let time = |said: Option<String>, flag: &str| {
            let read = said.map(|text| when::parse(&text, now()));
            read.transpose().map_err(|why| Failure::Usage(format!("{flag}: {why}")))
        };
        let params = FileHistoryParams {
            file_path: self.file,
            before: time(self.before, "--before")?,
            after: time(self.after, "--after")?,
            limit: self.limit,
        };
        let answer = invocation.call("file_history", &params, surroundings::here(&working_directory()))?;
        invocation.show::<FileHistoryAnswer>(&answer, |page, answer| render(page, answer, View::own()))
    }
}

fn render(page: &mut Page, answer: &FileHistoryAnswer, view: View) {
    let rows = answer.sessions.iter().flat_map(|session| &session.touches);
    let view = &view.for_rows(rows.map(|row| (row.observation_id, row.timestamp, row.obs_type.as_str())));
    page.strong(view.near(&answer.file_path)).end();
    if answer.sessions.is_empty() {
        page.text("no session is known to have touched it").end();
    }
    answer.sessions.iter().for_each(|session| touched(page, session, view));
}

fn touched(page: &mut Page, session: &FileSession, view: &View) {
    let columns = page.columns();
    page.text(&session.session_id)
        .text(format!("  {}", session.project.as_deref().unwrap_or("(no project)")));
    page.faint(format!("  began {}", age(session.started_at, view.now))).end();
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
        line.add(page, &Words::none(), view);
    }
}
