//! Hooks: how an agent reports events and gets an answer, and code that most agents share.

pub(crate) mod event;
pub(crate) mod prompt;

use std::ffi::OsString;

use nudge_core::HookEvent;
use nudge_core::event::{Outcome, ToolCall, ToolKind};
use serde_json::{Map, Value};

use crate::payload::{Fields, ParseError};
use crate::spec::HarnessSpec;

/// The object that answers a hook.
pub(crate) type Answer = Map<String, Value>;

/// Looks up an environment variable that the agent set for its hook.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// One agent's facts, and the code its hooks need.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// The facts.
    pub(crate) spec: &'static HarnessSpec,
    /// Reads a payload.
    pub(crate) read: fn(&mut Fields) -> Result<HookEvent, ParseError>,
    /// Determines how a tool call ended, for events other than failures.
    pub(crate) outcome: fn(&ToolCall, ToolKind) -> Outcome,
    /// Writes an answer in the agent's dialect; an empty object says nothing.
    pub(crate) emit: fn(&HookEvent, Option<&str>, Option<&str>) -> Answer,
    /// Whether the agent runs unattended; `None` where it does not say.
    pub(crate) headless: fn(Environment<'_>) -> Option<bool>,
}
