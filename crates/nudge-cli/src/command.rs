//! The commands: one file each, with its arguments, what it does and what it prints.

pub(crate) mod backup;
pub(crate) mod bump;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod delete;
pub(crate) mod discover;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod ls;
pub(crate) mod man;
pub(crate) mod query;
pub(crate) mod restore;
pub(crate) mod serve;
pub(crate) mod set;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod stop;
pub(crate) mod token;

use crate::cli::Command;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;

/// Runs the command that was typed.
pub(crate) fn run(command: Command, invocation: &Invocation) -> Result<Exit, Failure> {
    match command {
        Command::Set(args) => args.run(invocation),
        Command::Get(args) => args.run(invocation),
        Command::Query(args) => args.run(invocation),
        Command::Ls(args) => args.run(invocation),
        Command::Stats(args) => args.run(invocation),
        Command::Delete(args) => args.run(invocation),
        Command::Bump(args) => args.run(invocation),
        Command::Export(args) => args.run(invocation),
        Command::Import(args) => args.run(invocation),
        Command::Serve(args) => args.run(invocation),
        Command::Status(args) => args.run(invocation),
        Command::Stop(args) => args.run(invocation),
        Command::Token(args) => args.run(invocation),
        Command::Discover(args) => args.run(invocation),
        Command::Config(args) => args.run(invocation),
        Command::Doctor(args) => args.run(invocation),
        Command::Backup(args) => args.run(invocation),
        Command::Restore(args) => args.run(invocation),
        Command::Completions(args) => args.run(invocation),
        Command::Man(args) => args.run(invocation),
    }
}
