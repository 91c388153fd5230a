//! Every integration test of this crate, in one binary: a further one would be linked again.

mod bad_input;
mod capture;
mod cli;
mod house;
mod index;
mod inject;
mod install;
mod payloads;
mod recall;
mod runs;
mod story;
mod trespass;
mod walls;
