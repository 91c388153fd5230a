//! The form that every agent's facts take.

mod event;
mod limit;
mod mcp;
mod traces;

pub use event::{EventSpec, Moment};
pub use limit::{Limit, Patience};
pub use mcp::McpNaming;
pub use traces::Traces;

use nudge_core::event::ToolKind;

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
    /// How it shows in processes and connections.
    pub traces: Traces,
    /// Calls whose end none of its events may tell.
    pub unseen_ends: &'static [UnseenEnd],
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

/// A call that is announced and whose end may never be told, so that the announcement is all there
/// will be of it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum UnseenEnd {
    /// A call of an MCP tool, when it fails.
    McpCall,
    /// A patch that is applied through the shell.
    ShellPatch,
}
