//! The `nudge` command line: parse, run, exit code.

mod agent_above;
mod cli;
mod command;
mod complete;
mod context_args;
mod daemon;
mod durations;
mod exit;
mod fast_path;
mod file_limit;
mod flags;
mod follow;
mod globals;
mod hook;
mod input;
mod intake;
mod invocation;
mod keys;
mod lists;
mod output;
mod own_notes;
mod pages;
mod private_file;
mod record;
mod registration;
mod sanitize;
mod tui;
mod usage_error;

use std::process::ExitCode;
use std::time::Instant;

/// The version of this program. The feature builds the newer server for the upgrade drill.
const VERSION: &str = if cfg!(feature = "newer") { "999.0.0" } else { nudge_client::VERSION };

fn main() -> ExitCode {
    let began = Instant::now();
    // Before anything else: a stage of the sandbox inherits nothing, and must not read settings.
    if let Some(exit) = hidden_part() {
        return exit;
    }
    file_limit::handle();
    let asked = fast_path::FastPath::asked(std::env::args_os().skip(1));
    if let Some(exit) = asked.and_then(|path| path.run(began)) {
        return ExitCode::from(exit.code());
    }
    if let Some(exit) = complete::answer() {
        return ExitCode::from(exit.code());
    }
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(usage_error::exit(&error, began).code()),
    };
    let invocation = invocation::Invocation::new(cli.globals, began);
    let exit = cli::run(cli.command, &invocation).unwrap_or_else(|failure| {
        invocation::note_failure(&invocation, &cli::typed_command(), &failure);
        invocation.output.fail(&failure)
    });
    ExitCode::from(invocation.output.close(exit).code())
}

/// Does the work of a stage of the sandbox, or of the plugin that searches the web, if the server
/// started this process as one.
fn hidden_part() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == nudge_server::WEB_SEARCH {
        return Some(nudge_server::web_search());
    }
    if first != "__sandbox" {
        return None;
    }
    let words: Vec<_> = words.collect();
    Some(nudge_sandbox::stage(&words).unwrap_or(ExitCode::FAILURE))
}
