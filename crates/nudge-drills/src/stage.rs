//! Where drills and benches play: the built programs, and a home of their own.
//!
//! Programs are built as CI builds them and started with nothing but HOME and PATH, which is all that
//! some agents give a server.

mod health;
mod home;
mod programs;
mod rows;
mod worker;

pub(crate) use health::health;
pub(crate) use home::{Home, ServerState, free_port};
pub(crate) use programs::{Programs, workshop};
pub(crate) use rows::Rows;
pub(crate) use worker::{Worker, lines_of};
