//! What can be typed: the commands and the flags they share.

use clap::{Parser, Subcommand};

use crate::command::{
    backup, bump, completions, config, context, correct, delete, discover, doctor, export, fix, focus,
    forget, get, handoff, history, hook, hypotheses, import, install, journal, keep_index, knows, learn, log,
    ls, maintain, man, mark, pause, pin, project, purge, query, recent, record, remember, restore, review,
    search, serve, session, sessions, set, show, stats, status, statusline, stop, stop_showing, timeline,
    token, trace, undo, uninstall, update, usage, why,
};
use crate::globals::Globals;

/// The end of every help page: what scripts rely on.
const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  failed; the reason and a way out are on standard error (--json: on output)
  2  the command line is wrong
  3  there is no such hint, or none that applies here

The memory lies in ~/.local/share/nudge. No server is needed: without one,
commands open the memory themselves.";

/// The memory that your coding agents share
#[derive(Debug, Parser)]
#[command(name = "nudge", version = crate::VERSION, after_help = AFTER_HELP, max_term_width = 100)]
pub(crate) struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub(crate) globals: Globals,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// All commands. Arguments of one are built only when it is the one that was typed: the whole
/// tree costs more than reading a hint does.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Leave a hint, or replace the one with the same conditions
    Set(Box<set::SetArgs>),
    /// Read the hint that applies here, and why it does
    Get(get::GetArgs),
    /// Search hints by component, key, tag or pattern
    Query(query::QueryArgs),
    /// List components, or the keys of one
    #[command(visible_alias = "list-components")]
    Ls(ls::LsArgs),
    /// Count hints, and name the tags and hints that are used most
    Stats(stats::StatsArgs),
    /// Delete a hint
    Delete(delete::DeleteArgs),
    /// Say that a hint was useful: it ranks higher
    Bump(bump::BumpArgs),
    /// State something that holds from now on
    Remember(remember::RememberArgs),
    /// Put other words in the place of a statement
    Correct(correct::CorrectArgs),
    /// Give a statement up
    Forget(forget::ForgetArgs),
    /// List what is stated, by source and freshness
    Knows(knows::KnowsArgs),
    /// Decide on what agents proposed, and on what you said that seems meant to hold
    Review(review::ReviewArgs),
    /// Show earlier versions of hints, and who changed them
    Log(log::LogArgs),
    /// Bring an earlier version of a hint back, also of a deleted one
    Undo(undo::UndoArgs),
    /// Write hints as JSON
    Export(export::ExportArgs),
    /// Take in exported hints, an agent's transcripts, or memories
    Import(import::ImportArgs),
    /// Put Nudge into the agents on this machine: hooks and MCP server
    Install(install::InstallArgs),
    /// Take Nudge out of agents, and put their files back
    Uninstall(uninstall::UninstallArgs),
    /// Say which version this is, how it was installed and how to update it
    Update(update::UpdateArgs),
    /// Serve agents over MCP; the first one also over HTTP
    #[command(visible_alias = "mcp")]
    Serve(serve::ServeArgs),
    /// Take in one event of an agent's hook (agents run this)
    Hook(hook::HookArgs),
    /// Take in one event as JSON, with messages and exit codes
    Record(record::RecordArgs),
    /// Capture nothing for a while: at all, of a session or of a project
    Pause(pause::PauseArgs),
    /// End pauses
    Unpause(pause::UnpauseArgs),
    /// Say whether a server runs, how much is stored and what is off
    Status(status::StatusArgs),
    /// Stop the server and end the session
    Stop(stop::StopArgs),
    /// Show where the HTTP token lies, or replace it
    Token(token::TokenArgs),
    /// Describe the operations that agents and programs can call
    Discover(discover::DiscoverArgs),
    /// Print every setting, its value and where it came from
    Config(config::ConfigArgs),
    /// Check memory, server and agents, with a way out of each problem
    Doctor(doctor::DoctorArgs),
    /// Copy the whole memory to a file
    Backup(backup::BackupArgs),
    /// Replace the whole memory by a backup
    Restore(restore::RestoreArgs),
    /// Find what agents did and people asked, by its words
    Search(Box<search::SearchArgs>),
    /// Show the whole of something: its text, how it ended, what changed
    Show(show::ShowArgs),
    /// Show something among what happened before and after it
    Timeline(timeline::TimelineArgs),
    /// List sessions, with what was wanted and how they ended
    Sessions(sessions::SessionsArgs),
    /// Show what a session is doing, or give it a name
    Session(session::SessionArgs),
    /// Mark what is relevant to a session: files, ports, endpoints
    Focus(focus::FocusArgs),
    /// Say what the next agent or person should know of a session
    Handoff(handoff::HandoffArgs),
    /// List what agents tried, what they expected, and how it ended
    Hypotheses(hypotheses::HypothesesArgs),
    /// Wrap sessions up in words, and look back on them
    Journal(journal::JournalArgs),
    /// Show a session from beginning to end
    Trace(trace::TraceArgs),
    /// Show which sessions touched a file, and what for
    History(history::HistoryArgs),
    /// Show what happened lately, the most telling first
    Recent(recent::RecentArgs),
    /// Leave a note of your own among what agents did
    Mark(mark::MarkArgs),
    /// Keep observations for good
    Pin(pin::PinArgs),
    /// Keep observations no longer than others
    Unpin(pin::PinArgs),
    /// Remove what was captured, for good
    Purge(purge::PurgeArgs),
    /// Show what a session that began here now would be told
    Context(context::ContextArgs),
    /// Say why something was told or was not, and what it cost
    Why(why::WhyArgs),
    /// Keep an entry from being injected, or show it again
    StopShowing(stop_showing::StopShowingArgs),
    /// Count what agents were told unasked, and what of it they used
    Usage(usage::UsageArgs),
    /// Print one line for an agent's status bar
    Statusline(statusline::StatuslineArgs),
    /// Report what repeats: failed commands, errors, intents
    Learn(learn::LearnArgs),
    /// Show what helped when the same error or command failed before
    Fix(fix::FixArgs),
    /// List, rename or merge the projects that agents worked in
    Project(project::ProjectArgs),
    /// Sum sessions up, let old things go, give space back
    Maintain(maintain::MaintainArgs),
    /// Bring the search index up with the memory (started by Nudge itself)
    #[command(hide = true)]
    KeepIndex(keep_index::KeepIndexArgs),
    /// Print completions for a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, or write all of them
    Man(man::ManArgs),
}

/// The command by its own name, and nothing else of what was typed. It was parsed once, so it parses.
pub(crate) fn typed_command() -> String {
    let typed = <Cli as clap::CommandFactory>::command().try_get_matches();
    typed.ok().and_then(|typed| typed.subcommand_name().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_tree_is_sound() {
        Cli::command().debug_assert();
    }
}
