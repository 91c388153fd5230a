//! The baselines that Nudge is measured against, and the clients that the drills and benches drive
//! it with: `nudge-bare COMMAND ARGUMENT…`.
//!
//! Each command behaves like a program of its own. They are one program, because each further one
//! would link the product, Tantivy and the MCP library again. What is timed as a whole process is
//! in `process.rs`.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing figures and findings is what this program is for"
)]

mod bare_import;
mod bare_mcp;
mod bare_table;
mod bare_tantivy;
mod begin_within;
mod call_steadily;
mod capture_ledger;
mod contend;
mod figures;
mod hold_store;
mod kernel;
mod made_up_store;
mod observe;
mod product;
mod prose_store;
mod relevance;
mod replay_sessions;
mod search_beside;
mod time_entries;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, args)) = args.split_first() else {
        anyhow::bail!("usage: nudge-bare COMMAND ARGUMENT…");
    };
    run(name, args)
}

/// Runs one command with its arguments.
fn run(name: &str, args: &[String]) -> anyhow::Result<()> {
    match name {
        "ask-words" => search_beside::run_ask(args),
        "bare-import" => bare_import::run(args),
        "bare-mcp" => bare_mcp::run(args),
        "bare-search" => bare_tantivy::run_search(args),
        "begin-within" => begin_within::run(args),
        "call-steadily" => call_steadily::run(args),
        "capture-ledger" => capture_ledger::run(args),
        "contend" => contend::run(args),
        "dump-store" => hold_store::run_dump(args),
        "forget-starts" => hold_store::run_forget(args),
        "hold-store" => hold_store::run(args),
        "index-store" => product::run_index(args),
        "kernel" => kernel::run(args),
        "observe" => observe::run(args),
        "prose-store" => prose_store::run(args),
        "relevance" => relevance::run(args),
        "replay-sessions" => replay_sessions::run(args),
        "search-beside" => search_beside::run(args),
        "time-entries" => time_entries::run(args),
        "time-mcp" => call_steadily::run_time(args),
        unknown => anyhow::bail!("unknown command `{unknown}`"),
    }
}
