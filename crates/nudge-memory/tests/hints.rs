//! Hints through the entry point that every surface uses.

mod authority;
mod conditions;
mod exchange;
mod life;
mod ranking;
mod reading;
mod repeats;
mod secrets;
mod setup;
mod writing;
