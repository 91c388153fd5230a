//! The form that every agent's transcripts are described in.

use std::fmt::Debug;

use serde_json::Value;

use super::item::{Item, Tail, Told};
use crate::payload::Fields;

/// Begins to follow the transcript at a path.
pub(crate) type Begin = fn(&str) -> Box<dyn Follow>;

/// The lines of a document; `None` for a text that is none.
pub(crate) type TakeApart = fn(&str) -> Option<Vec<String>>;

/// How an agent writes its transcripts. A [`Harness`](crate::Harness) can stand for its own.
#[derive(Debug)]
pub struct Format {
    /// Where it keeps them.
    pub place: Option<Place>,
    /// Whether a file is one by its name, where its lines tell nobody.
    pub is_named: fn(&str) -> bool,
    /// Follows a transcript at that path.
    pub(crate) follow: Option<Begin>,
    /// Takes a transcript apart that is one document.
    pub(crate) document: Option<TakeApart>,
    /// By what it is known.
    pub(crate) beginning: Beginning,
    /// What can be read of any piece of it.
    pub(crate) tail: Option<TailFormat>,
}

impl Format {
    /// Of an agent whose transcripts are not read.
    pub(crate) const NONE: Self = Self {
        place: None,
        is_named: |_| true,
        follow: None,
        document: None,
        beginning: Beginning { line: |_| false, head: |_| false },
        tail: None,
    };

    /// Whether a transcript may be one document.
    pub const fn has_documents(&self) -> bool {
        self.document.is_some()
    }
}

/// Where an agent keeps its transcripts unless it is told otherwise.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The variable that names the agent's directory, where a person sets one.
    pub variable: Option<&'static str>,
    /// That directory from the person's home, where no other is named.
    pub in_home: &'static str,
    /// The transcripts in it.
    pub inside: &'static str,
}

/// The signs of an agent's transcript.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// Whether one of the first lines is one of its own.
    pub(crate) line: fn(&Value) -> bool,
    /// Whether a beginning that holds no whole line is its own. Blanks are taken out before.
    pub(crate) head: fn(&str) -> bool,
}

/// Which lines of a piece tell something, and what reads them.
#[derive(Debug)]
pub(crate) struct TailFormat {
    /// Words of which such a line has one.
    pub(crate) words: &'static [&'static str],
    /// Whether it has the last answer of a turn, which the hook that ends the turn leaves out.
    pub(crate) has_answers: bool,
    /// Takes what a line adds to what hooks told.
    pub(crate) take: fn(Fields, &mut Tail),
}

/// Follows one transcript from its first line.
pub(crate) trait Follow: Debug {
    /// Takes the next line.
    fn line(&mut self, line: Fields, told: &mut Told);

    /// What is left when the transcript ends: the calls that have no end in it.
    fn finish(self: Box<Self>) -> Vec<Item> {
        Vec::new()
    }
}
