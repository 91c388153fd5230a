//! Live sessions: their activity, their context, their hypotheses and the outcomes.

mod context;
mod experiences;
mod hypotheses;
mod runs;
mod sessions;
mod setup;
