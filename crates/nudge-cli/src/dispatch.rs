//! Maps each command to its code.

use std::time::Instant;

use crate::cli::Command;
use crate::command::overview;
use crate::exit::{Exit, Failure};
use crate::help;
use crate::invocation::Invocation;

/// Runs the typed command. Without one, shows the overview.
pub(crate) fn run(
    command: Option<Command>,
    invocation: &Invocation,
    began: Instant,
) -> Result<Exit, Failure> {
    let Some(command) = command else { return overview::run(invocation) };
    match command {
        Command::Hint(args) => args.run(invocation),
        Command::Set(args) => args.run(invocation),
        Command::Get(args) => args.run(invocation),
        Command::Hook(args) => args.run(invocation, began),
        Command::Record(args) => args.run(invocation, began),
        Command::Pause(args) => args.run(invocation),
        Command::Unpause(args) => args.run(invocation),
        Command::Query(args) => args.run(invocation),
        Command::Ls(args) => args.run(invocation),
        Command::Stats(args) => args.run(invocation),
        Command::Delete(args) => args.run(invocation),
        Command::Bump(args) => args.run(invocation),
        Command::Remember(args) => args.run(invocation),
        Command::Correct(args) => args.run(invocation),
        Command::Forget(args) => args.run(invocation),
        Command::Knows(args) => args.run(invocation),
        Command::Review(args) => args.run(invocation),
        Command::Log(args) => args.run(invocation),
        Command::Undo(args) => args.run(invocation),
        Command::Export(args) => args.run(invocation),
        Command::Import(args) => args.run(invocation),
        Command::Install(args) => args.run(invocation),
        Command::Uninstall(args) => args.run(invocation),
        Command::Update(args) => args.run(invocation),
        Command::Serve(args) => args.run(invocation),
        Command::Status(args) => args.run(invocation),
        Command::Stop(args) => args.run(invocation),
        Command::Token(args) => args.run(invocation),
        Command::Discover(args) => args.run(invocation),
        Command::Config(args) => args.run(invocation),
        Command::Doctor(args) => args.run(invocation),
        Command::Backup(args) => args.run(invocation),
        Command::Restore(args) => args.run(invocation),
        Command::Mark(args) => args.run(invocation),
        Command::Pin(args) => args.pin(invocation),
        Command::Unpin(args) => args.unpin(invocation),
        Command::Purge(args) => args.run(invocation),
        Command::Project(args) => args.run(invocation),
        Command::Search(args) => args.run(invocation),
        Command::Show(args) => args.run(invocation),
        Command::Timeline(args) => args.run(invocation),
        Command::Sessions(args) => args.run(invocation),
        Command::Trace(args) => args.run(invocation),
        Command::Tui(args) => args.run(invocation),
        Command::Session(args) => args.run(invocation),
        Command::Focus(args) => args.run(invocation),
        Command::Handoff(args) => args.run(invocation),
        Command::Hypotheses(args) => args.run(invocation),
        Command::Journal(args) => args.run(invocation),
        Command::Entry(args) => args.run(invocation),
        Command::Ask(args) => args.run(invocation),
        Command::Run(args) => args.run(invocation),
        Command::Model(args) => args.run(invocation),
        Command::History(args) => args.run(invocation),
        Command::Recent(args) => args.run(invocation),
        Command::Learn(args) => args.run(invocation),
        Command::Fix(args) => args.run(invocation),
        Command::Context(args) => args.run(invocation),
        Command::Why(args) => args.run(invocation),
        Command::StopShowing(args) => args.run(invocation),
        Command::Usage(args) => args.run(invocation),
        Command::Statusline(args) => args.run(invocation),
        Command::Maintain(args) => args.run(invocation),
        Command::KeepIndex(args) => args.run(invocation),
        Command::Completions(args) => args.run(invocation),
        Command::Man(args) => args.run(invocation, help::tree(), help::reference),
    }
}
