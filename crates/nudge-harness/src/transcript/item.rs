//! What a transcript tells, in words that are the same for every agent.

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, HookEvent, Outcome};

/// One thing that a transcript tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What a hook would have told: a session's start, a prompt, a tool call with its response, a compaction, the end of a turn
    /// with the last answer. A call whose end is
    /// not in the transcript has neither response nor error.
    Event(Box<HookEvent>),
    /// What the agent thought.
    Thinking(Thinking),
    /// How a call ended that was told before.
    ToolEnd(ToolEnd),
    /// A line of which nothing is taken.
    Skipped {
        /// Its number, from 1.
        line: u64,
        /// Why.
        why: Skip,
    },
}

/// A piece of the agent's reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// What it thought.
    pub text: String,
    /// When it was written down.
    pub at: Option<Timestamp>,
    /// The session.
    pub session: Option<String>,
    /// The prompt or turn it belongs to, by the id its hooks have.
    pub turn: Option<String>,
    /// The subagent that thought it.
    pub agent: Option<AgentLabel>,
}

/// How one tool call ended, by the id its hooks had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolEnd {
    /// The id of the call.
    pub id: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What a command printed, where hooks are told its output without its exit status.
    pub output: Option<String>,
}

/// What was found in a piece, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tail {
    /// What the agent thought. Some write the same again whenever a message grows: told once.
    pub thinking: Vec<Thinking>,
    /// The calls that ended. Later lines on the same call come later.
    pub ends: Vec<ToolEnd>,
}

/// Why nothing is taken of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// It cannot be read.
    Malformed,
    /// It holds what hooks put into the agent's context, Nudge's own words among them.
    Injected,
    /// The agent's program wrote it, not the person.
    ProgramText,
    /// It sums up what was compacted.
    Summary,
    /// It holds what the agent answered to the person, and not as the last of a turn.
    Answer,
    /// A call that the person, or a rule of theirs, did not let happen.
    Declined,
    /// A call that never began, because one beside it failed.
    Cancelled,
    /// It tells again what another line tells.
    Repeated,
    /// It is the program's own book-keeping.
    Bookkeeping,
    /// It is of a kind that this version does not know.
    Unknown,
}

impl Skip {
    /// The word for it in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Injected => "injected",
            Self::ProgramText => "program_text",
            Self::Summary => "summary",
            Self::Answer => "answer",
            Self::Declined => "declined",
            Self::Cancelled => "cancelled",
            Self::Repeated => "repeated",
            Self::Bookkeeping => "bookkeeping",
            Self::Unknown => "unknown",
        }
    }
}

/// The items of one line.
#[derive(Debug)]
pub(crate) struct Told {
    pub(super) line: u64,
    pub(crate) items: Vec<Item>,
    /// What the agent answers in it.
    pub(super) answer: Option<HookEvent>,
    /// Whether the agent begins to do something in it.
    pub(super) works: bool,
}

impl Told {
    pub(super) const fn of_line(line: u64) -> Self {
        Self { line, items: Vec::new(), answer: None, works: false }
    }

    /// What the agent answers. It is what the turn came to when nothing follows in that turn. A subagent answers to whoever
    /// started it.
    pub(crate) fn answer(&mut self, text: &str, event: HookEvent) {
        if event.agent.is_some() || text.trim().is_empty() {
            return self.skip(Skip::Answer);
        }
        self.answer = Some(HookEvent { message: Some(text.to_owned()), ..event });
    }

    /// The agent begins to do something: what it said before is not its last word.
    pub(crate) const fn works(&mut self) {
        self.works = true;
    }

    pub(crate) fn event(&mut self, event: HookEvent) {
        self.items.push(Item::Event(Box::new(event)));
    }

    pub(crate) fn skip(&mut self, why: Skip) {
        self.items.push(Item::Skipped { line: self.line, why });
    }
}
