//! The form that every agent's facts take.

mod event;
mod limit;
mod mcp;

pub use event::{EventSpec, Moment};
pub use limit::{Limit, Patience};
pub use mcp::McpNaming;

use nudge_core::HookEvent;
use nudge_core::event::{Outcome, ToolCall, ToolKind};

use crate::payload::Fields;
use crate::payload::ParseError;
use crate::reply::Answer;

/// What is known of one agent's program. Measured on the version it names.
#[derive(Debug)]
pub struct HarnessSpec {
    /// The word for it in commands and in the store.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The version that these facts were measured on.
    pub measured: &'static str,
    /// The events it fires, and what each may be answered with.
    pub events: &'static [EventSpec],
    /// Its built-in tools, and what each does. A tool that is not listed does something else.
    pub tools: &'static [(&'static str, ToolKind)],
    /// How it names the tools of MCP servers.
    pub mcp: McpNaming,
    /// How much text it takes at once.
    pub limit: Limit,
    /// How long it waits for a hook.
    pub patience: Patience,
    /// The variables that hold the session id in the processes it starts.
    pub session_env: &'static [&'static str],
    /// What to print when there is nothing to say.
    pub silence: &'static str,
    /// What surprised us, one sentence each.
    pub traps: &'static [&'static str],
    /// Reads its payloads.
    pub(crate) read: fn(&mut Fields) -> Result<HookEvent, ParseError>,
    /// Says how a tool call ended whose event is not one of failure.
    pub(crate) outcome: fn(&ToolCall, ToolKind) -> Outcome,
    /// Writes an answer in its dialect; an empty object says nothing.
    pub(crate) emit: fn(&HookEvent, Option<&str>, Option<&str>) -> Answer,
}

impl HarnessSpec {
    /// The event with that name.
    pub fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// What a built-in tool does.
    pub fn tool(&self, name: &str) -> Option<ToolKind> {
        self.tools.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}
