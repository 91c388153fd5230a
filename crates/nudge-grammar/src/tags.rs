//! Reads what language models really write: calls as tags, whole or broken, among prose.
//!
//! The parser never fails, never drops a call in silence, and says every recovery as a warning. It
//! works in passes over the whole output, each linear:
//!
//! 1. `lex` finds every tool tag, `quotation` what is quoted, `pair` which tags belong together;
//! 2. `scan` walks over the output from the outside and takes calls, quotations and native formats;
//! 3. `resolve` makes a call of each: target, body, numbers.
//!
//! Decisions that a reader may ask about:
//!
//! - A body is opaque. Tags of the same name inside it balance; nothing in it is decoded. One
//!   newline after the open tag and one before the close tag are not part of it.
//! - Attribute values decode the five named entities and numeric ones.
//! - A call in inline back-ticks, a code fence or a comment is a quotation. A `tool_code` fence
//!   holds calls. A plain, `xml` or `json` fence that begins with a call is the answer when no call
//!   stands outside of fences and when prose stands at most on one side of it.
//! - A tool that has all it needs in its attributes (`<get path="…">`) takes no body unless it is
//!   closed, so a forgotten slash swallows nothing.
//! - A call that misses its close tag ends before a tool tag that begins a line, if the output ends
//!   with a closed tag; otherwise only before an update or a tag that is unclosed too.
//! - An output that ends inside an open tag makes no call of it: half a path is another path.

mod draft;
mod extent;
mod lex;
mod loose;
mod native;
mod open;
mod quotation;
mod resolve;
mod scan;
mod tool;
mod warning;

pub use tool::{Call, Tool};
pub use warning::{TagWarning, WarningKind};

use draft::Draft;
use extent::Pairs;
use lex::Token;
use quotation::Quotations;
use scan::{Prepared, Scanner};

/// What an output says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The calls, in the order of the output.
    pub calls: Vec<Call>,
    /// What was recovered, by place.
    pub warnings: Vec<TagWarning>,
    /// The prose outside of the calls: pieces without outer blanks, one to a line.
    pub text: String,
}

/// The limits of one output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TagLimits {
    /// How many calls are kept. The others are dropped with one warning.
    pub max_calls: usize,
}

impl Default for TagLimits {
    fn default() -> Self {
        Self { max_calls: 99 }
    }
}

/// Reads an output. Never fails, and takes time linear in its length.
pub fn parse_tags(output: &str, limits: TagLimits) -> Parsed {
    let cut = lex::cut_name(output);
    let text = &output[..cut.unwrap_or(output.len())];
    let mut tokens = lex::tokens(text);
    let quotations = quotation::find_quotations(text, &tokens);
    let mut draft = read(text, &mut tokens, &quotations, limits.max_calls);
    if let Some(at) = cut {
        draft.warn(WarningKind::Truncated, at, "the output ends inside the name of a tag");
    }
    if tokens.is_empty() && !draft.has_calls() && draft.warnings.is_empty() {
        draft = read_bare(text, limits.max_calls);
    }
    let text = draft.prose_text();
    let Draft { calls, mut warnings, .. } = draft;
    warnings.sort_by_key(|warning| warning.at);
    Parsed { calls, warnings, text }
}

/// Reads the output; when it has no call, a second time with the fences that may be the answer.
fn read<'a>(text: &'a str, tokens: &mut [Token], quotations: &Quotations, max_calls: usize) -> Draft<'a> {
    let (first, saw_answer) = read_once(text, tokens, quotations, max_calls, false);
    if first.has_calls() || !saw_answer {
        return first;
    }
    let (second, _) = read_once(text, tokens, quotations, max_calls, true);
    if is_answer(&second, text) { second } else { first }
}

fn read_once<'a>(
    text: &'a str,
    tokens: &mut [Token],
    quotations: &Quotations,
    max_calls: usize,
    opens_answers: bool,
) -> (Draft<'a>, bool) {
    quotation::mark_quoted(text, tokens, quotations, opens_answers);
    let pairs = Pairs::new(text, tokens);
    let prepared = Prepared { text, tokens, pairs: &pairs, quotations };
    let scanner = Scanner::new(&prepared, Draft::new(text, max_calls), opens_answers).run();
    (scanner.draft, scanner.saw_answer)
}

/// Whether calls out of a fence are the answer: prose stands at most on one side of them.
fn is_answer(draft: &Draft<'_>, text: &str) -> bool {
    let (Some(first), Some(last)) = (draft.calls.first(), draft.calls.last()) else { return false };
    let mut prose = draft.prose.iter().filter(|range| !text[(*range).clone()].trim().is_empty());
    let before = prose.clone().any(|range| range.start < first.span.start);
    let after = prose.any(|range| range.start >= last.span.end);
    !(before && after)
}

fn read_bare(text: &str, max_calls: usize) -> Draft<'_> {
    let mut draft = Draft::new(text, max_calls);
    for raw in draft::bare_calls(text) {
        let fault = TagWarning::new(WarningKind::BareLine, raw.span.start, "a bare line was read as a call");
        draft.call(raw, vec![fault]);
    }
    draft.finish();
    draft
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_and_the_text_around_it_are_read() {
        let parsed = parse_tags("Let me look: <get path=\"src/main.rs\"/>", TagLimits::default());
        assert_eq!(parsed.calls[0].tool, Tool::Get);
        assert_eq!(parsed.calls[0].target, "src/main.rs");
        assert_eq!(parsed.text, "Let me look:");
    }
}
