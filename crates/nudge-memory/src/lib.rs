//! The operations of Nudge: everything a user, an agent or a program can ask for.
//!
//! An [`operation::Operation`] is defined once, with its parameter type, result type, doc text,
//! writer tier and aliases. MCP tools, JSON-RPC methods, `discover`, the command line and the
//! reference page are all generated from the registry in `nudge-agent`; no surface keeps a list of
//! its own.

mod anchors;
pub mod caller;
pub mod capture;
pub mod changes;
pub mod context_sets;
mod dispatch;
pub mod entries;
pub mod events;
mod failures;
pub mod hints;
pub mod hypotheses;
pub mod import;
pub mod inject;
pub mod knowledge;
pub mod learn;
pub mod manage_projects;
pub mod manage_sessions;
pub mod memory;
pub mod notes;
pub mod operation;
pub mod projects;
pub mod recall;
mod receive;
pub mod review;
pub mod sessions;
pub mod statements;
pub mod upkeep;

pub use caller::{Ambient, Caller, HintLimits, Surface, Terms};
pub use dispatch::{fitting_profile, for_surface, with_tools};
pub use memory::{Memory, SessionEnd};
pub use operation::{Effect, Operation};
pub use receive::Received;
