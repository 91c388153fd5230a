//! What makes a process PRIMARY: the lock it won, who it is, and where it listens.
//!
//! Here are the parts. `serve` puts them together, with the jobs and HTTP.

pub(crate) mod election;
mod files;
mod identity;
mod listeners;
pub(crate) mod port;
pub(crate) mod socket;

pub(crate) use files::PrimaryFiles;
pub(crate) use identity::Identity;
pub(crate) use listeners::{Listeners, StartedAs};
