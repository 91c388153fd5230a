//! `nudge hint`: all commands about hints. `nudge set`, `get`, `ls` and the others work the same
//! without `hint`.

use clap::{Args, Subcommand};

use super::{bump, delete, export, get, import, log, ls, query, set, stats, undo};
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

// The arguments. The summary is in `cli.rs`, with the others.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A hint is a fact with a component and a key: `nudge hint set api build 'make'`.
Agents get the hints that apply where they work.

nudge set, get, ls, query, bump, stats, log, undo and export are short for the
same commands of nudge hint; nudge delete is short for nudge hint rm.")]
pub(crate) struct HintArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Verb {
    /// Set a hint, or replace the one with the same conditions
    Set(Box<set::SetArgs>),
    /// Get the hint that applies here, and why it applies
    Get(get::GetArgs),
    /// List components, or the keys of one
    Ls(ls::LsArgs),
    /// Delete a hint
    #[command(alias = "delete")]
    Rm(delete::DeleteArgs),
    /// Find hints by component, key, tag or text
    Query(query::QueryArgs),
    /// Mark a hint as useful, so that it ranks higher
    Bump(bump::BumpArgs),
    /// Count hints, and list the most used hints and tags
    Stats(stats::StatsArgs),
    /// Show earlier versions of hints and who changed them
    Log(log::LogArgs),
    /// Restore an earlier version of a hint, even a deleted one
    Undo(undo::UndoArgs),
    /// Write hints as JSON
    Export(export::ExportArgs),
    /// Import hints written by `nudge hint export`
    Import(import::HintFileArgs),
}

impl HintArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Set(args) => args.run(invocation),
            Verb::Get(args) => args.run(invocation),
            Verb::Ls(args) => args.run(invocation),
            Verb::Rm(args) => args.run(invocation),
            Verb::Query(args) => args.run(invocation),
            Verb::Bump(args) => args.run(invocation),
            Verb::Stats(args) => args.run(invocation),
            Verb::Log(args) => args.run(invocation),
            Verb::Undo(args) => args.run(invocation),
            Verb::Export(args) => args.run(invocation),
            Verb::Import(args) => args.run(invocation),
        }
    }
}
