//! `cargo xtask bench`: figures measured side by side with bare baselines.

mod builds;
mod capture;
mod entries;
mod locomo;
mod outcomes;
mod recall;
mod recall_scale;
mod relevance;
mod repeats;
mod runs;
mod sde;
mod secrets;
pub(crate) mod sessions;
mod surfaces;
mod table;
mod transcripts;
mod web;

use crate::args::{Size, Target};

/// The benches. Each is a file under `bench/`.
#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Compares two builds.
    Builds(builds::Options),
    /// Measures what capture costs beside bare inserts of the same rows.
    Capture(capture::Options),
    /// Measures the verbs over entries beside bare reads of the same file.
    Entries(entries::Options),
    /// Measures how often the right session of a long conversation is found.
    Locomo(locomo::Options),
    /// Reads outputs of test and build runs; every verdict must be right.
    Outcomes(outcomes::Options),
    /// Measures how often the right memory is found, beside bare FTS5.
    Recall(recall::PromptSet),
    /// Measures search and session start beside bare engines with the same rows.
    RecallScale(recall_scale::Options),
    /// Measures when a prompt is answered unasked, and whether rightly.
    Relevance(recall::PromptSet),
    /// Lets errors come back, and counts the answers.
    Repeats,
    /// Measures a turn of a run beside the bare request to the same model.
    Runs(Target),
    /// Sends bug reports that depend on an earlier decision, and counts what they are given.
    Sde(sde::Options),
    /// Sends credentials through every entry point, and searches what is left.
    Secrets(secrets::Options),
    /// Replays real sessions and counts what they are given.
    Sessions(sessions::Options),
    /// Measures the surfaces beside bare baselines.
    Surfaces(Size),
    /// Measures how much of what people said an import stores.
    Transcripts(transcripts::Options),
    /// Opens every page in a browser, in a large store.
    Web(web::Options),
}

impl Bench {
    /// Runs it; returns false where a bound that fails the run was missed.
    pub(crate) fn run(self) -> anyhow::Result<bool> {
        match self {
            Self::Builds(options) => builds::run(options),
            Self::Capture(options) => capture::run(options),
            Self::Entries(options) => entries::run(&options),
            Self::Locomo(options) => locomo::run(&options),
            Self::Outcomes(options) => outcomes::run(&options),
            Self::Recall(set) => recall::run(&set),
            Self::RecallScale(options) => recall_scale::run(options),
            Self::Relevance(set) => relevance::run(&set),
            Self::Repeats => repeats::run(),
            Self::Runs(target) => runs::run(&target),
            Self::Sde(options) => sde::run(&options),
            Self::Secrets(options) => secrets::run(&options),
            Self::Sessions(options) => sessions::run(&options),
            Self::Surfaces(size) => surfaces::run(size),
            Self::Transcripts(options) => transcripts::run(&options),
            Self::Web(options) => web::run(&options),
        }
    }
}
