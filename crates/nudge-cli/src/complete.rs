//! Completion: the shell's script runs Nudge with `NUDGE_COMPLETE` set and gets the completions.
//!
//! Completion only reads. Without a memory it offers no values, and it never offers a private
//! project from outside.

mod source;

use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCandidates, CompletionCandidate};

use crate::cli::help;
use crate::command::completions::COMPLETE_VARIABLE;
use crate::exit::Exit;
use crate::output::to_stderr;

/// Answers the shell's request for completions; `None` if there is no such request.
pub(crate) fn answer() -> Option<Exit> {
    std::env::var_os(COMPLETE_VARIABLE)?;
    // The script passes the words after `--`. Without that, the variable is left over from
    // somewhere, and the command is an ordinary one.
    std::env::args_os().nth(1).filter(|first| first == "--")?;
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(tree)
        .var(COMPLETE_VARIABLE)
        .bin("nudge")
        .completer("nudge")
        .try_complete(std::env::args_os(), here.as_deref());
    match asked {
        Ok(true) => Some(Exit::Ok),
        Ok(false) => None,
        Err(error) => {
            to_stderr(&error.render().to_string());
            Some(Exit::Usage)
        }
    }
}

/// Every command, with the sources of its argument values.
fn tree() -> Command {
    help::tree().mut_subcommands(with_values)
}

fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let add = |arg: Arg| match candidates(&name, &arg) {
        Some(candidates) => arg.add(ArgValueCandidates::new(candidates)),
        None => arg,
    };
    command.mut_args(add).mut_subcommands(with_values)
}

/// The source of an argument's values. Arguments with a fixed list of values need none.
fn candidates(command: &str, arg: &Arg) -> Option<fn() -> Vec<CompletionCandidate>> {
    if !arg.get_action().takes_values() || !arg.get_possible_values().is_empty() {
        return None;
    }
    let found: fn() -> Vec<CompletionCandidate> = match (command, arg.get_id().as_str()) {
        // A path, not a project: `nudge import claude --project DIR`.
        ("claude" | "codex" | "copilot" | "gemini" | "opencode", "project") => return None,
        (_, "project") | ("merge", "from" | "into") | ("trust", "into") => source::projects,
        (_, "session") => source::sessions,
        (_, "component") | ("undo", "first") => source::components,
        (_, "key") => source::keys,
        (_, "entry") => source::entry_paths,
        (_, "run") => source::runs,
        (_, "model") => source::models,
        ("search", "obs_type") => source::types,
        ("purge", "kind") => source::captured_types,
        ("correct" | "forget", "id") => source::statements,
        ("accept" | "drop", "ids") => source::proposals,
        ("show" | "pin" | "unpin", "ids") | ("timeline" | "why" | "stop-showing", "id") => source::entries,
        ("hook", "harness") => source::agents,
        ("discover", "name") => source::operations,
        ("remember", "category") => source::categories,
        ("hypotheses", "status") => source::statuses,
        (_, "os" | "scope_os" | "path_os") => source::systems,
        (_, "ttl" | "default_ttl") => source::lifetimes,
        _ => return None,
    };
    Some(found)
}
