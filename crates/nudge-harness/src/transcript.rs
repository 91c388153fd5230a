//! What agents write down of a session while it runs: their transcripts.
//!
//! Two uses. [`reader()`] follows a whole transcript from its first line and tells what a session's
//! hooks would have told, for sessions that ran before Nudge was there. [`tail()`] looks at any piece
//! of a transcript for what hooks leave out: how calls ended, and what the agent thought.

pub(crate) mod calls;
mod format;
mod item;
pub(crate) mod line;
mod reader;
mod recognise;
mod tail;
mod turn;

pub use format::{Format, Place};
pub use item::{Item, Skip, Tail, Thinking, ToolEnd};
pub use reader::{Reader, reader};
pub use tail::{confirms, has_answers, headless, last_answer, speech, tail, tool_ends};

pub(crate) use format::{Beginning, Follow, TailFormat};
pub(crate) use item::Told;
pub(crate) use recognise::recognise;

/// The lines of a transcript that is one document; `None` when it is made of lines.
pub fn document(agent: impl Into<&'static Format>, text: &str) -> Option<Vec<String>> {
    agent.into().document.and_then(|lines| lines(text))
}
