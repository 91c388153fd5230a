//! Statements through the entry point that every surface uses, and what the user says to agents.

mod change;
mod freshness;
mod heard;
mod knows;
mod quoted;
mod remember;
mod review;
mod said;
mod search;
mod setup;
mod silence;
