//! Statements through the one entrance that every surface uses, and what the person says to agents.

mod change;
mod freshness;
mod heard;
mod knows;
mod remember;
mod review;
mod said;
mod search;
mod setup;
mod silence;
