//! What an agent's program tells us while it works: one event per hook, whichever program it came from.
//!
//! The vocabulary is that of memory. What one program calls its events, tools and fields is known
//! to its adapter alone, which turns every payload into the one [`HookEvent`].

mod kind;
mod speech;
mod tool;

pub use kind::{EventKind, StartSource};
pub use speech::{Manner, Speech};
pub use tool::{McpName, Outcome, ToolCall, ToolKind};

use crate::Timestamp;

/// One thing that happened in an agent's session.
///
/// A field that the program did not send is `None`; nothing here is guessed.
#[derive(Clone, Debug, PartialEq)]
pub struct HookEvent {
    /// The name of the adapter that read it.
    pub harness: String,
    /// The version of the agent's program, where it says so.
    pub harness_version: Option<String>,
    /// The event as that program calls it.
    pub name: String,
    /// What happened, in our words.
    pub kind: EventKind,
    /// Whether another event of the same program tells the same, so that this one is not to be stored again.
    pub repeats: bool,
    /// The program's own session id.
    pub session: Option<String>,
    /// The program's id of the prompt or turn that this belongs to.
    pub prompt_id: Option<String>,
    /// The working directory, as given.
    pub cwd: Option<String>,
    /// The file the program keeps the conversation in.
    pub transcript: Option<String>,
    /// Which subagent this happened in, or which one it is about; `None` in the main thread.
    pub agent: Option<AgentLabel>,
    /// When it happened, by the program's clock.
    pub at: Option<Timestamp>,
    /// How freely the agent may act, as the program calls it.
    pub permission_mode: Option<String>,
    /// The language model at work.
    pub model: Option<String>,
    /// The tool call this is about.
    pub tool: Option<ToolCall>,
    /// The prompt that was submitted.
    pub prompt: Option<PromptText>,
    /// How the person said it, when it was not by a prompt.
    pub speech: Option<Speech>,
    /// Whether no person watches the agent, where a transcript tells so.
    pub headless: Option<bool>,
    /// What the agent said last, or what the notification says, or the summary of a compaction.
    pub message: Option<String>,
}

impl HookEvent {
    /// An event of which nothing but its name is known.
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
    /// What sort of agent it is, such as `general-purpose`.
    pub kind: Option<String>,
    /// The agent or session that started it.
    pub parent: Option<String>,
}

/// A prompt, without anything that was put into it on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText {
    /// The text.
    pub text: String,
    /// Who wrote it.
    pub by: Speaker,
}

/// Who wrote a prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The person, or the program that the person started the agent from.
    Person,
    /// The agent's own program: a finished background task, a timer, a turn that only carries tool results.
    Program,
}
