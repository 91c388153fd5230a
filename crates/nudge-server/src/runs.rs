//! Drives the runs: takes the runs that wait, calls the models, stores their answers, runs accepted
//! commands, and notifies clients.
//!
//! Only PRIMARY does this. Each step is stored before the next, so a successor goes on where this
//! process ends; a request that was under way is marked as lost, never sent again.

mod call;
mod command;
mod drive;

pub use command::sandbox;
pub(crate) use drive::drive_all;
