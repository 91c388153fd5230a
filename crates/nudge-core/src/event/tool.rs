//! Tool calls: the tool, its input, and how the call ended.

use serde_json::Value;

/// One tool call, with the program's own names and structure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The program's id of this call.
    pub id: Option<String>,
    /// The model provider's id of this call, if the program sends both.
    pub provider_id: Option<String>,
    /// The program's own name for the tool.
    pub name: String,
    /// The MCP server and tool behind it, if the program says so itself.
    pub mcp: Option<McpName>,
    /// The input; `Null` when not sent.
    pub input: Value,
    /// The response; `None` before it ran.
    pub response: Option<Value>,
    /// The error the program reports.
    pub error: Option<String>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// The outcome, if whoever sent the event states it itself.
    pub stated: Option<Outcome>,
    /// How long it ran, in milliseconds.
    pub duration_ms: Option<u64>,
}

impl ToolCall {
    /// A call with only a name.
    pub fn new(name: &str) -> Self {
        Self {
            id: None,
            provider_id: None,
            name: name.to_owned(),
            mcp: None,
            input: Value::Null,
            response: None,
            error: None,
            interrupted: false,
            stated: None,
            duration_ms: None,
        }
    }
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpName {
    /// The server's registered name; empty if the program does not report it.
    pub server: String,
    /// The tool.
    pub tool: String,
}

/// What a tool does, independent of its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Writes whole files.
    Write,
    /// Changes parts of files.
    Edit,
    /// Runs a command.
    Command,
    /// Searches files or text.
    Search,
    /// Fetches an address.
    WebFetch,
    /// Searches the web.
    WebSearch,
    /// Starts a subagent.
    TaskSpawn,
    /// Calls a tool of an MCP server.
    McpCall,
    /// Anything else.
    Other,
}

impl ToolKind {
    /// A short name, for logs and snapshots.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Command => "command",
            Self::Search => "search",
            Self::WebFetch => "web_fetch",
            Self::WebSearch => "web_search",
            Self::TaskSpawn => "task_spawn",
            Self::McpCall => "mcp_call",
            Self::Other => "other",
        }
    }
}

/// How a tool call ended, as far as the program reports it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It succeeded; a command exited with status 0.
    Success,
    /// It failed.
    Failed {
        /// The exit status, if reported.
        exit: Option<i32>,
    },
    /// Not reported. Never treated as success.
    Unknown,
}

impl Outcome {
    /// The outcome of a process with this exit status.
    pub const fn of_exit(status: i32) -> Self {
        if status == 0 { Self::Success } else { Self::Failed { exit: Some(status) } }
    }
}
