//! Pairs open and close tags, and decides where a call ends and what its body is.

use std::ops::Range;

use super::lex::{Kind, Token};
use super::open::{Ending, OpenTag};
use super::resolve::is_complete;
use super::tool::{TAG_WORDS, Tool};
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
        let takes_body =
            matches!(TAG_WORDS[token.word].tool, Tool::Set | Tool::Update | Tool::Think | Tool::Mcp);
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

// Pairs open and close tags once for the whole output, so that no call searches for its end.

/// What every token can look up. All indexes are indexes of tokens.
pub(super) struct Pairs {
    /// The close tag of an open tag; tags of one name balance.
    partner: Vec<Option<usize>>,
    /// The next close tag that no tag after this place opened.
    outer_close: Vec<Option<usize>>,
    /// The next tag that begins a call when the current call has no end.
    sibling: Vec<Option<usize>>,
    /// The next token that is not quoted.
    live: Vec<Option<usize>>,
}

impl Pairs {
    /// Pairs the tokens. Linear: one pass forward, one backward.
    pub(super) fn new(text: &str, tokens: &[Token]) -> Self {
        let partner = partners(text, tokens);
        let count = tokens.len();
        let mut pairs = Self {
            partner,
            outer_close: vec![None; count + 1],
            sibling: vec![None; count + 1],
            live: vec![None; count + 1],
        };
        let ends_closed = ends_closed(text, tokens);
        for index in (0..count).rev() {
            pairs.fill(text, tokens, index, ends_closed);
        }
        pairs
    }

    fn fill(&mut self, text: &str, tokens: &[Token], index: usize, ends_closed: bool) {
        let token = &tokens[index];
        let after = self.partner[index].map_or(index + 1, |close| close + 1);
        self.live[index] = if token.quoted { self.live[index + 1] } else { Some(index) };
        self.outer_close[index] = if token.closes() {
            Some(index)
        } else if token.opens() && self.partner[index].is_none() {
            None
        } else {
            self.outer_close[after]
        };
        let is_split = is_at_line_start(text, token)
            && (TAG_WORDS[token.word].tool == Tool::Update
                || ends_closed
                || token.opens() && self.partner[index].is_none());
        self.sibling[index] = if is_split { Some(index) } else { self.sibling[after] };
    }

    /// The close tag that balances an open tag.
    pub(super) fn partner(&self, open: usize) -> Option<usize> {
        self.partner[open]
    }

    /// The first close tag after an open tag that belongs to nothing in between.
    fn outer_close(&self, open: usize) -> Option<usize> {
        self.outer_close[open + 1]
    }

    /// The first tag after an open tag that begins a call of its own.
    pub(super) fn sibling(&self, open: usize) -> Option<usize> {
        self.sibling[open + 1]
    }

    /// The next token that is not quoted.
    pub(super) fn next_live(&self, token: usize) -> Option<usize> {
        self.live[token + 1]
    }
}

/// Pairs the tags of each name with a stack.
///
/// A body may mention its own tag (`<set path="a">use <set> here</set>`). The mention takes the
/// close tag first; when the call has none in the end, the call gets it back.
fn partners(text: &str, tokens: &[Token]) -> Vec<Option<usize>> {
    let mut partner = vec![None; tokens.len()];
    // The open tags of each name, with the last mention that was closed directly inside.
    let mut open: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); TAG_WORDS.len()];
    for (index, token) in tokens.iter().enumerate() {
        let stack = &mut open[token.word];
        if token.opens() {
            stack.push((index, None));
        } else if token.closes()
            && let Some((opener, _)) = stack.pop()
        {
            partner[opener] = Some(index);
            if is_bare_mention(text, &tokens[opener])
                && let Some(outer) = stack.last_mut()
            {
                outer.1 = Some(opener);
            }
        }
    }
    for (outer, mention) in open.into_iter().flatten() {
        if let Some(mention) = mention {
            partner[outer] = partner[mention].take();
        }
    }
    partner
}

/// Whether an open tag has no attributes and stands inside a line.
fn is_bare_mention(text: &str, token: &Token) -> bool {
    let is_bare = matches!(&token.kind, Kind::Open(tag) if tag.attributes.is_empty());
    is_bare && !is_at_line_start(text, token)
}

/// Whether an open tag begins its line.
fn is_at_line_start(text: &str, token: &Token) -> bool {
    !token.quoted
        && matches!(token.kind, Kind::Open(_))
        && (token.start == 0 || text.as_bytes()[token.start - 1] == b'\n')
}

/// Whether the output ends with the end of a call, so that it was not cut.
fn ends_closed(text: &str, tokens: &[Token]) -> bool {
    let Some(last) = tokens.iter().rev().find(|token| !token.quoted) else { return false };
    let is_end = match &last.kind {
        Kind::Close => true,
        Kind::Open(tag) => tag.ending == Ending::SelfClosed,
        Kind::Broken => false,
    };
    let is_rest_blank = |rest: &str| rest.trim().trim_matches('`').is_empty();
    is_end && is_rest_blank(&text[last.end..])
}
