//! Transcripts: the records that agents write while a session runs.
//!
//! There are two uses. [`reader()`] follows a whole transcript from its first line and reports what
//! the session's hooks would have reported, for sessions from before Nudge was installed.
//! [`tail()`] searches any piece of a transcript for what hooks leave out: how calls ended, and the
//! agent's thinking.

mod format;
pub(crate) mod item;
mod reader;
mod tail;

pub use format::{Format, TranscriptDir};
pub use item::{Item, Skip, Tail, Thinking, ToolEnd};
pub use reader::{Reader, reader};
pub use tail::{has_answers, headless, last_answer, speech, tail, tool_ends, transcript_has_prompts};

pub(crate) use format::{Follow, FormatMarkers, TailFormat, recognise};
pub(crate) use item::LineItems;

/// The lines of a transcript that is one document; `None` when it already consists of lines.
pub fn document(agent: impl Into<&'static Format>, text: &str) -> Option<Vec<String>> {
    agent.into().document.and_then(|lines| lines(text))
}
