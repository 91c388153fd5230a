//! The facts about an agent.

mod event;
mod limit;
mod mcp;
mod traces;

pub use event::{EventSpec, HookPoint};
pub use limit::{HookTimeout, Limit};
pub use mcp::McpNaming;
pub use traces::Traces;

use nudge_core::event::ToolKind;

/// The facts about one agent's program, measured on the version it names.
#[derive(Debug)]
pub struct HarnessSpec {
    /// Its name in commands and in the store.
    pub name: &'static str,
    /// Its display name.
    pub title: &'static str,
    /// The version that these facts were measured on.
    pub measured: &'static str,
    /// The events it fires, and the answers each accepts.
    pub events: &'static [EventSpec],
    /// Its built-in tools by kind. A tool that is not listed counts as another kind.
    pub tools: &'static [(&'static str, ToolKind)],
    /// How it names the tools of MCP servers.
    pub mcp: McpNaming,
    /// How much text it accepts at once.
    pub limit: Limit,
    /// How long it waits for a hook.
    pub timeout: HookTimeout,
    /// The variables with the session id in the processes it starts.
    pub session_env: &'static [&'static str],
    /// What to print for an empty answer.
    pub silence: &'static str,
    /// Surprising behaviour, one sentence each.
    pub traps: &'static [&'static str],
    /// How to recognise it in processes and connections.
    pub traces: Traces,
    /// Calls with an end that no event may report.
    pub unseen_ends: &'static [UnseenEnd],
}

impl HarnessSpec {
    /// The event with that name.
    pub fn event(&self, name: &str) -> Option<&'static EventSpec> {
        self.events.iter().find(|event| event.name == name)
    }

    /// The kind of a built-in tool.
    pub fn tool(&self, name: &str) -> Option<ToolKind> {
        self.tools.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}

/// A kind of call that is announced but may never be reported as ended, so that the announcement is
/// all we get.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum UnseenEnd {
    /// A call of an MCP tool that fails.
    McpCall,
    /// A patch that is applied through the shell.
    ShellPatch,
}
