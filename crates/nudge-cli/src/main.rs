//! The `nudge` command line: parse, run, exit code.

mod agent_above;
mod cli;
mod command;
mod context_args;
mod doors;
mod exit;
mod fault_page;
mod file_limit;
mod globals;
mod hint_page;
mod hook;
mod intake;
mod invocation;
mod lists;
mod neutral;
mod output;
mod page;
mod recall_page;
mod record;
mod refused;
mod schema_page;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

fn main() -> ExitCode {
    let began = Instant::now();
    file_limit::handle();
    let asked = doors::Door::asked(std::env::args_os().skip(1));
    if let Some(exit) = asked.and_then(|door| door.enter(began)) {
        return ExitCode::from(exit.code());
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return ExitCode::from(refused::exit(&error, began).code()),
    };
    let invocation = invocation::Invocation::new(cli.globals);
    let exit = command::run(cli.command, &invocation, began)
        .unwrap_or_else(|failure| invocation.output.fail(&failure));
    ExitCode::from(invocation.output.close(exit).code())
}
