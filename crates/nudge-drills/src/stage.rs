//! The setting of drills and benches: the built programs, and a separate home.
//!
//! Programs are started with only HOME and PATH, because some agents give a server nothing else.

mod daemon;
mod health;
mod programs;
mod rows;
mod verdict;
mod worker;

pub(crate) use daemon::{Daemon, Socket};
pub(crate) use health::health;
pub(crate) use nudge_testkit::home::{Home, ServerState, free_port};
pub(crate) use programs::{Programs, bench_cache};
pub(crate) use rows::Rows;
pub(crate) use verdict::Verdict;
pub(crate) use worker::{Worker, lines_of};
