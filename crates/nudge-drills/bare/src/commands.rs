//! The commands by name.

mod bare_import;
mod bare_mcp;
mod begin_within;
mod call_steadily;
mod capture_ledger;
mod contend;
mod hold_store;
mod kernel;
mod observe;
mod prose_store;
mod relevance;
mod replay_sessions;
mod search_beside;
mod time_entries;

/// Runs one command with its arguments.
pub(crate) fn run(name: &str, args: &[String]) -> anyhow::Result<()> {
    match name {
        "ask-words" => search_beside::run_ask(args),
        "bare-get" => super::bare_table::run_get(args),
        "bare-import" => bare_import::run(args),
        "bare-mcp" => bare_mcp::run(args),
        "bare-record" => super::bare_table::run_record(args),
        "bare-search" => super::bare_tantivy::run_search(args),
        "begin-within" => begin_within::run(args),
        "call-steadily" => call_steadily::run(args),
        "capture-ledger" => capture_ledger::run(args),
        "contend" => contend::run(args),
        "dump-store" => hold_store::run_dump(args),
        "forget-starts" => hold_store::run_forget(args),
        "hold-store" => hold_store::run(args),
        "index-store" => super::product::run_index(args),
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
