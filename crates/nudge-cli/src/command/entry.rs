//! `nudge entry`: reads and changes entries and files by path or pattern.

mod apply;
mod constraint;
mod get;
mod outcome;
mod rm;
mod set;

use clap::{Args, Subcommand};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// The end of the help page.
const PATHS_HELP: &str = "\
A path such as known://auth/plan names an entry of memory, and a path without
:// names a file, from the root of the project. A pattern names several:
  known://plan/*      one level (* and ? stay between slashes)
  known://**          all levels
  src/*.rs            files
  /known:.*auth.*/    a regular expression; it must match the whole path

An agent cannot change what you wrote, or any file: its change waits for
`nudge review`. Yours is made at once.";

#[derive(Debug, Args)]
#[command(after_long_help = PATHS_HELP)]
pub(crate) struct EntryArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print entries or files, and put them into view
    Get(Box<get::GetArgs>),
    /// List entries: path, state, visibility, cost and source
    Ls(get::LsArgs),
    /// Create or edit an entry or a file
    Set(Box<set::SetArgs>),
    /// Remove entries or files
    Rm(rm::RmArgs),
    /// Copy entries or files
    Cp(rm::TransferArgs),
    /// Rename entries or files
    Mv(rm::TransferArgs),
    /// Record how far the work has come
    Update(set::UpdateArgs),
    /// Store a list of the project's files and their cost
    Scan(get::ScanArgs),
    /// List or set which files belong to the project or are read-only
    Constraint(constraint::ConstraintArgs),
    /// Carry out the tags in a model's output
    Apply(apply::ApplyArgs),
}

impl EntryArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Get(args) => args.run(invocation),
            Verb::Ls(args) => args.run(invocation),
            Verb::Set(args) => args.run(invocation),
            Verb::Rm(args) => args.run(invocation),
            Verb::Cp(args) => args.copy(invocation),
            Verb::Mv(args) => args.rename(invocation),
            Verb::Update(args) => args.run(invocation),
            Verb::Scan(args) => args.run(invocation),
            Verb::Constraint(args) => args.run(invocation),
            Verb::Apply(args) => args.run(invocation),
        }
    }
}
