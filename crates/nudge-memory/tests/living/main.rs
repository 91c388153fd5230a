//! Living sessions: what is going on, what matters in them, what is tried, and what came of it.

mod context;
mod experiences;
mod hypotheses;
mod runs;
mod sessions;
mod setup;
