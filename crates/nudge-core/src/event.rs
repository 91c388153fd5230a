//! What an agent's program reports while it works: one event per hook, the same for every program.
//!
//! The vocabulary is that of memory. Only an adapter knows how its program names events, tools and
//! fields; it turns every payload into one [`HookEvent`].

mod kind;
mod speech;
mod tool;

pub use kind::{EventKind, StartSource};
pub use speech::{Speech, SpeechKind};
pub use tool::{McpName, Outcome, ToolCall, ToolKind};

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

/// Who wrote a prompt. The store keeps the numbers, captured events the names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Speaker {
    /// The user, or the program that the user started the agent from.
    Person = 1,
    /// The agent, thinking.
    Agent = 2,
    /// The agent's own program: a finished background task, a timer, a turn with only tool results.
    Program = 3,
}

impl Speaker {
    const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Program];

    /// The speaker with this number in the store.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|speaker| *speaker as i64 == number)
    }

    /// The name in captured events.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "user",
            Self::Agent => "agent",
            Self::Program => "system",
        }
    }

    /// The speaker with this name in captured events.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|speaker| speaker.name() == name)
    }
}
