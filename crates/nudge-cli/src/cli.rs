//! The commands: one table, from which the parser, the groups of the help page and the dispatch
//! come.

pub(crate) mod help;
mod man;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::command::{
    activity, ask, backup, completions, config, context, discover, doctor, entry, export, fix, hint,
    hypotheses, import, install, journal, knows, learn, maintain, model, note, overview, pause, project,
    purge, query, review, run, search, serve, session, sessions, set, show, statement, status, statusline,
    token, ui, uninstall, update, why,
};
use crate::exit::{Exit, Failure};
use crate::globals::Globals;
use crate::invocation::Invocation;
use crate::{hook, record, tui};

/// The memory that your coding agents share
#[derive(Debug, Parser)]
#[command(name = "nudge", version = crate::VERSION, max_term_width = 100)]
pub(crate) struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub(crate) globals: Globals,
    /// What to do; without a command, show where the user is.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Makes the commands from a table of groups.
macro_rules! commands {
    ($($title:literal { $($(#[$about:meta])* $name:ident($args:ty),)* })*) => {
        /// All commands. Arguments of one are built only when it is the one that was typed: the
        /// whole tree costs more than reading a hint does.
        #[derive(Debug, Subcommand)]
        #[command(defer = true)]
        pub(crate) enum Command {
            $($($(#[$about])* $name($args),)*)*
        }

        impl Command {
            fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
                match self {
                    $($(Self::$name(args) => args.run(invocation),)*)*
                }
            }
        }

        /// The title of each group and the number of its commands, in the order of the table.
        const GROUPS: &[(&str, usize)] = &[$(($title, [$(stringify!($name)),*].len()),)*];
    };
}

// Everyday groups come first. The last two are for programs, and other names for `nudge hint …`.
// The summaries are here, so the structs of arguments have no doc comments: clap would use those.
commands! {
    "Find" {
        /// Search past work: prompts, commands, edits, errors, notes
        Search(Box<search::SearchArgs>),
        /// Show entries in full: text, outcome, changes
        Show(show::ShowArgs),
        /// Show what happened before and after an entry
        Timeline(activity::TimelineArgs),
        /// List sessions: what was asked and how they ended
        Sessions(sessions::SessionsArgs),
        /// Show a session from start to end
        Trace(sessions::TraceArgs),
        /// Show which sessions touched a file, and why
        History(activity::HistoryArgs),
        /// Show recent activity, most relevant first
        Recent(activity::RecentArgs),
        /// Show what fixed an error or a failed command before
        Fix(fix::FixArgs),
        /// Browse sessions, search and proposals in the terminal
        Tui(tui::TuiArgs),
        /// Open the page in your browser: what agents do, live
        Ui(ui::UiArgs),
    }
    "Teach" {
        /// Save a statement: a fact or rule that your agents should know
        Remember(statement::RememberArgs),
        /// Replace the text of a statement
        Correct(statement::CorrectArgs),
        /// Withdraw a statement
        Forget(statement::ForgetArgs),
        /// Accept or drop proposals from agents and from your prompts
        Review(review::ReviewArgs),
        /// List statements by source and age
        Knows(knows::KnowsArgs),
        /// Add a note of your own to a session
        Mark(note::MarkArgs),
        /// Keep entries forever
        Pin(note::PinArgs),
        /// Let pinned entries expire again
        Unpin(note::UnpinArgs),
        /// Set, get and list hints: facts by component and key
        Hint(hint::HintArgs),
        /// Show earlier versions of hints and who changed them
        Log(hint::LogArgs),
        /// Restore an earlier version of a hint, even a deleted one
        Undo(hint::UndoArgs),
    }
    "Work" {
        /// Ask a model, which answers from memory and the project's files
        Ask(Box<ask::AskArgs>),
        /// Let a model change files and run commands; you decide on each
        Act(Box<ask::ActArgs>),
        /// List, show, resume, abort, fork, rename and keep runs of models
        Run(run::RunArgs),
        /// Show what a session is doing, or name it
        Session(session::SessionArgs),
        /// Set what is relevant to a session: files, ports, endpoints
        Focus(session::FocusArgs),
        /// Print what the next agent should know about a session
        Handoff(session::HandoffArgs),
        /// List what agents tried, what they expected and the outcome
        Hypotheses(hypotheses::HypothesesArgs),
        /// Write session reports, list them, mark them reviewed
        Journal(journal::JournalArgs),
        /// Read and change entries and files by path or pattern
        Entry(entry::EntryArgs),
    }
    "See what agents get" {
        /// Preview the context a new session here would get
        Context(context::ContextArgs),
        /// Explain why something was or was not injected, and its cost
        Why(why::WhyArgs),
        /// Count what was injected and how much of it agents used
        Usage(why::UsageArgs),
        /// Report what repeats: failed commands, errors, requests
        Learn(learn::LearnArgs),
        /// Stop injecting an entry, or allow it again
        StopShowing(why::StopShowingArgs),
    }
    "Control" {
        /// Set up your agents: hooks and MCP server
        Install(install::InstallArgs),
        /// Remove Nudge from agents and restore their files
        Uninstall(uninstall::UninstallArgs),
        /// Stop capturing: everything, a session or a project
        Pause(pause::PauseArgs),
        /// Resume capturing
        Unpause(pause::UnpauseArgs),
        /// Delete captured data permanently
        Purge(purge::PurgeArgs),
        /// List, rename, merge, trust or hide projects
        Project(project::ProjectArgs),
        /// Show every setting, its value and its source
        Config(config::ConfigArgs),
        /// List, add and remove models for `ask` and `act`, and save keys
        Model(model::ModelArgs),
        /// Check memory, server and agents, and suggest fixes
        Doctor(doctor::DoctorArgs),
        /// Show the server, the stored data and what is switched off
        Status(status::StatusArgs),
        /// Stop the server; also deletes hints set with `--ttl session`
        Stop(serve::StopArgs),
        /// Copy the memory to a file
        Backup(backup::BackupArgs),
        /// Replace the memory with a backup
        Restore(backup::RestoreArgs),
        /// Write hints as JSON
        Export(export::ExportArgs),
        /// Import hints, agent transcripts, notes or memories
        Import(import::ImportArgs),
        /// Summarise sessions, apply retention, reclaim space
        Maintain(maintain::MaintainArgs),
        /// Show the version and how to update it
        Update(update::UpdateArgs),
    }
    "Plumbing" {
        /// Record one event from an agent's hook (agents run this)
        Hook(hook::HookArgs),
        /// Record one JSON event from standard input, and report errors
        Record(record::RecordArgs),
        /// Serve agents over MCP; the first server also serves HTTP
        #[command(visible_alias = "mcp")]
        Serve(serve::ServeArgs),
        /// Describe the operations that agents and programs can call
        Discover(discover::DiscoverArgs),
        /// Show or replace the HTTP token, and make tokens for programs
        Token(token::TokenArgs),
        /// Print one line for an agent's status bar
        Statusline(statusline::StatuslineArgs),
        /// Print the completion script for a shell
        Completions(completions::CompletionsArgs),
        /// Print the manual page, or write all manual pages
        Man(man::ManArgs),
        /// Update the search index (Nudge runs this)
        #[command(hide = true)]
        KeepIndex(maintain::KeepIndexArgs),
    }
    "Short for `nudge hint`" {
        /// Set a hint, or replace the one with the same conditions
        Set(Box<set::SetArgs>),
        /// Get the hint that applies here, and why it applies
        Get(hint::GetArgs),
        /// List components, or the keys of one
        #[command(visible_alias = "list-components")]
        Ls(query::LsArgs),
        /// Delete a hint
        Delete(hint::DeleteArgs),
        /// Find hints by component, key, tag or text
        Query(query::QueryArgs),
        /// Mark a hint as useful, so that it ranks higher
        Bump(hint::BumpArgs),
        /// Count hints, and list the most used hints and tags
        Stats(hint::StatsArgs),
    }
}

/// Runs the typed command. Without one, shows the overview.
pub(crate) fn run(command: Option<Command>, invocation: &Invocation) -> Result<Exit, Failure> {
    match command {
        Some(command) => command.run(invocation),
        None => overview::run(invocation),
    }
}

/// The command line's words, in the order the parser reads them.
pub(crate) fn words() -> Vec<OsString> {
    fix::options_first(std::env::args_os().collect())
}

/// Parses the command line.
///
/// Before the parser reads a word, it prepares every command of its tree, which takes longer than
/// reading a hint. So it first gets a tree with the typed command alone. What that tree rejects is
/// parsed again with the whole tree: a request for help, and an error, which may name other
/// commands.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    let words = words();
    let mut whole = Cli::command();
    let typed = words.iter().skip(1).find(|word| !word.as_encoded_bytes().starts_with(b"-"));
    if let Some(typed) = typed.and_then(|name| whole.find_subcommand(name)) {
        let alone = Globals::augment_args(clap::Command::new("nudge")).subcommand(typed.clone());
        if let Ok(cli) = alone.try_get_matches_from(&words).and_then(|found| Cli::from_arg_matches(&found)) {
            return Ok(cli);
        }
    }
    let found = whole.try_get_matches_from_mut(words)?;
    Cli::from_arg_matches(&found).map_err(|error| error.format(&mut whole))
}

/// The names of the typed command and subcommands, without arguments. The command line was parsed
/// before, so parsing it again succeeds.
pub(crate) fn typed_command() -> String {
    let typed = Cli::command().try_get_matches_from(words());
    let Ok(typed) = typed else { return String::new() };
    let mut names = Vec::new();
    let mut level = &typed;
    while let Some((name, below)) = level.subcommand() {
        names.push(name);
        level = below;
    }
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_valid() {
        Cli::command().debug_assert();
    }
}
