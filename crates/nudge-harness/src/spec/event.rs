//! One event of one agent.

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
