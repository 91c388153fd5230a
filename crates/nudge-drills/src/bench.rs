//! `cargo xtask bench`: figures measured side by side with bare baselines.

mod builds;
mod capture;
mod entries;
mod outcomes;
mod recall;
mod recall_scale;
mod relevance;
mod repeats;
mod runs;
mod secrets;
pub(crate) mod sessions;
mod surfaces;
mod table;
mod transcripts;

/// Routes to a bench. Each bench is a file under `bench/`.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["surfaces"] => surfaces::run(surfaces::Size::Full),
        ["surfaces", "--short"] => surfaces::run(surfaces::Size::Short),
        ["builds", ..] => builds::run(&args[1..]),
        ["capture", ..] => capture::run(&args[1..]),
        ["entries", ..] => entries::run(&args[1..]),
        ["outcomes", ..] => outcomes::run(&args[1..]),
        ["recall", ..] => recall::run(&args[1..]),
        ["recall-scale", ..] => recall_scale::run(&args[1..]),
        ["relevance", ..] => relevance::run(&args[1..]),
        ["repeats", ..] => repeats::run(&args[1..]),
        ["runs", ..] => runs::run(&args[1..]),
        ["secrets", ..] => secrets::run(&args[1..]),
        ["sessions", ..] => sessions::run(&args[1..]),
        ["transcripts", ..] => transcripts::run(&args[1..]),
        _ => anyhow::bail!(
            "name a bench: builds --before BINARY [--rows N], surfaces [--short], capture [--rows N] [--commands FILE], entries [--rows N | --short], outcomes [--cases FILE], repeats, runs [--short] [--bin FILE], recall [--memory FILE] [--prompts FILE] \
             [--strict], relevance [--memory FILE] [--prompts FILE] [--strict], recall-scale [--rows N] [--words FILE] [--fresh] [--without-fts], secrets [--credentials FILE]… \
             [--innocent FILE]… [--misses FILE] [--strict], sessions [--data DIR] [--project NAME]… [--accept] [--quick] \
             [--json FILE] [--show PROJECT[:N]] or transcripts [--dir DIR] [--bin PATH] [--strict]"
        ),
    }
}
