//! `cargo xtask drill`: suites that kill and overload real processes and then count what is left.

mod attempts;
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
mod trespass;
mod tui;
mod upgrade;
mod witness;

use crate::args::{Product, Size, Target};

/// The drills. Each is a file under `drill/` and names the spec anchors it shows.
#[derive(clap::Subcommand)]
pub(crate) enum Drill {
    /// Tries to get out of the sandbox with accepted commands of runs.
    Attempts(Target),
    /// Begins sessions in made-up stores with budgets of every size.
    Budget(budget::Options),
    /// Runs hooks of many sessions on a small disk while servers die, then accounts for each event.
    Capture(capture::Options),
    /// Writes the same keys from eight processes.
    Contention(Size),
    /// Traces the system calls of a write.
    Durability,
    /// Kills the server again and again under load.
    Failover(Size),
    /// Sends texts that look like instructions through every entry point but the user's.
    Forgery(Product),
    /// Damages the search index in every way.
    Index(Target),
    /// Plays a month of work under a false clock; UPDATE=1 writes its snapshot.
    Month(Target),
    /// Calls the same verbs over every surface, and compares the stores.
    OneEffect(one_effect::Options),
    /// Kills the server at random moments of runs.
    RunCrash(run_crash::Options),
    /// Asks about a few topics of very long sessions.
    Share(Target),
    /// Sends hostile texts to a model that obeys them, with everything accepted ahead.
    Trespass(Target),
    /// Drives `nudge tui` in a real terminal and draws its picture.
    Tui(tui::Options),
    /// Starts newer servers under load.
    Upgrade(Size),
}

impl Drill {
    /// Runs it; returns whether nothing was violated.
    pub(crate) fn run(self) -> anyhow::Result<bool> {
        match self {
            Self::Attempts(target) => attempts::run(&target),
            Self::Budget(options) => budget::run(&options),
            Self::Capture(options) => capture::run(&options),
            Self::Contention(size) => contention::run(size.pick((10_000, 1_000))),
            Self::Durability => durability::run(),
            Self::Failover(size) => failover::run(size.pick((20, 4))),
            Self::Forgery(product) => forgery::run(&product),
            Self::Index(target) => index::run(&target),
            Self::Month(target) => month::run(&target),
            Self::OneEffect(options) => one_effect::run(&options),
            Self::RunCrash(options) => run_crash::run(&options),
            Self::Share(target) => share::run(&target),
            Self::Trespass(target) => trespass::run(&target),
            Self::Tui(options) => tui::run(&options),
            Self::Upgrade(size) => upgrade::run(size.pick((6, 2))),
        }
    }
}
