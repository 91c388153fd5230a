//! The `nudge` command line: parse, run, exit code.

mod cli;
mod command;
mod context_args;
mod exit;
mod fault_page;
mod fit;
mod globals;
mod hint_page;
mod invocation;
mod lists;
mod neutral;
mod output;
mod page;
mod schema_page;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let invocation = invocation::Invocation::new(cli.globals);
    let exit =
        command::run(cli.command, &invocation).unwrap_or_else(|failure| invocation.output.fail(&failure));
    ExitCode::from(exit.code())
}
