//! Pairs open and close tags once for the whole output, so that no call searches for its end.

use super::lex::{Kind, Token};
use super::open::Ending;
use super::tool::{Tool, WORDS};

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
            pairs.look_back(text, tokens, index, ends_closed);
        }
        pairs
    }

    fn look_back(&mut self, text: &str, tokens: &[Token], index: usize, ends_closed: bool) {
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
            && (WORDS[token.word].tool == Tool::Update
                || ends_closed
                || token.opens() && self.partner[index].is_none());
        self.sibling[index] = if is_split { Some(index) } else { self.sibling[after] };
    }

    /// The close tag that balances an open tag.
    pub(super) fn partner(&self, open: usize) -> Option<usize> {
        self.partner[open]
    }

    /// The first close tag after an open tag that belongs to nothing in between.
    pub(super) fn outer_close(&self, open: usize) -> Option<usize> {
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
    let mut open: Vec<Vec<(usize, Option<usize>)>> = vec![Vec::new(); WORDS.len()];
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
