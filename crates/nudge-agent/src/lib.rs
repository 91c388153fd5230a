//! Runs: which tools a model has, what it reads first, what its answer means, and what follows.
//!
//! Nothing here calls a model or reads a clock. [`Machine`] takes what happened as an [`Event`] and
//! returns what is to be done as [`Effect`]s; [`Driver`] does it in memory and reports back. Every
//! rule is a function of its arguments:
//!
//! - [`tools_for`] says which tools a loop has, [`PluginTools`] which those of its plugins are,
//!   [`system_prompt`] and [`REMINDERS`] explain them, [`grammar`] holds a small model to them;
//! - [`Policy`] decides which calls are recorded as rejected, [`proposals`] which may go ahead
//!   without asking;
//! - [`Ladder`] and [`measure`] keep a packet below its ceiling;
//! - [`VerdictChain`] decides whether a loop goes on, with [`fingerprint`] and [`is_cycle`].
//!
//! [`runs`] has the operations on runs and stores each step of a loop. [`registry`] lists the
//! operations of all nouns.

mod budget;
mod cycle;
mod driver;
mod dump;
mod gbnf;
mod machine;
mod plugins;
mod policy;
mod prompts;
pub mod proposals;
pub mod registry;
pub mod runs;
mod tool_docs;
mod tools;
mod verdict;

pub use budget::Limits;
pub use budget::{Ladder, Overflow, Step, measure};
pub use cycle::{fingerprint, is_cycle};
pub use driver::{CallDone, Driver, DriverEvents, Input, ModelFacts, ModelTurn, Need};
pub use dump::{DumpEntry, DumpTurn, dump};
pub use gbnf::grammar;
pub use machine::{Effect, Event, FailureKind, LoopFacts, Machine};
pub use plugins::{PluginTool, PluginTools};
pub use policy::{Policy, Recorded, Rejection, TagEnd};
pub use prompts::{DEFAULT_PERSONA, REMINDERS, system_prompt};
pub use registry::call;
pub use tool_docs::tool_doc;
pub use tools::{Flags, TOOL_ORDER, exclusion, tools_for};
pub use verdict::{Complaint, Ruling, TurnOutcome, TurnRecord, TurnVerdict, UpdateSeen, VerdictChain};
