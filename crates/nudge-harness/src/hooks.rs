//! Hooks: how an agent tells what happens and takes an answer, and what most agents do alike.

pub(crate) mod dialect;
pub(crate) mod event;
pub(crate) mod prompt;

use std::ffi::OsString;

use nudge_core::HookEvent;
use nudge_core::event::{Outcome, ToolCall, ToolKind};
use serde_json::{Map, Value};

use crate::payload::{Fields, ParseError};
use crate::spec::HarnessSpec;

/// The object that an agent is answered with.
pub(crate) type Answer = Map<String, Value>;

/// Looks up a variable of the environment that the agent gave its hook.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The code that one agent's hooks need beside its facts.
#[derive(Debug)]
pub(crate) struct Hooks {
    /// The facts.
    pub(crate) spec: &'static HarnessSpec,
    /// Reads its payloads.
    pub(crate) read: fn(&mut Fields) -> Result<HookEvent, ParseError>,
    /// Says how a tool call ended whose event is not one of failure.
    pub(crate) outcome: fn(&ToolCall, ToolKind) -> Outcome,
    /// Writes an answer in its dialect; an empty object says nothing.
    pub(crate) emit: fn(&HookEvent, Option<&str>, Option<&str>) -> Answer,
    /// Whether nobody watches the agent; `None` where it does not say.
    pub(crate) headless: fn(Environment<'_>) -> Option<bool>,
}
