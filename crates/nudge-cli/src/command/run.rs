//! `nudge run`: the runs of models in a project.

mod abort;
mod fork;
mod keep;
mod ls;
mod rename;
mod resume;
mod show;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// The end of the help page.
const ABOUT: &str = "\
`nudge ask` starts a run or continues one. A run keeps its prompts, its answers
and everything that the model read.";

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = ABOUT)]
pub(crate) struct RunArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List runs: name, state, time, turns, cost, model and prompt
    Ls(ls::LsArgs),
    /// Show a run: prompts, answers, history, sources and usage
    Show(show::ShowArgs),
    /// Go on with a run that stopped without an answer, or watch it
    Resume(resume::ResumeArgs),
    /// Stop what a run works on
    Abort(abort::AbortArgs),
    /// Copy a run, and ask the copy
    Fork(fork::ForkArgs),
    /// Give a run another name
    Rename(rename::RenameArgs),
    /// Make what a run noted known in its project
    Keep(keep::KeepArgs),
}

impl RunArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls(args) => args.run(invocation),
            Verb::Show(args) => args.run(invocation),
            Verb::Resume(args) => args.run(invocation),
            Verb::Abort(args) => args.run(invocation),
            Verb::Fork(args) => args.run(invocation),
            Verb::Rename(args) => args.run(invocation),
            Verb::Keep(args) => args.run(invocation),
        }
    }
}
