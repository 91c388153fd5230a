//! Tool calls: what was called, with what, and how it ended.

use serde_json::Value;

/// One call of a tool, with the program's own name and shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The program's id of this call.
    pub id: Option<String>,
    /// The model provider's id of it, where the program sends both.
    pub provider_id: Option<String>,
    /// The tool, as the program calls it.
    pub name: String,
    /// The server and tool behind it, where the program says so itself.
    pub mcp: Option<McpName>,
    /// What it was called with; `Null` when not sent.
    pub input: Value,
    /// What it answered; `None` before it ran.
    pub response: Option<Value>,
    /// The error the program reports.
    pub error: Option<String>,
    /// Whether the person stopped it.
    pub interrupted: bool,
    /// How long it ran.
    pub duration_ms: Option<u64>,
}

impl ToolCall {
    /// A call of which only the name is known.
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
            duration_ms: None,
        }
    }
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpName {
    /// The server, as the person registered it; empty where the program does not tell.
    pub server: String,
    /// The tool.
    pub tool: String,
}

/// What a tool does, whatever it is called.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Writes whole files.
    Write,
    /// Changes files in places.
    Edit,
    /// Runs a command.
    Command,
    /// Looks for files or text.
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

/// How a tool call ended, as far as the program tells.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it was asked; a command ended with status 0.
    Success,
    /// It failed.
    Failed {
        /// The exit status, where one is told.
        exit: Option<i32>,
    },
    /// Not told. Never taken for success.
    Unknown,
}

impl Outcome {
    /// The outcome of a process that ended with this status.
    pub const fn of_exit(status: i32) -> Self {
        if status == 0 { Self::Success } else { Self::Failed { exit: Some(status) } }
    }
}
