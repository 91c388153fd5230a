//! `nudge sessions`: lists the sessions of a project, newest first.

use clap::Args;
use nudge_core::text::{one_line_of_columns, width};
use nudge_memory::recall::{ListSessionsParams, ListedSession};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::flags::ProjectsFlags;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::View;
use crate::pages::time;

/// How many characters of a session's id to show. A unique prefix is enough to name it.
const ID: usize = 8;

/// The width of the time column.
const TIME: usize = 15;

/// The maximum width of the project column.
const PROJECT: usize = 24;

// The arguments. The summary is in `cli.rs`, with the others.
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
        let params = ListSessionsParams { project, limit: self.limit };
        let answer = invocation.call("list_sessions", &params, here())?;
        invocation.show::<Vec<ListedSession>>(&answer, |page, rows| {
            render(page, rows, all, &View::own());
        })
    }
}

/// The id of the newest session in the project of the working directory.
pub(super) fn newest(invocation: &Invocation) -> Result<Option<String>, Failure> {
    let params = ListSessionsParams { limit: Some(1), ..ListSessionsParams::default() };
    let answer = invocation.call("list_sessions", &params, here())?;
    let listed: Vec<ListedSession> = invocation.typed(&answer)?;
    Ok(listed.into_iter().next().map(|session| session.session_id))
}

fn render(page: &mut Page, rows: &[ListedSession], all: bool, view: &View) {
    if rows.is_empty() {
        let place = if all { "" } else { " in this project; --all looks at all projects" };
        page.text(format!("no session was captured{place}")).end();
    }
    for row in rows {
        let id: String = row.session_id.chars().take(ID).collect();
        page.strong(format!("{id:<ID$}"))
            .faint(format!("  {:<TIME$}", time::short_of_seconds(row.timestamp, view.now)));
        let columns = page.columns();
        let mut used = ID + 2 + TIME + 2 + 9 + 2 + row.agent.len();
        page.text(format!("  {:<9}  {}", row.ended, row.agent));
        if let Some(project) = &row.project {
            let project = one_line_of_columns(project, page.at_most(PROJECT));
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
