//! `nudge sessions` lists the sessions of a project, and `nudge trace` shows one of them.

use clap::Args;
use nudge_core::text::{one_line_of_columns, width};
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::recall::{
    ListSessions, ListSessionsParams, ListedSession, SessionTrace, SessionTraceAnswer, SessionTraceParams,
    TracedPrompt,
};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{PeriodFlags, ProjectsFlags};
use crate::invocation::Invocation;
use crate::pages::recall::{Line, SearchTerms, View};
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};

/// How many characters of a session's id to show. A unique prefix is enough to name it.
const ID_WIDTH: usize = 8;

/// The maximum width of the project column.
const MAX_PROJECT: usize = 24;

#[derive(Debug, Args)]
#[command(after_long_help = "`nudge trace ID` shows one session; the start of its id is enough.")]
pub(crate) struct SessionsArgs {
    #[command(flatten)]
    projects: ProjectsFlags,
    /// Show at most N sessions, up to 100 [default: 20]
    #[arg(short = 'n', long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl SessionsArgs {
    /// Lists the sessions.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let all = self.projects.all;
        let project = self.projects.param();
        let params = ListSessionsParams { project, limit: self.limit, before: None };
        let answer = invocation.call::<ListSessions>(&params, here())?;
        invocation.show(&answer, |page, rows| {
            render(page, rows, all, &View::own());
        })
    }
}

/// The id of the newest session in the project of the working directory.
pub(super) fn newest(invocation: &Invocation) -> Result<Option<String>, Failure> {
    let params = ListSessionsParams { limit: Some(1), ..ListSessionsParams::default() };
    let answer = invocation.call::<ListSessions>(&params, here())?;
    let listed = answer.typed()?;
    Ok(listed.into_iter().next().map(|session| session.session_id))
}

fn render(page: &mut Page, rows: &[ListedSession], all: bool, view: &View) {
    if rows.is_empty() {
        let place = if all { "" } else { " in this project; --all looks at all projects" };
        page.text(format!("no session was captured{place}")).end();
    }
    for row in rows {
        let id: String = row.session_id.chars().take(ID_WIDTH).collect();
        page.strong(format!("{id:<ID_WIDTH$}")).faint(format!(
            "  {:<width$}",
            time::short_of_seconds(row.timestamp, view.now),
            width = time::SHORT_WIDTH
        ));
        let columns = page.columns();
        let mut used = ID_WIDTH + 2 + time::SHORT_WIDTH + 2 + 9 + 2 + row.agent.len();
        page.text(format!("  {:<9}  {}", row.ended, row.agent));
        if let Some(project) = &row.project {
            let project = one_line_of_columns(project, page.at_most(MAX_PROJECT));
            used += 5 + width(&project);
            page.faint("  in ").text(project);
        }
        if let Some(name) = &row.name {
            page.text("  ").strong(cut(name, columns, used + 2));
        }
        page.end();
        page.text("  ").text(cut(row.goal.as_deref().unwrap_or("(no prompt)"), columns, 2)).end();
        if let Some(changed) = changed(row, view) {
            page.faint("  ").faint(cut(&changed, columns, 2)).end();
        }
    }
}

/// The changed files and the number of commits.
fn changed(row: &ListedSession, view: &View) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if !row.files.is_empty() {
        let files: Vec<String> = row.files.iter().map(|file| view.shorten_path(file).into_owned()).collect();
        let more = if row.more_files > 0 { format!(" and {} more", row.more_files) } else { String::new() };
        parts.push(format!("changed {}{more}", files.join(", ")));
    }
    if row.commits > 0 {
        parts.push(format!("{} commits", row.commits).replace("1 commits", "1 commit"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

// `nudge trace`: shows a session from start to end.

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// Session id, or the start of it [default: the newest session here]
    session: Option<String>,
    #[command(flatten)]
    period: PeriodFlags,
}

impl TraceArgs {
    /// Shows each prompt with the actions that followed it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let session_id = match self.session {
            Some(session) => session,
            None => newest(invocation)?.ok_or_else(none_here)?,
        };
        let params = SessionTraceParams { session_id, before: self.period.until, after: self.period.since };
        let answer = invocation.call::<SessionTrace>(&params, Context::unknown())?;
        invocation.show(&answer, |page, answer| render_trace(page, answer, View::own()))
    }
}

fn none_here() -> Fault {
    Fault::new(FaultKind::NotFound, Fault::NO_SESSION, "no session was captured in this project")
        .next("run `nudge sessions --all` to see those of other projects")
}

fn render_trace(page: &mut Page, answer: &SessionTraceAnswer, view: View) {
    let rows = answer.prompts.iter().flat_map(|prompt| &prompt.observations);
    let view = &view.for_rows(rows.map(|row| (row.id, row.timestamp, row.obs_type.as_str())));
    let ended = answer
        .ended_at
        .map_or_else(|| "open".to_owned(), |at| format!("ended {}", time::long_of_seconds(at, view.now)));
    page.strong(&answer.session_id);
    page.text(format!("  {}", answer.project.as_deref().unwrap_or("(no project)"))).end();
    page.faint(format!("started {}, {ended}", time::long_of_seconds(answer.started_at, view.now))).end();
    let intent = answer.summary.as_ref().and_then(|summary| summary.get("intent")?.as_str());
    if let Some(intent) = intent {
        let columns = page.columns();
        page.faint("about:").text(" ").text(cut(intent, columns, 7)).end();
    }
    if answer.prompts.is_empty() {
        page.text("nothing happened in that time").end();
    }
    answer.prompts.iter().for_each(|prompt| asked(page, prompt, view));
    if answer.truncated {
        page.faint("there is more: continue with `nudge timeline ID --after 100`").end();
    }
}

fn asked(page: &mut Page, prompt: &TracedPrompt, view: &View) {
    if prompt.prompt_id.is_some() {
        let done = count(i64::try_from(prompt.observation_count).unwrap_or(i64::MAX), "action");
        let columns = page.columns();
        let who = speaker(prompt);
        let used = who.len() + done.len() + 8;
        let said = cut(&prompt.content, columns, used);
        page.faint(format!("{who}:")).text(" \"").strong(said).text("\"");
        page.faint(format!("  {done}")).end();
    }
    for row in &prompt.observations {
        let line = Line {
            id: row.id,
            at: row.timestamp,
            kind: &row.obs_type,
            project: None,
            text: &row.content_preview,
            is_pinned: row.is_pinned,
            is_asked: false,
        };
        line.add(page, &SearchTerms::none(), view);
    }
}

/// The speaker, and the channel if it was not a prompt.
fn speaker(prompt: &TracedPrompt) -> String {
    let about = prompt.about.as_deref().map(|about| format!(" ({about})")).unwrap_or_default();
    match prompt.said.as_deref() {
        Some(said) => format!("{}, {}{about}", prompt.source, said.replace('_', " ")),
        None => prompt.source.clone(),
    }
}
