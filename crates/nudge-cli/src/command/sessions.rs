//! `nudge sessions`: the sessions of a project, newest first.

use clap::Args;
use nudge_core::Context;
use nudge_home::surroundings;
use nudge_memory::recall::{ListSessionsParams, ListedSession};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::fit::cut;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{View, age};
use crate::projects::named_here_or_all;

/// How much of a session's id is shown: a beginning that no other has names it.
const ID: usize = 8;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
#[command(after_help = "`nudge trace ID` shows one of them; the beginning of its id is enough.")]
pub(crate) struct SessionsArgs {
    /// Of this project: its name, id or directory [default: where you are]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// Of all projects
    #[arg(long)]
    all: bool,
    /// At most so many, up to 100 [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl SessionsArgs {
    /// Lists them.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = named_here_or_all(self.project, self.all);
        let params = ListSessionsParams { project, limit: self.limit };
        let answer = invocation.call("list_sessions", &params, here())?;
        invocation.show::<Vec<ListedSession>>(&answer, |page, rows| {
            render(page, rows, self.all, &View::own());
        })
    }
}

/// The id of the newest session where one stands.
pub(super) fn newest(invocation: &Invocation) -> Result<Option<String>, Failure> {
    let params = ListSessionsParams { limit: Some(1), ..ListSessionsParams::default() };
    let answer = invocation.call("list_sessions", &params, here())?;
    let listed: Vec<ListedSession> = invocation.typed(&answer)?;
    Ok(listed.into_iter().next().map(|session| session.session_id))
}

fn here() -> Context {
    surroundings::here(&working_directory())
}

fn render(page: &mut Page, rows: &[ListedSession], all: bool, view: &View) {
    if rows.is_empty() {
        let place = if all { "" } else { " here; --all looks at all projects" };
        page.text(format!("no session was captured{place}")).end();
    }
    for row in rows {
        let id: String = row.session_id.chars().take(ID).collect();
        page.strong(format!("{id:<ID$}")).faint(format!("  {:<10}", age(row.timestamp, view.now)));
        page.text(format!("  {:<9}  {}", row.ended, row.agent));
        if let Some(project) = &row.project {
            page.faint("  in ").text(project);
        }
        if let Some(name) = &row.name {
            page.text("  ").strong(name);
        }
        page.end();
        let columns = page.columns();
        page.text("  ").text(cut(row.goal.as_deref().unwrap_or("(no prompt)"), columns, 2)).end();
        if let Some(changed) = changed(row, view) {
            page.faint("  ").faint(cut(&changed, columns, 2)).end();
        }
    }
}

/// The files that were changed, and how many commits were made.
fn changed(row: &ListedSession, view: &View) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if !row.files.is_empty() {
        let files: Vec<String> = row.files.iter().map(|file| view.near(file).into_owned()).collect();
        let more = if row.more_files > 0 { format!(" and {} more", row.more_files) } else { String::new() };
        parts.push(format!("changed {}{more}", files.join(", ")));
    }
    if row.commits > 0 {
        parts.push(format!("{} commits", row.commits).replace("1 commits", "1 commit"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
