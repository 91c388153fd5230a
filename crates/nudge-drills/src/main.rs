//! Drills, benches, fuzzing, and other people's clients and agents: everything that drives the
//! built program as a whole.
//!
//! `cargo xtask drill|bench|fit|fuzz|clients|agents|models` starts this program; this file only
//! routes. Every command is in the module with its name. Nothing of it ships.
//!
//! The commands build what they need with the profile that the benches measure. `--built DIR`
//! before a command uses the programs in DIR instead, such as `target/debug`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures and findings is what this program is for"
)]

mod agents;
mod args;
mod bench;
mod clients;
mod drill;
mod fit;
mod fuzz;
mod models;
mod repository;
mod stage;
mod tokenizer;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Drives the built program as a whole")]
struct Args {
    /// Uses the programs in this directory, such as `target/debug`, and builds none.
    #[arg(long, value_name = "DIR")]
    built: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Kills and overloads real processes, then counts what is left.
    #[command(subcommand)]
    Drill(drill::Drill),
    /// Prints figures, measured side by side with bare baselines.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Runs other people's MCP clients against the built binary.
    Clients(clients::Options),
    /// Fits the constants that decide what is injected.
    Fit(fit::Options),
    /// Runs real agents with Nudge installed in them.
    Agents(agents::Options),
    /// Sends damaged input through all that reads it.
    Fuzz(fuzz::Options),
    /// Asks real small models, and counts what their answers are good for.
    Models(models::Options),
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs a command; returns whether all of its checks passed.
fn run(args: Args) -> anyhow::Result<bool> {
    if let Some(dir) = &args.built {
        stage::Programs::use_built(dir)?;
    }
    match args.command {
        Command::Drill(drill) => drill.run(),
        Command::Bench(bench) => bench.run(),
        Command::Clients(options) => clients::run(&options),
        Command::Fit(options) => fit::run(&options),
        Command::Agents(options) => agents::run(&options),
        Command::Fuzz(options) => fuzz::run(options),
        Command::Models(options) => models::run(options),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_of_all_commands_are_sound() {
        Args::command().debug_assert();
    }

    /// As `.ci/run`, `.ci/steps` and the docs write them.
    #[test]
    fn the_commands_of_ci_and_docs_are_known() {
        for line in [
            "--built target/debug drill capture --short --unoptimised",
            "drill budget --stores 20",
            "drill month --short --bin x/nudge",
            "drill one-effect --verbs 10 --seed 3",
            "drill run-crash --points 10 --seed 3",
            "drill trespass --short --bin x/nudge",
            "drill attempts --bin x/nudge",
            "drill tui --bin x/nudge --out docs/tui.svg",
            "bench secrets --strict --credentials a --innocent b --credentials c",
            "bench secrets --cases a --cases b",
            "bench recall-scale --rows 10000000 --hooks --without-fts",
            "bench sessions --quick --project a --project b --show a:3",
            "bench builds --before old/nudge --rows 20000",
            "bench transcripts --strict",
            "agents --only no-worse --long",
            "agents demo --out docs",
            "clients --only stdio",
            "fuzz --seconds 600 --only queries",
            "models --short --turns 2 --only free",
            "bench sde --show",
            "bench locomo",
            "fit --check --rows rows.jsonl",
        ] {
            let parsed = Args::try_parse_from(std::iter::once("nudge-drills").chain(line.split(' ')));
            assert!(
                parsed.is_ok(),
                "{line}: {}",
                parsed.err().map(|error| error.to_string()).unwrap_or_default()
            );
        }
        for line in ["agents --only nobody", "fuzz --only everything", "models --only other", "bench builds"]
        {
            assert!(
                Args::try_parse_from(std::iter::once("nudge-drills").chain(line.split(' '))).is_err(),
                "{line}"
            );
        }
    }
}
