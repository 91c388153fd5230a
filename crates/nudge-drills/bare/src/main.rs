//! The baselines that Nudge is measured against, and the clients that the drills and benches drive
//! it with: `nudge-bare COMMAND ARGUMENT…`.
//!
//! Each command is a file under `commands/` and behaves like a program of its own. They are one
//! program, because each further one would link the product, Tantivy and the MCP library again.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures and findings is what this program is for"
)]

mod bare_table;
mod bare_tantivy;
mod commands;
mod figures;
mod made_up_store;
mod product;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, args)) = args.split_first() else {
        anyhow::bail!("usage: nudge-bare COMMAND ARGUMENT…");
    };
    commands::run(name, args)
}
