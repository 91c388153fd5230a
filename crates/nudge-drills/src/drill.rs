//! `cargo xtask drill`: suites that kill and overload real processes and then count what is left.

mod budget;
mod capture;
mod contention;
mod desktop;
mod durability;
mod failover;
mod forgery;
mod index;
mod month;
mod one_effect;
mod run_crash;
mod share;
mod small_disk;
mod tui;
mod upgrade;
mod witness;

use std::fmt::Display;

use anyhow::Context;

/// Routes to a drill. Each drill is a file under `drill/` and names the spec anchors it shows.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["capture"] => capture::run(capture::Size::Full, capture::Timing::Strict),
        ["capture", "--short"] => capture::run(capture::Size::Short, capture::Timing::Strict),
        ["capture", "--short", "--unoptimised"] => {
            capture::run(capture::Size::Short, capture::Timing::Unoptimised)
        }
        ["failover"] => failover::run(20),
        ["failover", "--short"] => failover::run(4),
        ["upgrade"] => upgrade::run(6),
        ["upgrade", "--short"] => upgrade::run(2),
        ["contention"] => contention::run(10_000),
        ["contention", "--short"] => contention::run(1_000),
        ["index"] => index::run(&index::FULL, None),
        ["index", "--short"] => index::run(&index::SHORT, None),
        ["index", "--bin", nudge] => index::run(&index::FULL, Some(nudge)),
        ["index", "--short", "--bin", nudge] => index::run(&index::SHORT, Some(nudge)),
        ["durability", ..] => durability::run(),
        ["month"] => month::run(month::Size::Full, None),
        ["month", "--short"] => month::run(month::Size::Short, None),
        ["month", "--bin", nudge] => month::run(month::Size::Full, Some(nudge)),
        ["month", "--short", "--bin", nudge] => month::run(month::Size::Short, Some(nudge)),
        ["forgery"] => forgery::run(None),
        ["forgery", "--bin", nudge] => forgery::run(Some(nudge)),
        ["share"] => share::run(share::Size::Full, None),
        ["share", "--short"] => share::run(share::Size::Short, None),
        ["share", "--bin", nudge] => share::run(share::Size::Full, Some(nudge)),
        ["share", "--short", "--bin", nudge] => share::run(share::Size::Short, Some(nudge)),
        ["one-effect", ref rest @ ..] => one_effect::run(rest),
        ["run-crash", ref rest @ ..] => run_crash::run(rest),
        ["tui", ref rest @ ..] => tui::run(rest),
        ["budget"] => budget::run(budget::FULL),
        ["budget", "--short"] => budget::run(budget::SHORT),
        ["budget", "--stores", stores] => budget::run(stores.parse().context("--stores takes a number")?),
        _ => anyhow::bail!(
            "name a drill: capture [--short [--unoptimised]], failover [--short], upgrade [--short], contention [--short], index [--short] [--bin FILE], durability, budget [--short | --stores N], month [--short] [--bin FILE], share [--short] [--bin FILE], forgery [--bin FILE], one-effect [--short | --verbs N] [--seed N] [--bin FILE], run-crash [--short | --points N] [--seed N] [--bin FILE] or tui [--bin FILE] [--out FILE]"
        ),
    }
}

// The violations that a drill found.

/// Violations, in the order they were found.
#[derive(Debug, Default)]
struct Verdict(Vec<String>);

impl Verdict {
    /// Records a violation unless `holds` is true.
    fn demand(&mut self, holds: bool, otherwise: impl Display) {
        if !holds {
            self.0.push(otherwise.to_string());
        }
    }

    /// The violations so far.
    #[cfg(test)]
    fn violations(&self) -> &[String] {
        &self.0
    }

    /// Prints the verdict and returns whether there is no violation.
    fn close(self, shown: &str) -> bool {
        for violation in &self.0 {
            println!("VIOLATION: {violation}");
        }
        if self.0.is_empty() {
            println!("passed: {shown}");
        }
        self.0.is_empty()
    }
}
