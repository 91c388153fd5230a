//! What agents write down of a session while it runs: their transcripts.
//!
//! Two uses. [`reader`] follows a whole transcript from its first line and tells what a session's hooks would have told, for
//! sessions that ran before Nudge was there. [`growth()`] looks at any piece of a transcript for what hooks leave out: how
//! calls ended, and what the agent thought.

pub(crate) mod calls;
pub(crate) mod line;
mod recognise;
mod tail;

pub use recognise::recognise;
pub use tail::{Growth, growth, speech};

use nudge_core::Timestamp;
use nudge_core::event::{AgentLabel, HookEvent, Outcome};

use crate::Harness;
use crate::agents::{claude, codex, copilot, gemini, opencode};

/// One thing that a transcript tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// What a hook would have told: a session's start, a prompt, a tool call with its response, a compaction. A call whose end is
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
    /// It holds what the agent answered to the person.
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

/// A reader for the transcript at that path, for agents whose transcripts are read. Nothing is opened here: the path only names
/// the transcript in its events, and tells a subagent's from the session's own.
pub fn reader(harness: Harness, path: &str) -> Option<Reader> {
    let format = match harness {
        Harness::Claude => Format::Claude(Box::new(claude::transcript::Session::new(path))),
        Harness::Codex => Format::Codex(Box::new(codex::transcript::Rollout::new(path))),
        Harness::Copilot => Format::Copilot(Box::new(copilot::transcript::Events::new(path))),
        Harness::Gemini => Format::Gemini(Box::new(gemini::transcript::Chat::new(path))),
        Harness::Opencode => Format::Opencode(Box::new(opencode::transcript::Rows::new(path))),
        _ => return None,
    };
    Some(Reader { format, lines: 0 })
}

/// The lines of a transcript that is one document; `None` when it is made of lines.
pub fn document(harness: Harness, text: &str) -> Option<Vec<String>> {
    match harness {
        Harness::Gemini => gemini::transcript::lines(text),
        _ => None,
    }
}

/// Follows one transcript, line by line, from its first line.
#[derive(Debug)]
pub struct Reader {
    format: Format,
    lines: u64,
}

#[derive(Debug)]
enum Format {
    Claude(Box<claude::transcript::Session>),
    Codex(Box<codex::transcript::Rollout>),
    Copilot(Box<copilot::transcript::Events>),
    Gemini(Box<gemini::transcript::Chat>),
    Opencode(Box<opencode::transcript::Rows>),
}

impl Reader {
    /// What the next line tells. Whatever it holds, the lines after it are read all the same.
    ///
    /// opencode has no lines but rows: each `{"session": row}`, or `{"message": row, "parts": [row, …]}`, in their order.
    pub fn line(&mut self, text: &str) -> Vec<Item> {
        self.lines += 1;
        let mut told = Told { line: self.lines, items: Vec::new() };
        let Some(fields) = line::object(text) else {
            if !text.trim().is_empty() {
                told.skip(Skip::Malformed);
            }
            return told.items;
        };
        match &mut self.format {
            Format::Claude(session) => session.line(fields, &mut told),
            Format::Codex(rollout) => rollout.line(fields, &mut told),
            Format::Copilot(events) => events.line(fields, &mut told),
            Format::Gemini(chat) => chat.line(fields, &mut told),
            Format::Opencode(rows) => rows.line(fields, &mut told),
        }
        told.items
    }

    /// What is left when the transcript ends: the calls that have no end in it.
    pub fn finish(self) -> Vec<Item> {
        match self.format {
            Format::Claude(session) => session.finish(),
            Format::Codex(rollout) => rollout.finish(),
            Format::Copilot(events) => events.finish(),
            Format::Gemini(_) | Format::Opencode(_) => Vec::new(),
        }
    }
}

/// The items of one line.
#[derive(Debug)]
pub(crate) struct Told {
    line: u64,
    pub(crate) items: Vec<Item>,
}

impl Told {
    pub(crate) fn event(&mut self, event: HookEvent) {
        self.items.push(Item::Event(Box::new(event)));
    }

    pub(crate) fn skip(&mut self, why: Skip) {
        self.items.push(Item::Skipped { line: self.line, why });
    }
}

/// The calls that ended, in the order of the transcript; later lines on the same call come later.
///
/// The text may be any piece of the file, as for [`growth()`].
pub fn tool_ends(harness: Harness, text: &str) -> Vec<ToolEnd> {
    growth(harness, text).ends
}
