//! Drills, benches, fuzzing, and other people's clients and agents: everything that drives the
//! built program as a whole.
//!
//! `cargo xtask drill|bench|fuzz|clients|agents|models` starts this program; this file only routes.
//! Every command is in the module with its name. Nothing of it ships.
//!
//! The commands build what they need with the profile that the benches measure. `--built DIR`
//! before a command uses the programs in DIR instead, such as `target/debug`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures and findings is what this program is for"
)]

mod agents;
mod bench;
mod clients;
mod drill;
mod fuzz;
mod models;
mod repository;
mod stage;
mod tokenizer;

use std::process::ExitCode;

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

/// Routes to a command, which returns whether all of its checks passed.
fn dispatch(args: &[String]) -> anyhow::Result<bool> {
    if let [flag, dir, rest @ ..] = args
        && flag == "--built"
    {
        stage::Programs::use_built(dir)?;
        return dispatch(rest);
    }
    let Some((command, rest)) = args.split_first() else {
        anyhow::bail!("no command given; `cargo xtask help` lists them");
    };
    match command.as_str() {
        "drill" => drill::run(rest),
        "bench" => bench::run(rest),
        "clients" => clients::run(rest),
        "agents" => agents::run(rest),
        "fuzz" => fuzz::run(rest),
        "models" => models::run(rest),
        unknown => anyhow::bail!("unknown command `{unknown}`; `cargo xtask help` lists them"),
    }
}
