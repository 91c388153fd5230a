//! `nudge run ls`: lists runs, newest first.

use clap::Args;
use nudge_memory::runs::{GetRunsParams, RunList};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::run;
use crate::projects;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct LsArgs {
    /// Project name, id or directory [default: the project you are in]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// Include all projects
    #[arg(long, visible_alias = "all-projects")]
    all: bool,
    /// Show at most N runs, up to 200 [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<u32>,
}

impl LsArgs {
    /// Lists the runs.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = projects::named_here_or_all(self.project, self.all);
        let params = GetRunsParams { limit: self.limit, offset: None, project };
        let answer = invocation.call("get_runs", &params, here())?;
        invocation.show::<RunList>(&answer, |page, runs| run::list(page, runs, self.all))
    }
}
