//! One event of one agent, as a line of its table.

/// What happens at an event, before its payload is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
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
    /// The program tells the person something.
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
    /// What happens then.
    pub moment: Moment,
    /// Whether text given in answer reaches the model, and does no more than that.
    pub context: bool,
    /// Whether a message given in answer reaches the person.
    pub notice: bool,
    /// Whether another event tells the same.
    pub repeats: bool,
}

impl EventSpec {
    /// An event that takes no answer.
    pub const fn silent(name: &'static str, moment: Moment) -> Self {
        Self { name, moment, context: false, notice: false, repeats: false }
    }

    /// An event that can be answered with a message for the person.
    pub const fn notice(name: &'static str, moment: Moment) -> Self {
        Self { notice: true, ..Self::silent(name, moment) }
    }

    /// An event that can be answered with text for the model.
    pub const fn context(name: &'static str, moment: Moment) -> Self {
        Self { context: true, ..Self::silent(name, moment) }
    }

    /// An event that can be answered with both.
    pub const fn both(name: &'static str, moment: Moment) -> Self {
        Self { context: true, notice: true, ..Self::silent(name, moment) }
    }

    /// An event that tells again what another one tells.
    pub const fn repeat(name: &'static str, moment: Moment) -> Self {
        Self { repeats: true, ..Self::silent(name, moment) }
    }
}
