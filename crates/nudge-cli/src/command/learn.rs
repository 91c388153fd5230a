//! `nudge learn`: counts what repeats across sessions, without a model.

mod page;

use clap::Args;
use nudge_memory::learn::{LearnAnswer, LearnParams};
use nudge_memory::recall::ProjectParam;

use crate::context_args::here;
use crate::durations;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectsFlags;
use crate::invocation::{Invocation, now};

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    #[command(flatten)]
    projects: ProjectsFlags,
    /// Only what happened at least N times [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threshold: Option<i64>,
    /// Age at which an occurrence counts half, such as 7d; a bare number is hours [default: 7d]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = durations::hours)]
    half_life: Option<f64>,
    /// Show at most N of each kind [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<i64>,
}

impl LearnArgs {
    /// Asks for the report and shows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = self.projects.param();
        let params = LearnParams {
            project,
            threshold: self.threshold,
            half_life_hours: self.half_life,
            limit: self.limit,
        };
        let answer = invocation.call("learn", &params, here())?;
        let all = params.project == ProjectParam::All;
        invocation.show::<LearnAnswer>(&answer, |page, answer| page::render(page, answer, all, now()))
    }
}
