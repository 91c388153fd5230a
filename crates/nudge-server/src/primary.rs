//! The parts of a PRIMARY: the lock it won, its identity, and its listeners.
//!
//! `serve` combines them with the jobs and HTTP.

mod control;
pub(crate) mod election;
mod files;
mod identity;
mod listeners;
pub(crate) mod port;
mod presence;
mod shutdown;
pub(crate) mod socket;

pub(crate) use files::PrimaryFiles;
pub(crate) use identity::Identity;
pub(crate) use listeners::{KeptPort, Listeners, StartedAs};
pub(crate) use presence::{Presence, newer_lives};
pub(crate) use shutdown::Shutdown;
