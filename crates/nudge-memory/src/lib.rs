//! The operations of Nudge: everything a person, an agent or a program can ask for.
//!
//! An [`operation::Operation`] is defined once, with its parameter type, result type, doc text,
//! writer tier and aliases. MCP tools, JSON-RPC methods, `discover`, the command line and the
//! reference page are walks over [`registry`]; no surface keeps a list of its own.

mod call_session;
pub mod caller;
pub mod capture;
pub mod desk;
pub mod discover;
pub mod hints;
pub mod house;
pub mod import;
pub mod inject;
pub mod learn;
pub mod memory;
pub mod operation;
pub mod projects;
pub mod proposals;
mod reactions;
pub mod recall;
mod receive;
pub mod registry;
pub mod review;
mod sessions;
mod stated_by;
pub mod upkeep;

pub use caller::{Ambient, Caller, Surface, Terms};
pub use memory::{Memory, SessionEnd};
pub use operation::{Effect, Operation};
pub use receive::Received;
