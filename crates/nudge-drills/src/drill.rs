//! `cargo xtask drill`: suites that kill and crowd real processes and then count what is left.

mod capture;
mod contention;
mod durability;
mod failover;
mod index;
mod small_disk;
mod verdict;

/// Routes to a drill. Each drill is a file under `drill/` and names the spec anchors it shows.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["capture"] => capture::run(capture::Size::Full),
        ["capture", "--short"] => capture::run(capture::Size::Short),
        ["failover"] => failover::run(20),
        ["failover", "--short"] => failover::run(4),
        ["contention"] => contention::run(10_000),
        ["contention", "--short"] => contention::run(1_000),
        ["index"] => index::run(&index::FULL, None),
        ["index", "--short"] => index::run(&index::SHORT, None),
        ["index", "--bin", nudge] => index::run(&index::FULL, Some(nudge)),
        ["index", "--short", "--bin", nudge] => index::run(&index::SHORT, Some(nudge)),
        ["durability", ..] => durability::run(),
        _ => anyhow::bail!(
            "name a drill: capture [--short], failover [--short], contention [--short], index [--short] [--bin FILE] or durability"
        ),
    }
}
