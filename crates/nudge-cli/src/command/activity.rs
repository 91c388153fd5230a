//! What happened when: `nudge recent` for a project, `nudge timeline` around an entry, and
//! `nudge history` for a file.

use clap::Args;
use nudge_core::Context;
use nudge_memory::recall::{
    EntryRef, FileHistory, FileHistoryAnswer, FileHistoryParams, FileSession, Observation, RecentContext,
    RecentContextParams, ScoredObservation, Timeline, TimelineAnswer, TimelineParams,
};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PeriodFlags, ProjectsFlags};
use crate::invocation::Invocation;
use crate::pages::recall::{Line, SearchTerms, View};
use crate::pages::words::cut;
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct RecentArgs {
    #[command(flatten)]
    projects: ProjectsFlags,
    /// Show at most N entries, up to 100 [default: 30]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl RecentArgs {
    /// Shows the recent activity.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let all = self.projects.all;
        let project = self.projects.param();
        let params = RecentContextParams { project, limit: self.limit, only: !all };
        let answer = invocation.call::<RecentContext>(&params, here())?;
        invocation.show(&answer, |page, rows| render(page, rows, all, View::own()))
    }
}

fn render(page: &mut Page, rows: &[ScoredObservation], all: bool, view: View) {
    let view = &view.for_rows(
        rows.iter()
            .map(|row| (row.observation.id, row.observation.timestamp, row.observation.obs_type.as_str())),
    );
    if rows.is_empty() {
        let place = if all { "" } else { " in this project; --all looks at all projects" };
        page.text(format!("nothing was captured{place}")).end();
    }
    for row in rows {
        let row = &row.observation;
        let line = Line {
            id: row.id,
            at: row.timestamp,
            kind: &row.obs_type,
            project: all.then(|| row.project.as_deref().unwrap_or("-")),
            text: &row.content,
            is_pinned: row.metadata.get("is_pinned").is_some_and(|pinned| pinned == true),
            is_asked: false,
        };
        line.add(page, &SearchTerms::none(), view);
    }
}

// `nudge timeline`: shows what happened before and after an entry.

/// How many lines of the entry's text to show; `--json` has all.
const MAX_LINES: usize = 40;

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
        let answer = invocation.call::<Timeline>(&params, Context::unknown())?;
        invocation.show(&answer, |page, answer| render_timeline(page, answer, View::own()))
    }
}

fn render_timeline(page: &mut Page, answer: &TimelineAnswer, view: View) {
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
        lines.iter().take(MAX_LINES).for_each(|line| {
            page.text("          ").text(line).end();
        });
    }
    if lines.len() > MAX_LINES {
        page.faint(format!("          {} more lines; --json has them", lines.len() - MAX_LINES)).end();
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

// `nudge history`: shows which sessions touched a file, and why.

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
        let answer = invocation.call::<FileHistory>(&params, here())?;
        invocation.show(&answer, |page, answer| render_history(page, answer, View::own()))
    }
}

fn render_history(page: &mut Page, answer: &FileHistoryAnswer, view: View) {
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
