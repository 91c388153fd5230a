//! The commands by name.

mod ask_words;
mod bare_get;
mod bare_import;
mod bare_mcp;
mod bare_record;
mod bare_search;
mod begin_within;
mod call_steadily;
mod capture_ledger;
mod contend;
mod dump_store;
mod forget_starts;
mod hold_store;
mod index_store;
mod kernel;
mod observe;
mod prose_store;
mod relevance;
mod replay_sessions;
mod search_beside;
mod small_commits;
mod time_entries;
mod time_mcp;

/// Runs one command with its arguments.
pub(crate) fn run(name: &str, args: &[String]) -> anyhow::Result<()> {
    match name {
        "ask-words" => ask_words::run(args),
        "bare-get" => bare_get::run(args),
        "bare-import" => bare_import::run(args),
        "bare-mcp" => bare_mcp::run(args),
        "bare-record" => bare_record::run(args),
        "bare-search" => bare_search::run(args),
        "begin-within" => begin_within::run(args),
        "call-steadily" => call_steadily::run(args),
        "capture-ledger" => capture_ledger::run(args),
        "contend" => contend::run(args),
        "dump-store" => dump_store::run(args),
        "forget-starts" => forget_starts::run(args),
        "hold-store" => hold_store::run(args),
        "index-store" => index_store::run(args),
        "kernel" => kernel::run(args),
        "observe" => observe::run(args),
        "prose-store" => prose_store::run(args),
        "relevance" => relevance::run(args),
        "replay-sessions" => replay_sessions::run(args),
        "search-beside" => search_beside::run(args),
        "small-commits" => small_commits::run(args),
        "time-entries" => time_entries::run(args),
        "time-mcp" => time_mcp::run(args),
        unknown => anyhow::bail!("unknown command `{unknown}`"),
    }
}
