//! Follows a whole transcript.

use super::format::{Follow, Format};
use super::item::{Item, Skip, Told};
use super::line;
use super::turn::Turn;

/// A reader for the transcript at that path, for agents whose transcripts are read. Nothing is opened
/// here: the path only names the transcript in its events, and tells a subagent's from the session's
/// own.
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
    /// What the next line tells. Whatever it holds, the lines after it are read all the same.
    ///
    /// opencode has no lines but rows: each `{"session": row}`, or `{"message": row, "parts": [row,
    /// …]}`, in their order.
    pub fn line(&mut self, text: &str) -> Vec<Item> {
        self.lines += 1;
        let mut told = Told::of_line(self.lines);
        match line::object(text) {
            Some(fields) => self.session.line(fields, &mut told),
            None if text.trim().is_empty() => {}
            None => told.skip(Skip::Malformed),
        }
        self.turn.take(told)
    }

    /// What is left when the transcript ends: the calls that have no end in it, or the last answer.
    pub fn finish(mut self) -> Vec<Item> {
        let mut rest = self.session.finish();
        if rest.is_empty() {
            rest.extend(self.turn.end());
        }
        rest
    }
}
