//! `nudge recent`: what is going on, the most telling first.

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::recall::{RecentContextParams, ScoredObservation};

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, View, Words};
use crate::projects::named_here_or_all;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct RecentArgs {
    /// Of this project: its name, id or directory [default: where you are]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// Of all projects
    #[arg(long)]
    all: bool,
    /// At most so many, up to 100 [default: 30]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    limit: Option<i64>,
}

impl RecentArgs {
    /// Shows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = named_here_or_all(self.project, self.all);
        let params = RecentContextParams { project, limit: self.limit, only: !self.all };
        let answer = invocation.call("recent_context", &params, surroundings::here(&working_directory()))?;
        invocation
            .show::<Vec<ScoredObservation>>(&answer, |page, rows| render(page, rows, self.all, View::own()))
    }
}

fn render(page: &mut Page, rows: &[ScoredObservation], all: bool, view: View) {
    let view = &view.for_rows(
        rows.iter()
            .map(|row| (row.observation.id, row.observation.timestamp, row.observation.obs_type.as_str())),
    );
    if rows.is_empty() {
        let place = if all { "" } else { " here; --all looks at all projects" };
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
        line.add(page, &Words::none(), view);
    }
}
