//! The repository's own commands: checks, drills and benches.
//!
//! `cargo xtask <command>`; this file only routes. Every command lives in the module of its name.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing findings is what this program is for"
)]

mod agents;
mod anchors;
mod bench;
mod clients;
mod coverage;
mod docs;
mod drill;
mod finding;
mod fuzz;
mod npm;
mod pattern;
mod rust_text;
mod stage;
mod tidy;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <command>

  tidy                                 the repository's own rules: crate edges, SQL, purity, headers, …
  tidy --floors                        modules of each crate from the ground up, and circles among them
  anchors                              spec anchors and integration tests name each other
  coverage [LETTER | ID…] [--strict] [--summary]
                                       requirement ids, the anchors that state them, the tests that show them
  docs [--write] [--bin PATH]          console blocks run, links resolve, reference pages are current
  drill capture|failover|contention [--short]
                                       kill and crowd real processes, then count
  drill durability                     a stated hint is synced before its reply, seen by strace
  bench surfaces [--short]             measure the surfaces beside bare yardsticks
  bench capture [--rows N] [--commands FILE]
                                       measure what capture costs beside bare inserts of the same rows
  bench recall [--memory FILE] [--prompts FILE] [--strict]
                                       how often the right memory is found, beside bare FTS5
  bench recall-scale [--rows N] [--words FILE] [--fresh] [--without-fts]
                                       measure search and session start beside bare engines with the same rows
  clients                              real MCP clients against the built binary
  fuzz [--seconds N] [--seed N]        damaged payloads and transcripts through all that reads them
  agents [--only NAME]                 real agents with Nudge installed in them, offline
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Routes to a command, which answers whether everything it looked at is in order.
fn dispatch(args: &[String]) -> anyhow::Result<bool> {
    let Some((command, rest)) = args.split_first() else {
        anyhow::bail!("no command given\n\n{USAGE}");
    };
    match command.as_str() {
        "tidy" => tidy::run(rest),
        "anchors" => anchors::run(rest),
        "coverage" => coverage::run(rest),
        "docs" => docs::run(rest),
        "drill" => drill::run(rest),
        "bench" => bench::run(rest),
        "clients" => clients::run(rest),
        "agents" => agents::run(rest),
        "fuzz" => fuzz::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(true)
        }
        unknown => anyhow::bail!("unknown command `{unknown}`\n\n{USAGE}"),
    }
}
