//! Finds what is quoted: back-tick spans, fences, comments, CDATA and heredocs.

use std::collections::HashMap;

use super::lex::{Kind, Token, blank_end, tool_tag_at};

/// A run of back-ticks, with the index of the run that closes it on the same line.
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) closer: Option<usize>,
}

/// Everything that can quote a tag, in order.
pub(super) struct Quotations {
    pub(super) runs: Vec<Run>,
    pub(super) fences: Vec<FenceLine>,
    /// Comments and CDATA sections.
    pub(super) hidden_regions: Vec<(usize, usize)>,
}

/// Finds the quotations.
pub(super) fn find_quotations(text: &str, tokens: &[Token]) -> Quotations {
    let in_tag = |at: usize| {
        let next = tokens.partition_point(|token| token.start <= at);
        next > 0 && tokens[next - 1].end > at
    };
    let mut hidden_regions = hidden_regions(text);
    hidden_regions.retain(|region| !in_tag(region.0));
    Quotations { runs: runs(text), fences: fence_lines(text), hidden_regions }
}

/// Marks the tokens that are quoted wherever they stand. With `opens_answers`, a fence that may be
/// the answer quotes nothing.
///
/// A quotation that would hide the close tag of a call is no quotation: back-ticks and fences that
/// were never closed are common, and they must not swallow the next call.
pub(super) fn mark_quoted(text: &str, tokens: &mut [Token], found: &Quotations, opens_answers: bool) {
    for token in tokens.iter_mut() {
        let (before, after) = (&text[..token.start], &text[token.end..]);
        let is_open = matches!(token.kind, Kind::Open(_));
        token.quoted = is_open && before.ends_with('`') && after.starts_with('`');
    }
    for (from, to) in span_pairs(&found.runs) {
        let inside = text[from..to].trim_matches('`').trim();
        let is_tag = inside.starts_with('<') && inside.ends_with('>');
        mark(tokens, from, to, is_tag);
    }
    for (line, to) in fence_pairs(&found.fences) {
        match fence_at(text, line).0 {
            Fence::Calls => {}
            Fence::Answer if opens_answers => {}
            _ => mark(tokens, line.marks_end, to, false),
        }
    }
    for &(from, to) in &found.hidden_regions {
        mark(tokens, from, to, text[from..].starts_with("<![CDATA["));
    }
    for (from, to, is_sure) in heredocs(text) {
        mark(tokens, from, to, is_sure);
    }
}

/// Marks the tokens of a range, unless it closes something that it did not open.
fn mark(tokens: &mut [Token], from: usize, to: usize, is_sure: bool) {
    let first = tokens.partition_point(|token| token.start < from);
    let count = tokens[first..].partition_point(|token| token.end <= to);
    let inside = &mut tokens[first..first + count];
    if is_sure || !closes_outside(inside) {
        inside.iter_mut().for_each(|token| token.quoted = true);
    }
}

fn closes_outside(tokens: &[Token]) -> bool {
    let mut open: HashMap<usize, usize> = HashMap::new();
    for token in tokens {
        let count = open.entry(token.word).or_default();
        match token.kind {
            Kind::Close if *count == 0 => return true,
            Kind::Close => *count -= 1,
            _ => *count += usize::from(token.opens()),
        }
    }
    false
}

fn runs(text: &str) -> Vec<Run> {
    let bytes = text.as_bytes();
    let mut runs: Vec<Run> = Vec::new();
    let mut waiting: HashMap<usize, usize> = HashMap::new();
    let mut pos = 0;
    while pos < bytes.len() {
        match bytes[pos] {
            b'\n' => {
                waiting.clear();
                pos += 1;
            }
            b'`' => {
                let length = bytes[pos..].iter().take_while(|b| **b == b'`').count();
                if length > 1 || !is_apostrophe(bytes, pos) {
                    if let Some(opener) = waiting.insert(length, runs.len()) {
                        runs[opener].closer = Some(runs.len());
                    }
                    runs.push(Run { start: pos, length, closer: None });
                }
                pos += length;
            }
            _ => pos += 1,
        }
    }
    runs
}

/// Whether a back-tick stands between two letters, as in `don`t`.
fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let is_letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    at > 0 && is_letter(bytes.get(at - 1)) && is_letter(bytes.get(at + 1))
}

/// The back-tick spans, paired from the left of each line.
fn span_pairs(runs: &[Run]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut index = 0;
    while let Some(run) = runs.get(index) {
        index += 1;
        if let Some(closer) = run.closer {
            pairs.push((run.start, runs[closer].start + runs[closer].length));
            index = closer + 1;
        }
    }
    pairs
}

/// The fences, paired from the top. A fence line with a language always opens.
fn fence_pairs(lines: &[FenceLine]) -> Vec<(&FenceLine, usize)> {
    let mut pairs = Vec::new();
    let mut open: Option<&FenceLine> = None;
    for line in lines {
        match open {
            Some(from) if line.is_bare => {
                pairs.push((from, line.start));
                open = None;
            }
            _ => open = Some(line),
        }
    }
    pairs
}

fn hidden_regions(text: &str) -> Vec<(usize, usize)> {
    let mut hidden_regions = Vec::new();
    let mut pos = 0;
    while let Some(offset) = text[pos..].find("<!") {
        let start = pos + offset;
        let end = if text[start..].starts_with("<!--") {
            "-->"
        } else if text[start..].starts_with("<![CDATA[") {
            "]]>"
        } else {
            pos = start + 2;
            continue;
        };
        // A region that never ends hides nothing, and no later one of its kind ends either.
        let Some(length) = text[start..].find(end) else { break };
        pos = start + length + end.len();
        hidden_regions.push((start, pos));
    }
    hidden_regions
}

/// The regions from `<<IDENT` to `IDENT` alone, with whether the end stands where ends stand.
fn heredocs(text: &str) -> Vec<(usize, usize, bool)> {
    let mut regions = Vec::new();
    // The open markers by name. A second opener of one name shows that the first has no end.
    let mut open: HashMap<&str, usize> = HashMap::new();
    for Marker { at, name, opens } in markers(text) {
        if opens {
            open.insert(name, at);
        } else if let Some(&from) = open.get(name) {
            let is_sure = text[..at].ends_with('\n') || text[at + name.len()..].starts_with("</");
            regions.push((from, at, is_sure));
            open.clear();
        }
    }
    regions
}

/// A word of a heredoc: `<<IDENT`, or `IDENT` between blanks.
struct Marker<'a> {
    at: usize,
    name: &'a str,
    opens: bool,
}

fn markers(text: &str) -> impl Iterator<Item = Marker<'_>> {
    let bytes = text.as_bytes();
    let mut pos = 0;
    std::iter::from_fn(move || {
        while pos < bytes.len() {
            let at = pos;
            let opens = bytes[at..].starts_with(b"<<");
            let is_quoted = opens && matches!(bytes.get(at + 2), Some(b'\'' | b'"'));
            let from = at + 2 * usize::from(opens) + usize::from(is_quoted);
            let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
            let is_apart = before.is_ascii_whitespace() || opens && before == b'>';
            if !is_apart || !bytes.get(from).is_some_and(u8::is_ascii_uppercase) {
                pos += 1;
                continue;
            }
            let is_part = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
            pos = from + bytes[from..].iter().take_while(is_part).count();
            if opens || bytes.get(pos).is_none_or(|b| b.is_ascii_whitespace() || *b == b'<') {
                return Some(Marker { at, name: &text[from..pos], opens });
            }
        }
        None
    })
}

// Tells what a fence is for: calls, an answer, or code.

/// The languages that models give to fences around calls.
const CALL_LANGUAGES: [&str; 7] =
    ["tool_code", "tool_call", "tool_calls", "tool_use", "tool", "function_call", "nudge"];

/// The languages of fences that may hold the answer.
const ANSWER_LANGUAGES: [&str; 6] = ["", "xml", "html", "json", "text", "plaintext"];

/// What a fence is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fence {
    /// It is made for calls.
    Calls,
    /// It begins with a call, in a language that may hold one.
    Answer,
    /// It is code.
    Code,
}

/// A line that opens or closes a fence.
pub(super) struct FenceLine {
    /// Where its fence characters begin.
    pub(super) start: usize,
    /// Where its fence characters end.
    pub(super) marks_end: usize,
    /// Where the line ends, after its newline.
    pub(super) end: usize,
    /// Whether nothing follows the fence characters.
    pub(super) is_bare: bool,
}

/// Every line that opens or closes a fence.
fn fence_lines(text: &str) -> Vec<FenceLine> {
    let mut lines = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let mark = if content.starts_with("~~~") { '~' } else { '`' };
        let info = content.trim_start_matches(mark);
        let marks = content.len() - info.len();
        if marks >= 3 && indent <= 3 && !info.contains('`') {
            let start = at + indent;
            let end = at + line.len();
            lines.push(FenceLine { start, marks_end: start + marks, end, is_bare: info.trim().is_empty() });
        }
        at += line.len();
    }
    lines
}

/// What this fence is for, and where its content begins.
pub(super) fn fence_at(text: &str, line: &FenceLine) -> (Fence, usize) {
    let info = text[line.marks_end..line.end].trim();
    let language = info.split(|c: char| c.is_whitespace() || c == '<').next().unwrap_or_default();
    let has_more = language.len() < info.len();
    let word_end = line.marks_end + text[line.marks_end..].find(language).unwrap_or(0) + language.len();
    let content = if has_more { word_end } else { line.end };
    let language = language.to_ascii_lowercase();
    if CALL_LANGUAGES.contains(&language.as_str()) {
        return (Fence::Calls, content);
    }
    let is_answer = ANSWER_LANGUAGES.contains(&language.as_str()) && begins_with_call(text, content);
    (if is_answer { Fence::Answer } else { Fence::Code }, content)
}

/// Whether the first thing here is a call, as far as the first bytes tell.
fn begins_with_call(text: &str, from: usize) -> bool {
    let at = blank_end(text.as_bytes(), from);
    let rest = &text[at..];
    let native =
        ["<tool_call>", "<tool_use>", "<function_calls>", "<|tool_call", "[TOOL_CALLS]", "{\"", "[{"];
    tool_tag_at(text, at).is_some_and(|tag| !tag.is_close)
        || native.iter().any(|begin| rest.starts_with(begin))
}
