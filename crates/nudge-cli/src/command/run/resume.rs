//! `nudge run resume`: goes on with a run, or watches one that works.

use clap::Args;
use nudge_memory::runs::{RunAccepted, RunParams, RunView};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::{FollowFlags, ProjectFlag};
use crate::follow::{Follower, detached, ensure_server};
use crate::invocation::Invocation;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A run that was aborted, failed or lost its server goes on with its last prompt.
A run that works is watched, and if it waits for your answer, you are asked.")]
pub(crate) struct ResumeArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    #[command(flatten)]
    project: ProjectFlag,
    #[command(flatten)]
    follow: FollowFlags,
}

impl ResumeArgs {
    /// Resumes the run and follows it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let known: RunView = invocation.ask("get_run", &params, here())?;
        if self.follow.detach {
            ensure_server(invocation)?;
            return detached(invocation, &invocation.call("resume_run", &params, here())?);
        }
        let follower = Follower::new(invocation, self.follow.quiet, Some(&known))?;
        let accepted: RunAccepted = invocation.ask("resume_run", &params, here())?;
        follower.follow(&accepted, params.project)
    }
}
