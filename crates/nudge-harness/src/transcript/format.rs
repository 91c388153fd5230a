//! The description of an agent's transcripts, and which agent wrote one, by its beginning.

use std::fmt::Debug;

use serde_json::Value;

use super::item::{self, Item, LineItems, Tail};
use crate::payload::Fields;

/// Starts to follow the transcript at a path.
pub(crate) type Begin = fn(&str) -> Box<dyn Follow>;

/// Splits a document into lines; `None` for text that is not a document.
type SplitDocument = fn(&str) -> Option<Vec<String>>;

/// How an agent writes its transcripts. A [`Harness`](crate::Harness) converts into its format.
#[derive(Debug)]
pub struct Format {
    /// Where it keeps them.
    pub dir: Option<TranscriptDir>,
    /// Whether a file is a transcript judging by its name, for formats without recognisable lines.
    pub is_named: fn(&str) -> bool,
    /// Follows the transcript at that path.
    pub(crate) follow: Option<Begin>,
    /// Splits a transcript that is one document.
    pub(crate) document: Option<SplitDocument>,
    /// How it is recognised.
    pub(crate) beginning: FormatMarkers,
    /// What can be read from any piece of it.
    pub(crate) tail: Option<TailFormat>,
}

impl Format {
    /// For an agent with transcripts that we cannot read.
    pub(crate) const NONE: Self = Self {
        dir: None,
        is_named: |_| true,
        follow: None,
        document: None,
        beginning: FormatMarkers { line: |_| false, head: |_| false },
        tail: None,
    };

    /// Whether a transcript may be one document.
    pub const fn has_documents(&self) -> bool {
        self.document.is_some()
    }
}

/// Where an agent keeps its transcripts by default.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct TranscriptDir {
    /// The variable that overrides the agent's directory.
    pub variable: Option<&'static str>,
    /// Otherwise, that directory in the home directory.
    pub in_home: &'static str,
    /// The transcripts' path in it.
    pub inside: &'static str,
}

/// The markers of an agent's transcript.
#[derive(Debug)]
pub(crate) struct FormatMarkers {
    /// Whether one of the first lines is the agent's.
    pub(crate) line: fn(&Value) -> bool,
    /// Whether a beginning without a whole line is the agent's. Whitespace is removed first.
    pub(crate) head: fn(&str) -> bool,
}

/// Which lines of a piece are useful, and the function that reads them.
#[derive(Debug)]
pub(crate) struct TailFormat {
    /// A useful line contains at least one of these.
    pub(crate) words: &'static [&'static str],
    /// Whether it has the last answer of a turn, which the hook that ends the turn leaves out.
    pub(crate) has_answers: bool,
    /// Adds what hooks leave out in a line.
    pub(crate) take: fn(Fields, &mut Tail),
}

/// Follows one transcript from its first line.
pub(crate) trait Follow: Debug {
    /// Reads the next line.
    fn line(&mut self, line: Fields, out: &mut LineItems);

    /// The remaining items when the transcript ends: the calls without an end.
    fn finish(self: Box<Self>) -> Vec<Item> {
        Vec::new()
    }
}

// Recognises which agent wrote a transcript, by its beginning.

/// How many lines are examined: the first may be damaged or unspecific.
const MAX_HEAD_LINES: usize = 20;

/// How many characters are examined of a beginning without a whole line.
const MAX_HEAD_CHARS: usize = 2_000;

/// The first of the given agents that recognises a line of this beginning.
pub(crate) fn recognise<A: Copy>(begin: &str, among: &[(A, &Format)]) -> Option<A> {
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    let known = |is_own: &dyn Fn(&Format) -> bool| {
        among.iter().find(|(_, format)| is_own(format)).map(|(agent, _)| *agent)
    };
    let by_line = begin.lines().take(MAX_HEAD_LINES).filter_map(item::object).find_map(|fields| {
        let fields = Value::Object(fields.into_inner());
        known(&|format| (format.beginning.line)(&fields))
    });
    by_line.or_else(|| {
        // A line longer than the part that was read, or a document over many lines.
        let head: String = begin.chars().take(MAX_HEAD_CHARS).filter(|sign| !sign.is_whitespace()).collect();
        known(&|format| (format.beginning.head)(&head))
    })
}
