//! What an agent's program reports while it works: one event per hook, the same for every program.
//!
//! The vocabulary is that of memory. Only an adapter knows how its program names events, tools and
//! fields; it turns every payload into one [`HookEvent`].

use serde_json::Value;

use crate::Timestamp;

/// One thing that happened in an agent's session.
///
/// A field that the program did not send is `None`; nothing here is guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// The name of the adapter that parsed it.
    pub harness: String,
    /// The version of the agent's program, if reported.
    pub harness_version: Option<String>,
    /// The program's own name for the event.
    pub name: String,
    /// What happened, in Nudge's terms.
    pub kind: EventKind,
    /// Whether another event of the same program reports the same, so that this one is not stored
    /// again.
    pub repeats: bool,
    /// The program's own session id.
    pub session: Option<String>,
    /// The program's id of the prompt or turn that this belongs to.
    pub prompt_id: Option<String>,
    /// The working directory, as sent.
    pub cwd: Option<String>,
    /// The program's transcript file.
    pub transcript: Option<String>,
    /// The subagent that this happened in or that it is about; `None` in the main thread.
    pub agent: Option<AgentLabel>,
    /// When it happened, by the program's clock.
    pub at: Option<Timestamp>,
    /// How freely the agent may act, in the program's own words.
    pub permission_mode: Option<String>,
    /// The language model in use.
    pub model: Option<String>,
    /// The tool call this is about.
    pub tool: Option<ToolCall>,
    /// The prompt that was submitted.
    pub prompt: Option<PromptText>,
    /// How the user said it, if not in a prompt.
    pub speech: Option<Speech>,
    /// Whether no user watches the agent, if a transcript shows it.
    pub headless: Option<bool>,
    /// The agent's last message, the text of the notification, or the summary of a compaction.
    pub message: Option<String>,
}

impl HookEvent {
    /// An event with nothing but its name and kind.
    pub fn new(harness: &str, name: &str, kind: EventKind) -> Self {
        Self {
            harness: harness.to_owned(),
            harness_version: None,
            name: name.to_owned(),
            kind,
            repeats: false,
            session: None,
            prompt_id: None,
            cwd: None,
            transcript: None,
            agent: None,
            at: None,
            permission_mode: None,
            model: None,
            tool: None,
            prompt: None,
            speech: None,
            headless: None,
            message: None,
        }
    }
}

/// The label of a subagent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLabel {
    /// Its id.
    pub id: String,
    /// The type of agent, such as `general-purpose`.
    pub kind: Option<String>,
    /// The agent or session that started it.
    pub parent: Option<String>,
}

/// A prompt, without anything that was added to it on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText {
    /// The text.
    pub text: String,
    /// Who wrote it.
    pub by: Speaker,
}

crate::named_enum! {
    /// Who wrote a prompt. The store keeps the numbers, captured events the names.
    pub enum Speaker: i64 {
        /// The user, or the program that the user started the agent from.
        Person = 1 => "user",
        /// The agent, thinking.
        Agent = 2 => "agent",
        /// The agent's own program: a finished background task, a timer, a turn with only tool
        /// results.
        Program = 3 => "system",
    }
}

// What can happen in an agent's session.

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A session began, or its context was refilled.
    SessionStart {
        /// What began it.
        source: StartSource,
    },
    /// A session is over.
    SessionEnd {
        /// Why, in the program's words.
        reason: Option<String>,
    },
    /// A prompt was submitted.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run.
    PostTool,
    /// A tool ran and failed, as reported by the program's event or by an error of its own.
    ToolFailure,
    /// The agent ended its turn.
    Stop,
    /// A subagent began.
    SubagentStart,
    /// A subagent ended.
    SubagentStop,
    /// The context is about to be compacted.
    PreCompact {
        /// What triggered it: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The context was compacted.
    PostCompact {
        /// What triggered it: `manual` or `auto`.
        trigger: Option<String>,
    },
    /// The program notifies the user.
    Notification,
    /// Several tool calls at once; each has had its own event.
    Batch {
        /// The ids of those calls.
        tool_use_ids: Vec<String>,
    },
    /// Anything else; [`HookEvent::name`](HookEvent::name) says what.
    Other,
}

impl EventKind {
    /// A short name, for logs and snapshots.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session_start",
            Self::SessionEnd { .. } => "session_end",
            Self::Prompt => "prompt",
            Self::PreTool => "pre_tool",
            Self::PostTool => "post_tool",
            Self::ToolFailure => "tool_failure",
            Self::Stop => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
            Self::PreCompact { .. } => "pre_compact",
            Self::PostCompact { .. } => "post_compact",
            Self::Notification => "notification",
            Self::Batch { .. } => "batch",
            Self::Other => "other",
        }
    }
}

/// What began a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// A new session.
    Startup,
    /// An old session was resumed.
    Resume,
    /// The context was emptied.
    Clear,
    /// The context was compacted.
    Compact,
    /// A copy of an old session continues on its own.
    Fork,
    /// An unknown source, or none reported.
    Other(String),
}

impl StartSource {
    /// Parses the word that programs use.
    pub fn from_word(word: &str) -> Self {
        match word {
            "startup" | "new" => Self::Startup,
            "resume" => Self::Resume,
            "clear" => Self::Clear,
            "compact" => Self::Compact,
            "fork" => Self::Fork,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word for it.
    pub fn word(&self) -> &str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
            Self::Clear => "clear",
            Self::Compact => "compact",
            Self::Fork => "fork",
            Self::Other(word) => word,
        }
    }

    /// Whether the agent lost its previous context.
    pub const fn empties_context(&self) -> bool {
        matches!(self, Self::Clear | Self::Compact)
    }
}

// What a user says to an agent outside a prompt.

/// How the user said something, and what it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speech {
    /// How it was said.
    pub manner: SpeechKind,
    /// What it refers to: the rejected call, the question, the command.
    pub about: Option<String>,
    /// The program's id of the call it belongs to.
    pub call: Option<String>,
}

crate::named_enum! {
    /// The ways in which users say things outside a prompt.
    pub enum SpeechKind {
        /// Words typed while rejecting a call.
        Refusal => "refusal",
        /// A message typed while the agent worked.
        Queued => "queued",
        /// The answer to the agent's question.
        Answer => "answer",
        /// Words sent along with the result of a call.
        Beside => "beside_result",
        /// A command with its arguments.
        Command => "command",
        /// A comment on a plan, whether it was approved or not.
        Plan => "plan_comment",
        /// A line that the user had the agent's program run in the shell.
        Shell => "shell",
        /// A line that the user had the agent's program add to its notes.
        Note => "note",
    }
}

// Tool calls: the tool, its input, and how the call ended.

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

crate::named_enum! {
    /// What a tool does, independent of its name.
    pub enum ToolKind {
        /// Reads files.
        Read => "read",
        /// Writes whole files.
        Write => "write",
        /// Changes parts of files.
        Edit => "edit",
        /// Runs a command.
        Command => "command",
        /// Searches files or text.
        Search => "search",
        /// Fetches an address.
        WebFetch => "web_fetch",
        /// Searches the web.
        WebSearch => "web_search",
        /// Starts a subagent.
        TaskSpawn => "task_spawn",
        /// Calls a tool of an MCP server.
        McpCall => "mcp_call",
        /// Anything else.
        Other => "other",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_read_back_and_unknown_ones_are_kept() {
        for word in ["startup", "resume", "clear", "compact", "fork", "teleport", ""] {
            assert_eq!(StartSource::from_word(word).word(), word);
        }
        assert_eq!(StartSource::from_word("new"), StartSource::Startup);
    }

    #[test]
    fn only_clear_and_compact_empty_the_context() {
        let emptied: Vec<_> = ["startup", "resume", "clear", "compact", "fork", "x"]
            .into_iter()
            .filter(|word| StartSource::from_word(word).empties_context())
            .collect();
        assert_eq!(emptied, ["clear", "compact"]);
    }
}
