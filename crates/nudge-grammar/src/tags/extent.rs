//! Decides where a call ends and what its body is.

use std::ops::Range;

use super::lex::{Kind, Token};
use super::open::{Ending, OpenTag};
use super::pair::Pairs;
use super::resolve::is_complete;
use super::tool::{Tool, WORDS};
use super::warning::WarningKind;

/// Where a call ends.
pub(super) struct Extent {
    /// The bytes between the tags, if there is anything between.
    pub(super) body: Option<Range<usize>>,
    /// Where the call ends.
    pub(super) end: usize,
    /// How it ended, if not as it should.
    pub(super) fault: Option<(WarningKind, &'static str)>,
}

impl Extent {
    fn bare(end: usize, fault: Option<(WarningKind, &'static str)>) -> Self {
        Self { body: None, end, fault }
    }

    fn with(body: Range<usize>, end: usize, fault: Option<(WarningKind, &'static str)>) -> Self {
        Self { body: Some(body), end, fault }
    }
}

const NO_END: (WarningKind, &str) = (WarningKind::UnclosedTag, "has no close tag");

/// The tokens of an output, as far as an extent needs them.
pub(super) struct Outline<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) pairs: &'a Pairs,
}

impl Outline<'_> {
    /// The extent of the call that this token opens.
    pub(super) fn extent(&self, index: usize, tag: &OpenTag) -> Extent {
        let token = &self.tokens[index];
        match tag.ending {
            Ending::SelfClosed => return self.after_self_close(index),
            Ending::Missing | Ending::Eof | Ending::EofInValue => {
                return Extent::bare(
                    token.end,
                    Some((WarningKind::UnclosedTag, "has no end of its open tag")),
                );
            }
            Ending::Open => {}
        }
        let is_complete = is_complete(token.word, tag.attributes.iter().map(|a| a.name.as_str()));
        if let Some(close) = self.pairs.partner(index) {
            return self.paired(index, close, is_complete);
        }
        self.unpaired(index, is_complete)
    }

    fn paired(&self, index: usize, close: usize, is_complete: bool) -> Extent {
        if is_complete && self.opens_at_once(index) {
            return self.empty(index);
        }
        let (open, close) = (&self.tokens[index], &self.tokens[close]);
        let fault = if !self.text[..close.end].ends_with('>') {
            Some((WarningKind::UnclosedTag, "has a close tag without end"))
        } else if close.renamed && !open.renamed {
            Some((WarningKind::RenamedTag, "has a close tag that is written in another way"))
        } else {
            None
        };
        Extent::with(open.end..close.start, close.end, fault)
    }

    fn unpaired(&self, index: usize, is_complete: bool) -> Extent {
        let end = self.tokens[index].end;
        if self.opens_at_once(index) {
            return self.empty(index);
        }
        let sibling = self.pairs.sibling(index);
        let close = self.pairs.outer_close(index).filter(|close| sibling.is_none_or(|next| *close < next));
        if let Some(close) = close.filter(|close| !is_complete || self.is_close_by(index, *close)) {
            let close = &self.tokens[close];
            let fault = (WarningKind::MismatchedClose, "was closed by the tag of another tool");
            return Extent::with(end..close.start, close.end, Some(fault));
        }
        if is_complete {
            return Extent::bare(end, Some(NO_END));
        }
        let end_of_body = sibling.map_or(self.text.len(), |next| self.tokens[next].start);
        Extent::with(end..end_of_body, end_of_body, Some(NO_END))
    }

    /// A body may follow a tag that closed itself: `<set path="x"/>body</set>`.
    fn after_self_close(&self, index: usize) -> Extent {
        let token = &self.tokens[index];
        let close = self.pairs.next_live(index).map(|next| &self.tokens[next]);
        let close = close.filter(|close| close.closes() && close.word == token.word);
        let takes_body = matches!(WORDS[token.word].tool, Tool::Set | Tool::Update | Tool::Think);
        match close {
            Some(close) if takes_body && !self.text[token.end..close.start].trim().is_empty() => {
                let fault = (WarningKind::MismatchedClose, "closed itself before its body");
                Extent::with(token.end..close.start, close.end, Some(fault))
            }
            _ => Extent::bare(token.end, None),
        }
    }

    fn empty(&self, index: usize) -> Extent {
        let fault = (WarningKind::EmptyBody, "was empty when the next tool was opened");
        Extent::bare(self.tokens[index].end, Some(fault))
    }

    /// Whether the next thing after an open tag is another open tag.
    fn opens_at_once(&self, index: usize) -> bool {
        self.pairs.next_live(index).map(|next| &self.tokens[next]).is_some_and(|next| {
            matches!(next.kind, Kind::Open(_))
                && self.text[self.tokens[index].end..next.start].trim().is_empty()
        })
    }

    /// Whether the tag of another tool closes this one near to it.
    pub(super) fn is_closed_near(&self, index: usize) -> bool {
        self.pairs.outer_close(index).is_some_and(|close| self.is_close_by(index, close))
    }

    /// Whether a close tag follows on the same line, or with only blanks between.
    fn is_close_by(&self, index: usize, close: usize) -> bool {
        if self.pairs.next_live(index) != Some(close) {
            return false;
        }
        let between = &self.text[self.tokens[index].end..self.tokens[close].start];
        between.trim().is_empty() || !between.contains('\n')
    }
}
