//! `nudge learn`: what repeats across sessions, counted without a model.

mod page;

use clap::Args;
use nudge_home::surroundings;
use nudge_memory::learn::{LearnAnswer, LearnParams};
use nudge_memory::recall::ProjectParam;

use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::projects::named_here_or_all;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// Directory of the project, or its id or name [default: where you are]
    #[arg(long, value_name = "PROJECT", conflicts_with = "all")]
    project: Option<String>,
    /// Look at all projects
    #[arg(long)]
    all: bool,
    /// What happened at least so often [default: 3]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threshold: Option<i64>,
    /// After so many hours an occurrence counts half [default: 168]
    #[arg(long, value_name = "HOURS", allow_negative_numbers = true)]
    half_life: Option<f64>,
    /// At most so many of each [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<i64>,
}

impl LearnArgs {
    /// Asks for the report and shows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let project = named_here_or_all(self.project, self.all);
        let params = LearnParams {
            project,
            threshold: self.threshold,
            half_life_hours: self.half_life,
            limit: self.limit,
        };
        let answer = invocation.call("learn", &params, surroundings::here(&working_directory()))?;
        let all = params.project == ProjectParam::All;
        invocation.show::<LearnAnswer>(&answer, |page, answer| page::render(page, answer, all, now()))
    }
}
