//! `nudge run fork`: copies a run, and asks the copy.

use clap::Args;
use nudge_memory::runs::{AskParams, ForkRunParams, RunAccepted};

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::FollowFlags;
use crate::follow::{can_ask, ensure_server, known, send};
use crate::input;
use crate::invocation::Invocation;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
#[command(after_long_help = "\
The copy sees everything that the run saw. The run stays as it is.

Examples:
  nudge run fork port --name port-two
  nudge run fork port 'what if the port were taken?'")]
pub(crate) struct ForkArgs {
    /// Name of the run to copy
    #[arg(value_name = "NAME")]
    run: String,
    /// Question for the copy; - adds standard input
    prompt: Vec<String>,
    /// Name of the copy [default: the name of the run with a number]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    follow: FollowFlags,
}

impl ForkArgs {
    /// Copies the run. With a prompt, the copy is asked and followed.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let prompt = input::prompt(&self.prompt)?;
        if !self.prompt.is_empty() {
            ensure_server(invocation)?;
        }
        let original = self.run.clone();
        let params = ForkRunParams { run: self.run, name: self.name };
        let answer = invocation.call("fork_run", &params, here())?;
        let copy: RunAccepted = invocation.typed(&answer)?;
        if self.prompt.is_empty() {
            return invocation.show::<RunAccepted>(&answer, |page, copy| {
                page.good("✔").text(" copied ").strong(&original).text(" to ").strong(&copy.run).end();
                page.line(format!("  ask it with `nudge ask --run {} …`", copy.run)).end();
            });
        }
        let known = known(invocation, &copy.run)?;
        let no_interaction = !can_ask(invocation);
        let params = AskParams { prompt, run: Some(copy.run), no_interaction, ..AskParams::default() };
        send(invocation, &params, self.follow, known.as_ref())
    }
}
