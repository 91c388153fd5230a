//! The facts about an agent: its events, its limits, its tools, how to recognise it.

use std::time::Duration;

use nudge_core::event::{McpName, ToolKind};

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

/// When an event fires, before its payload is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum HookPoint {
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A prompt is submitted.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run.
    PostTool,
    /// A tool has failed.
    ToolFailure,
    /// The agent ends its turn.
    Stop,
    /// A subagent begins.
    SubagentStart,
    /// A subagent ends.
    SubagentStop,
    /// The context is about to be compacted.
    PreCompact,
    /// The context was compacted.
    PostCompact,
    /// The program notifies the user.
    Notification,
    /// Several tool calls at once.
    Batch,
    /// Anything else.
    Other,
}

/// An event that an agent fires.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct EventSpec {
    /// The agent's name for it.
    pub name: &'static str,
    /// When it fires.
    pub point: HookPoint,
    /// Whether text in the answer reaches the model, without side effects.
    pub context: bool,
    /// Whether a message in the answer reaches the user.
    pub notice: bool,
    /// Whether another event reports the same.
    pub repeats: bool,
}

impl EventSpec {
    /// An event that accepts no answer.
    pub const fn silent(name: &'static str, point: HookPoint) -> Self {
        Self { name, point, context: false, notice: false, repeats: false }
    }

    /// An event that accepts a message for the user.
    pub const fn notice(name: &'static str, point: HookPoint) -> Self {
        Self { notice: true, ..Self::silent(name, point) }
    }

    /// An event that accepts text for the model.
    pub const fn context(name: &'static str, point: HookPoint) -> Self {
        Self { context: true, ..Self::silent(name, point) }
    }

    /// An event that accepts both.
    pub const fn both(name: &'static str, point: HookPoint) -> Self {
        Self { context: true, notice: true, ..Self::silent(name, point) }
    }

    /// An event that repeats another one.
    pub const fn repeat(name: &'static str, point: HookPoint) -> Self {
        Self { repeats: true, ..Self::silent(name, point) }
    }
}

// How much text an agent accepts, and how long it waits.

/// The longest text that an agent passes on whole.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Limit {
    /// In UTF-16 units, as JavaScript counts.
    Utf16(usize),
    /// In bytes.
    Bytes(usize),
    /// No limit was found.
    NotFound,
}

impl Limit {
    /// Whether this text is within the limit.
    pub fn admits(self, text: &str) -> bool {
        match self {
            // Every UTF-16 unit takes at least one byte, so short texts need no counting.
            Self::Utf16(most) => text.len() <= most || text.encode_utf16().count() <= most,
            Self::Bytes(most) => text.len() <= most,
            Self::NotFound => true,
        }
    }
}

/// How long an agent waits for a hook before it kills it, if the registration sets no timeout.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct HookTimeout {
    /// At most events.
    pub usual: Duration,
    /// At the end of a session, when the program itself is about to exit.
    pub session_end: Duration,
}

impl HookTimeout {
    /// The same timeout at every event.
    pub const fn millis(usual: u64) -> Self {
        Self { usual: Duration::from_millis(usual), session_end: Duration::from_millis(usual) }
    }

    /// Sets a shorter timeout for the end of a session.
    pub const fn with_session_end(self, millis: u64) -> Self {
        Self { session_end: Duration::from_millis(millis), ..self }
    }
}

// How agents name the tools of MCP servers.

/// The format of the name. If the separator may also occur in names, the server ends at its first
/// occurrence; our own server's name is chosen so that this is right.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum McpNaming {
    /// `mcp__server__tool`
    McpDouble,
    /// `mcp_server_tool`
    McpSingle,
    /// `server__tool`
    Double,
    /// `server_tool`
    Single,
    /// `server-tool`, and `server/tool` where permission is asked for
    Dash,
    /// `MCP:tool`, with the server in a separate field
    Colon,
}

impl McpNaming {
    /// The server and the tool in a name; `None` when it is not in this format.
    pub fn split(self, name: &str) -> Option<McpName> {
        let (server, tool) = match self {
            Self::McpDouble => name.strip_prefix("mcp__")?.split_once("__")?,
            Self::McpSingle => name.strip_prefix("mcp_")?.split_once('_')?,
            Self::Double => name.split_once("__")?,
            Self::Single => name.split_once('_')?,
            Self::Dash => name.split_once('/').or_else(|| name.split_once('-'))?,
            Self::Colon => {
                return Some(McpName { server: String::new(), tool: rest_of_colon(name)?.to_owned() });
            }
        };
        (!server.is_empty() && !tool.is_empty())
            .then(|| McpName { server: server.to_owned(), tool: tool.to_owned() })
    }
}

fn rest_of_colon(name: &str) -> Option<&str> {
    name.strip_prefix("MCP:").map(str::trim).filter(|tool| !tool.is_empty())
}

// How to recognise an agent in the processes it starts and the connections it makes.

/// The names by which an agent is known outside its hooks.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Variables that it sets for the commands it runs. Taken from captured environments of real
    /// agents, else from the agents' documentation. Variables that a user sets permanently
    /// (`CODEX_HOME`) or that an editor sets in every terminal (`CURSOR_TRACE_ID`,
    /// `CLAUDE_CODE_SSE_PORT`) are not included.
    pub variables: &'static [&'static str],
    /// The names of its command-line program.
    pub programs: &'static [&'static str],
    /// Packages with its script, for agents that an interpreter runs.
    pub packages: &'static [&'static str],
    /// Prefixes of the names its MCP client reports, in lower case.
    pub clients: &'static [&'static str],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_counts_units_and_others_bytes() {
        let four_bytes_two_units = "𝄞";
        assert!(Limit::Utf16(2).admits(four_bytes_two_units));
        assert!(!Limit::Utf16(1).admits(four_bytes_two_units));
        assert!(!Limit::Bytes(3).admits(four_bytes_two_units));
        assert!(Limit::NotFound.admits(four_bytes_two_units));
    }

    #[test]
    fn every_form_gives_the_same_server_and_tool() {
        let forms = [
            (McpNaming::McpDouble, "mcp__nudge__set_hint"),
            (McpNaming::McpSingle, "mcp_nudge_set_hint"),
            (McpNaming::Double, "nudge__set_hint"),
            (McpNaming::Single, "nudge_set_hint"),
            (McpNaming::Dash, "nudge-set_hint"),
            (McpNaming::Dash, "nudge/set_hint"),
        ];
        let nudge = Some(McpName { server: "nudge".into(), tool: "set_hint".into() });
        for (naming, name) in forms {
            assert_eq!(naming.split(name), nudge, "{naming:?}");
        }
        let apart = McpName { server: String::new(), tool: "set_hint".into() };
        assert_eq!(McpNaming::Colon.split("MCP: set_hint"), Some(apart));
    }

    #[test]
    fn other_names_are_of_no_server() {
        for (naming, name) in [
            (McpNaming::McpDouble, "Bash"),
            (McpNaming::McpDouble, "mcp__alone"),
            (McpNaming::McpSingle, "read_file"),
            (McpNaming::Double, "run_commands"),
            (McpNaming::Single, "bash"),
            (McpNaming::Single, "_x"),
            (McpNaming::Dash, "view"),
            (McpNaming::Colon, "Shell"),
        ] {
            assert_eq!(naming.split(name), None, "{name}");
        }
    }
}
