//! Follows a whole transcript.

use super::format::{Follow, Format};
use super::item::{Item, LineItems, Skip};
use super::line;
use super::turn::Turn;

/// A reader for the transcript at that path; `None` for agents with transcripts that we cannot
/// read. Opens nothing: the path only names the transcript in its events, and distinguishes a
/// subagent's transcript from the session's own.
pub fn reader(agent: impl Into<&'static Format>, path: &str) -> Option<Reader> {
    let follow = agent.into().follow?;
    Some(Reader { session: follow(path), lines: 0, turn: Turn::default() })
}

/// Follows one transcript, line by line, from its first line.
#[derive(Debug)]
pub struct Reader {
    session: Box<dyn Follow>,
    lines: u64,
    turn: Turn,
}

impl Reader {
    /// The items of the next line. Whatever it contains, later lines are still read.
    ///
    /// opencode has rows instead of lines: each is `{"session": row}`, or `{"message": row,
    /// "parts": [row, …]}`, in their order.
    pub fn line(&mut self, text: &str) -> Vec<Item> {
        self.lines += 1;
        let mut out = LineItems::of_line(self.lines);
        match line::object(text) {
            Some(fields) => self.session.line(fields, &mut out),
            None if text.trim().is_empty() => {}
            None => out.skip(Skip::Malformed),
        }
        self.turn.take(out)
    }

    /// The remaining items when the transcript ends: the calls without an end, or the last answer.
    pub fn finish(mut self) -> Vec<Item> {
        let mut rest = self.session.finish();
        if rest.is_empty() {
            rest.extend(self.turn.end());
        }
        rest
    }
}
