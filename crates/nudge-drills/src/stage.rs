//! The setting of drills and benches: the built programs, and a separate home.
//!
//! Programs are started with only HOME and PATH, because some agents give a server nothing else.

mod processes;
mod programs;
mod rows;
mod violations;

pub(crate) use nudge_testkit::home::{Home, ServerState, free_port};
pub(crate) use processes::{Daemon, Socket, Worker, health, lines_of};
pub(crate) use programs::{Programs, bench_cache};
pub(crate) use rows::Rows;
pub(crate) use violations::Violations;
