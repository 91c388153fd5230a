//! The repository's own commands: its checks, and the entry point to its drills and benches.
//!
//! `cargo xtask <command>`; this file only routes. Every check is in the module with its name.
//! Everything that drives the built program is in `nudge-drills`, so that a check builds in
//! seconds.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing findings is what this program is for"
)]

mod anchors;
mod coverage;
mod docs;
mod finding;
mod rust_text;
mod size;
mod tidy;
mod tree;
mod web;

use std::process::{Command, ExitCode};

use anyhow::Context;

const USAGE: &str = "\
Usage: cargo xtask <command>

  tidy                                 the repository's own rules: crate edges, SQL, purity, headers, …
  tidy --floors [CRATE]                modules of each crate from the ground up, and circles among them
  anchors                              spec anchors and integration tests name each other
  coverage [LETTER | ID…] [--strict] [--summary]
                                       requirement ids, the anchors that state them, the tests that show them
  docs [--write] [--bin PATH]          console blocks run, links resolve, reference pages are current
  web types [--check] [--bin PATH]     web/src/api.ts has the types of all operations
  size [BINARY]                        files, lines, public items and dependencies; with a binary, its size by crate
  drill capture|failover|upgrade|contention [--short]
                                       kill and crowd real processes, then count
  drill durability                     a stated hint is synced before its reply, seen by strace
  drill budget [--short | --stores N]  begin sessions in made-up stores with budgets of every size
  drill month [--short] [--bin FILE]   a month of work under a false clock; UPDATE=1 writes its snapshot
  drill forgery [--bin FILE]           texts that look like instructions, through every door but the person's
  drill one-effect [--short | --verbs N] [--seed N] [--bin FILE]
                                       the same verbs over every surface; all stores must be equal
  drill run-crash [--short | --points N] [--seed N] [--bin FILE]
                                       kill the server at random moments of runs; no turn, call or command happens twice
  drill trespass [--short] [--bin FILE]
                                       hostile texts for a model that obeys them, with everything accepted ahead
  drill attempts [--short] [--bin FILE]
                                       attempts to get out of the sandbox, as accepted commands of runs
  drill tui [--bin FILE] [--out FILE]  drive `nudge tui` in a real terminal and draw its picture
  bench surfaces [--short]             measure the surfaces beside bare yardsticks
  bench capture [--rows N] [--commands FILE]
                                       measure what capture costs beside bare inserts of the same rows
  bench recall [--memory FILE] [--prompts FILE] [--strict]
                                       how often the right memory is found, beside bare FTS5
  bench relevance [--memory FILE] [--prompts FILE] [--strict]
                                       measure when a prompt is answered unasked, and whether rightly
  bench recall-scale [--rows N] [--words FILE] [--fresh] [--without-fts]
                                       measure search and session start beside bare engines with the same rows
  bench entries [--rows N | --short]   measure the verbs over entries beside bare reads of the same file
  bench runs [--short] [--bin FILE]    measure a turn of a run beside the bare request to the same model
  bench outcomes [--cases FILE]
  bench repeats
  bench sessions [--data DIR]… [--project NAME]… [--accept] [--quick] [--json FILE] [--show PROJECT[:N]]
                                       replay real sessions and count what they are given
  bench sde [--data DIR] [--show]      bug reports that depend on an earlier decision
  bench locomo [--data FILE]           the right session of a long conversation
  fit [--check] [--rows FILE]          fit the constants that decide what is injected, from real sessions
  clients                              real MCP clients against the built binary
  fuzz [--seconds N] [--seed N] [--only KIND]
                                       damaged payloads, transcripts and outputs through all that reads them
  agents [--only PART] [--long] [--sessions N]  real agents with Nudge installed in them, offline
  agents demo [--out DIR]              the same as a story of eight steps, recorded
  models [--smol GGUF] [--qwen GGUF] [--serve CMD | --url URL] [--turns N] [--keep DIR] [--short]
                                       ask real small models, and count what their answers are good for
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    dispatch(&args).unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::from(2)
    })
}

/// Routes to a command. A check returns whether everything is in order.
fn dispatch(args: &[String]) -> anyhow::Result<ExitCode> {
    let Some((command, rest)) = args.split_first() else {
        anyhow::bail!("no command given\n\n{USAGE}");
    };
    let in_order = match command.as_str() {
        "tidy" => tidy::run(rest)?,
        "anchors" => anchors::run(rest)?,
        "coverage" => coverage::run(rest)?,
        "docs" => docs::run(rest)?,
        "size" => size::run(rest)?,
        "web" => web::run(rest)?,
        "drill" | "bench" | "clients" | "agents" | "fit" | "fuzz" | "models" => return run_drills(args),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            true
        }
        unknown => anyhow::bail!("unknown command `{unknown}`\n\n{USAGE}"),
    };
    Ok(if in_order { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

// `cargo xtask drill|bench|fit|fuzz|clients|agents|models`: passed on to `nudge-drills`, which is
// built on demand.

/// Runs the command in `nudge-drills` and exits with its status.
fn run_drills(args: &[String]) -> anyhow::Result<ExitCode> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut drills = Command::new(cargo);
    drills.args(["run", "--quiet", "--package", "nudge-drills", "--"]).args(args);
    let status = drills.status().context("cargo cannot be started")?;
    Ok(code(status.code()))
}

/// A program that was ended by a signal has no exit code.
fn code(code: Option<i32>) -> ExitCode {
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_the_drills_is_ours() {
        assert_eq!(code(Some(0)), ExitCode::SUCCESS);
        assert_eq!(code(Some(2)), ExitCode::from(2));
        assert_eq!(code(None), ExitCode::FAILURE);
    }
}
