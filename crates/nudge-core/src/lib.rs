//! The memory model: entries, hints, conditions, ranking.
//!
//! This crate is pure. It does no I/O and reads neither the clock nor the environment: time,
//! context and environment values are arguments, so every rule here can be tested in one line.

pub mod conditions;
pub mod context;
pub mod context_set;
pub mod duration;
pub mod entry;
pub mod entry_state;
pub mod event;
pub mod fault;
pub mod fitted;
pub mod frame;
pub mod glob;
pub mod hint;
pub mod hypothesis;
pub mod instruction;
mod named_enum;
pub mod observation;
pub mod path;
pub mod rank;
pub mod repo;
pub mod run;
pub mod scheme;
pub mod shell;
pub mod text;
pub mod time;
pub mod tokens;
pub mod ttl;

pub use conditions::Conditions;
pub use context::HostIdentity;
pub use context::{Context, EnvView, Os};
pub use entry::{Entry, EntryId, Scope};
pub use entry::{Provenance, Source, Tier};
pub use event::{EventKind, HookEvent, Outcome, Speaker};
pub use fault::{Fault, FaultKind};
pub use hint::{Hint, HintMeta, HintValue};
pub use observation::ObservationKind;
pub use path::EntryPath;
pub use time::Timestamp;
