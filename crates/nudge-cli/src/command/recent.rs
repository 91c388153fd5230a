//! `nudge recent`: shows recent activity, the most important first.

use clap::Args;
use nudge_memory::recall::{RecentContextParams, ScoredObservation};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectsFlags;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::recall::{Line, SearchTerms, View};

// The arguments. The summary is in `cli.rs`, with the others.
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
        let answer = invocation.call("recent_context", &params, here())?;
        invocation.show::<Vec<ScoredObservation>>(&answer, |page, rows| render(page, rows, all, View::own()))
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
