//! Every integration test of this crate, in one binary: a further one would be linked again.

mod access;
mod bad_input;
mod capture;
mod cli;
mod index;
mod inject;
mod install;
mod isolation;
mod payloads;
mod recall;
mod runs;
mod story;
mod upkeep;
