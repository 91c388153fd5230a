//! The text of an output with a budget, so that failed readings stay linear.

use serde_json::Value;

use super::loose::Loose;
use super::resolve::Raw;

/// What stood at one place of the output.
pub(super) enum Found {
    /// Calls, up to the end of the range.
    Calls(Vec<Raw>, usize),
    /// A token of a format that says nothing.
    Token(usize),
    /// Something that looks like a call and is none, up to the byte where the text goes on.
    Broken(usize, &'static str),
    /// Text up to this byte that holds no call.
    Text(usize),
}

/// An output, and how much of it may still be read.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    /// How many bytes may still be read. A failed reading costs what it read.
    fuel: usize,
}

impl<'a> Source<'a> {
    /// A budget of four readings of the whole output.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, fuel: text.len() * 4 + 4096 }
    }

    /// Reads one value; gives the place after it.
    pub(super) fn value(&mut self, at: usize) -> Option<(Value, usize)> {
        self.read(at, Loose::value)
    }

    /// Reads with the budget; gives the place after what was read.
    pub(super) fn read<T>(
        &mut self,
        at: usize,
        read: impl Fn(&mut Loose<'a>) -> Option<T>,
    ) -> Option<(T, usize)> {
        if self.fuel == 0 {
            return None;
        }
        let mut loose = Loose::new(self.text, at);
        let value = read(&mut loose);
        self.fuel = self.fuel.saturating_sub(loose.pos.saturating_sub(at));
        value.map(|value| (value, loose.pos))
    }

    /// The next place of a text.
    pub(super) fn find(&mut self, from: usize, needle: &str) -> Option<usize> {
        if self.fuel == 0 {
            return None;
        }
        let found = self.text[from..].find(needle).map(|offset| from + offset);
        self.fuel = self.fuel.saturating_sub(found.unwrap_or(self.text.len()) - from);
        found
    }
}
