//! Walks over an output from the outside: prose, quotations, tags and native calls.

use serde_json::Value;

use super::draft::Draft;
use super::extent::{Extent, Outline, Pairs};
use super::lex::{Kind, Token, floor_boundary};
use super::loose::Found;
use super::native::{Native, names_tool};
use super::open::{Attribute, Ending, OpenTag};
use super::quotation::{Fence, Quotations, fence_at};
use super::resolve::{Raw, is_complete};
use super::tool::{TAG_WORDS, Tool};
use super::warning::{TagWarning, WarningKind};

/// How far a look at the rest of a line goes, in bytes.
const MAX_LOOKAHEAD: usize = 200;

/// Everything that one pass over the output prepared.
pub(super) struct Prepared<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) pairs: &'a Pairs,
    pub(super) quotations: &'a Quotations,
}

/// One reading of an output.
pub(super) struct Scanner<'a, 't> {
    text: &'a str,
    prepared: &'a Prepared<'a>,
    outline: Outline<'a>,
    native: Native<'a>,
    /// Whether a fence that looks like the answer is opened or skipped.
    opens_answers: bool,
    /// The fence whose content is read now.
    fence: Option<Fence>,
    pos: usize,
    next_token: usize,
    next_run: usize,
    next_fence: usize,
    next_hidden: usize,
    /// Where the last broken call ended: what follows at once belongs to it.
    broken_end: usize,
    /// Whether a fence was skipped that looks like an answer.
    pub(super) saw_answer: bool,
    pub(super) draft: Draft<'t>,
}

impl<'a, 't> Scanner<'a, 't> {
    /// A reading from the start.
    pub(super) fn new(prepared: &'a Prepared<'a>, draft: Draft<'t>, opens_answers: bool) -> Self {
        let Prepared { text, tokens, pairs, .. } = *prepared;
        Self {
            text,
            prepared,
            outline: Outline { text, tokens, pairs },
            native: Native::new(text),
            opens_answers,
            fence: None,
            pos: 0,
            next_token: 0,
            next_run: 0,
            next_fence: 0,
            next_hidden: 0,
            broken_end: usize::MAX,
            saw_answer: false,
            draft,
        }
    }

    /// Reads to the end. Every step moves forward.
    pub(super) fn run(mut self) -> Self {
        self.lost_thoughts();
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.pos) {
            let from = self.pos;
            match byte {
                b'`' | b'~' => self.ticks(),
                b'<' => self.angle(),
                b'{' | b'[' => {
                    let found = self.native.bracket(from);
                    self.native(found);
                }
                _ => self.python(),
            }
            self.pos = self.pos.max(from + 1);
        }
        self.draft.finish();
        self
    }

    /// Thoughts whose open tag stood in the prompt: text, then a close tag, then calls.
    fn lost_thoughts(&mut self) {
        let tokens = self.prepared.tokens;
        let live = || tokens.iter().enumerate().filter(|(_, token)| !token.quoted);
        let Some((index, close)) = live().find(|(_, token)| TAG_WORDS[token.word].tool == Tool::Think) else {
            return;
        };
        let is_at_start = |token: &Token| token.start == 0 || self.text[..token.start].ends_with('\n');
        let has_calls = tokens[..index].iter().any(|token| !token.quoted && is_at_start(token));
        let pairs = self.prepared.pairs;
        let is_in_call = (0..index).any(|open| pairs.partner(open).is_some_and(|end| end > index));
        let is_blank = self.text[..close.start].trim().is_empty();
        if !close.closes() || has_calls || is_in_call || is_blank || pairs.next_live(index).is_none() {
            return;
        }
        let body = Some(self.text[..close.start].trim().to_owned());
        let fault = TagWarning::new(WarningKind::OrphanClose, close.start, "think was closed but not opened");
        let span = 0..close.end;
        self.draft.call(Raw { word: close.word, attributes: vec![], body, span }, vec![fault]);
        self.pos = close.end;
    }

    /// A fence line or a back-tick span.
    fn ticks(&mut self) {
        let quotations = self.prepared.quotations;
        while quotations.fences.get(self.next_fence).is_some_and(|line| line.start < self.pos) {
            self.next_fence += 1;
        }
        if quotations.fences.get(self.next_fence).is_some_and(|line| line.start == self.pos) {
            return self.fence_line();
        }
        while quotations.runs.get(self.next_run).is_some_and(|run| run.start < self.pos) {
            self.next_run += 1;
        }
        let Some(run) = quotations.runs.get(self.next_run).filter(|run| run.start == self.pos) else {
            return;
        };
        match run.closer.map(|closer| &quotations.runs[closer]) {
            Some(closer) => self.quote(closer.start + closer.length, "back-ticks"),
            None => self.pos += run.length,
        }
    }

    fn fence_line(&mut self) {
        let lines = &self.prepared.quotations.fences;
        let line = &lines[self.next_fence];
        if self.fence.is_some() && line.is_bare {
            self.fence = None;
            self.draft.take(line.start, line.end);
            self.pos = line.end;
            return;
        }
        let (fence, content) = fence_at(self.text, line);
        let is_answer = fence == Fence::Answer;
        self.saw_answer |= is_answer;
        if fence == Fence::Code || is_answer && !self.opens_answers {
            let close = lines[self.next_fence + 1..].iter().find(|line| line.is_bare);
            return self.quote(close.map_or(self.text.len(), |line| line.end), "a fence");
        }
        let (kind, message) = if is_answer {
            (WarningKind::FencedAnswer, "the answer stood in a fence")
        } else {
            (WarningKind::NativeFormat, "calls stood in a tool_code fence")
        };
        self.draft.warn(kind, line.start, message);
        self.draft.take(line.start, content);
        self.fence = Some(fence);
        self.pos = content;
    }

    /// Steps over a quotation, and says so when it holds a call.
    fn quote(&mut self, end: usize, place: &str) {
        let tokens = self.prepared.tokens;
        let first = self.token_from(self.pos);
        let inside = tokens[first..].iter().take_while(|token| token.start < end);
        if let Some(token) = inside.into_iter().find(|token| matches!(token.kind, Kind::Open(_))) {
            let message = format!("{} in {place} is a quotation", TAG_WORDS[token.word].text);
            self.draft.warn(WarningKind::CodeSpan, token.start, message);
        } else if let Some(at) = self.native_in(end) {
            self.draft.warn(WarningKind::CodeSpan, at, format!("a native call in {place} is a quotation"));
        }
        self.pos = end;
    }

    /// Where a quotation begins with a call as JSON.
    fn native_in(&self, end: usize) -> Option<usize> {
        let near = &self.text[self.pos..end.min(floor_boundary(self.text, self.pos + 40))];
        let at = self.pos + near.find('{')?;
        names_tool(&self.text[at..end]).then_some(at)
    }

    /// The index of the first token at or after this byte.
    fn token_from(&mut self, at: usize) -> usize {
        while self.prepared.tokens.get(self.next_token).is_some_and(|token| token.start < at) {
            self.next_token += 1;
        }
        self.next_token
    }

    fn angle(&mut self) {
        let index = self.token_from(self.pos);
        if let Some(token) = self.prepared.tokens.get(index).filter(|token| token.start == self.pos) {
            return self.tag(index, token);
        }
        let hidden_regions = &self.prepared.quotations.hidden_regions;
        while hidden_regions.get(self.next_hidden).is_some_and(|region| region.0 < self.pos) {
            self.next_hidden += 1;
        }
        if let Some(&(_, end)) = hidden_regions.get(self.next_hidden).filter(|region| region.0 == self.pos) {
            return self.quote(end, "a comment");
        }
        let found = self.native.angle(self.pos);
        self.native(found);
    }

    fn tag(&mut self, index: usize, token: &Token) {
        let name = TAG_WORDS[token.word].text;
        match &token.kind {
            _ if token.quoted => {
                self.draft.warn(WarningKind::CodeSpan, token.start, format!("{name} is a quotation"));
                self.pos = token.end;
            }
            Kind::Broken => {
                let message = format!("{name} is followed by words and not by attributes");
                self.draft.warn(WarningKind::BrokenCall, token.start, message);
                self.pos = token.end;
            }
            Kind::Close => {
                self.draft.warn(
                    WarningKind::OrphanClose,
                    token.start,
                    format!("{name} was closed but not opened"),
                );
                self.draft.take(token.start, token.end);
                self.pos = token.end;
            }
            Kind::Open(tag) => self.open(index, token, tag),
        }
    }

    fn open(&mut self, index: usize, token: &Token, tag: &OpenTag) {
        let word = &TAG_WORDS[token.word];
        if tag.ending == Ending::EofInValue || tag.ending == Ending::Eof && !has_all(token, tag) {
            let message = format!("the output ends inside the open tag of {}", word.text);
            self.draft.warn(WarningKind::Truncated, token.start, message);
            self.draft.take(token.start, self.text.len());
            self.pos = self.text.len();
            return;
        }
        if self.is_mention(index, token, tag) {
            self.draft.warn(WarningKind::Mention, token.start, format!("{} is only mentioned", word.text));
            self.pos = token.end;
            return;
        }
        if is_placeholder(tag) {
            self.draft.warn(WarningKind::Mention, token.start, format!("{} is only an example", word.text));
            self.pos = self.outline.extent(index, tag).end;
            return;
        }
        self.take_call(index, token, tag);
    }

    /// Whether a tag without attributes and close tag is only a word of a sentence.
    fn is_mention(&self, index: usize, token: &Token, tag: &OpenTag) -> bool {
        let word = &TAG_WORDS[token.word];
        if !tag.attributes.is_empty() || tag.ending != Ending::Open {
            return false;
        }
        if self.prepared.pairs.partner(index).is_some() || self.outline.is_closed_near(index) {
            return false;
        }
        let near = &self.text[token.end..floor_boundary(self.text, token.end + MAX_LOOKAHEAD)];
        let line = near.lines().next().unwrap_or_default().trim();
        let is_path_tool = matches!(word.tool, Tool::Get | Tool::Rm);
        let is_sentence = is_path_tool && line.contains(char::is_whitespace) && !line.contains('<');
        word.is_alias() && word.tool != Tool::Think
            || is_sentence
            || self.draft.has_prose_on_line(token.start)
    }

    fn take_call(&mut self, index: usize, token: &Token, tag: &OpenTag) {
        let name = TAG_WORDS[token.word].text;
        let mut extent = self.outline.extent(index, tag);
        let mut faults = Vec::new();
        if token.renamed {
            let message = format!("the tag of {name} was written in another way");
            faults.push(TagWarning::new(WarningKind::RenamedTag, token.start, message));
        }
        for &(kind, at) in &tag.faults {
            faults.push(TagWarning::new(kind, at, fault_message(kind, name)));
        }
        if let Some((kind, message)) = extent.fault {
            faults.push(TagWarning::new(kind, token.start, format!("{name} {message}")));
        }
        if self.fence.is_some() && extent.fault.is_some() {
            self.end_at_fence(&mut extent);
        }
        let body = extent.body.map(|body| inner_lines(&self.text[body]).to_owned());
        let attributes = tag.attributes.iter().map(|attribute| {
            let value = attribute.value.clone().map_or(Value::Bool(true), Value::String);
            (attribute.name.clone(), value)
        });
        let span = token.start..extent.end;
        self.draft.call(Raw { word: token.word, attributes: attributes.collect(), body, span }, faults);
        self.pos = extent.end;
    }

    /// Ends a call that has no close tag at the last line that can close the fence around it.
    fn end_at_fence(&self, extent: &mut Extent) {
        let Some(body) = extent.body.as_mut().filter(|body| body.end == extent.end) else { return };
        let lines = &self.prepared.quotations.fences;
        let count = lines.partition_point(|line| line.start < body.end);
        if let Some(line) = lines[..count].iter().rev().find(|line| line.is_bare)
            && line.start >= body.start
        {
            body.end = line.start;
            extent.end = line.start;
        }
    }

    /// A Python call at the begin of a line of a tool_code fence.
    fn python(&mut self) {
        let is_tool_code = self.fence == Some(Fence::Calls);
        if is_tool_code
            && (self.pos == 0 || matches!(self.text.as_bytes()[self.pos - 1], b'\n' | b' ' | b'['))
        {
            let found = self.native.python(self.pos);
            self.native(found);
        }
    }

    fn native(&mut self, found: Option<Found>) {
        let at = self.pos;
        match found {
            None => {}
            Some(Found::Text(end)) => self.pos = end,
            Some(Found::Token(end)) => {
                self.draft.warn(WarningKind::NativeFormat, at, "a token of a native format was taken away");
                self.draft.take(at, end);
                self.pos = end;
            }
            Some(Found::Broken(end, message)) => {
                if at != self.broken_end {
                    self.draft.warn(WarningKind::BrokenCall, at, message);
                }
                self.broken_end = end.max(at + 1);
                if end > at {
                    self.draft.take(at, end);
                }
                self.pos = end;
            }
            Some(Found::Calls(calls, end)) => {
                for raw in calls {
                    let message = format!("a native call of {} was translated", TAG_WORDS[raw.word].text);
                    let fault = TagWarning::new(WarningKind::NativeFormat, at, message);
                    self.draft.call(raw, vec![fault]);
                }
                self.pos = end;
            }
        }
    }
}

/// Whether an open tag without its end says everything that the call needs.
fn has_all(token: &Token, tag: &OpenTag) -> bool {
    let has_value = |a: &Attribute| a.value.as_deref().is_some_and(|value| !value.is_empty());
    let names = tag.attributes.iter().filter(|a| has_value(a)).map(|a| a.name.as_str());
    is_complete(token.word, names)
}

/// Whether a value of the tag shows that the tag is an example from an instruction.
fn is_placeholder(tag: &OpenTag) -> bool {
    tag.attributes.iter().any(|attribute| match attribute.value.as_deref() {
        Some("..." | "…") => true,
        Some(value) => attribute.name == "status" && value.contains('|'),
        None => false,
    })
}

fn fault_message(kind: WarningKind, name: &str) -> String {
    match kind {
        WarningKind::UnclosedQuote => format!("an attribute of {name} has no closing quote"),
        WarningKind::RawQuote => format!("an attribute of {name} holds the quote that surrounds it"),
        WarningKind::OddQuote => format!("an attribute of {name} has unusual quotes"),
        WarningKind::UnclosedTag => format!("the open tag of {name} has no end"),
        _ => format!("a value of {name} has no name"),
    }
}

/// A body without one newline at its begin and one at its end.
fn inner_lines(body: &str) -> &str {
    let body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
    body.strip_suffix("\r\n").or_else(|| body.strip_suffix('\n')).unwrap_or(body)
}
