//! `nudge run show`: one run in full.

use clap::Args;
use nudge_memory::runs::{RunParams, RunView};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::ProjectFlag;
use crate::invocation::Invocation;
use crate::pages::run;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Name of the run
    #[arg(value_name = "NAME")]
    run: String,
    /// Print every record, turn by turn
    #[arg(long)]
    turns: bool,
    #[command(flatten)]
    project: ProjectFlag,
}

impl ShowArgs {
    /// Shows the run.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let params = RunParams { run: self.run, project: self.project.named() };
        let answer = invocation.call("get_run", &params, here())?;
        let turns = self.turns;
        invocation.show::<RunView>(&answer, |page, view| {
            if turns {
                run::turns(page, view);
            } else {
                run::show(page, view);
            }
        })
    }
}
