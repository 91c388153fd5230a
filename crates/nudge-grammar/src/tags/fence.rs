//! Tells what a fence is for: calls, an answer, or code.

use super::start::{blank_end, tool_tag_at};

/// The languages that models give to fences around calls.
const CALLS: [&str; 7] =
    ["tool_code", "tool_call", "tool_calls", "tool_use", "tool", "function_call", "nudge"];

/// The languages of fences that may hold the answer.
const ANSWERS: [&str; 6] = ["", "xml", "html", "json", "text", "plaintext"];

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
pub(super) fn fence_lines(text: &str) -> Vec<FenceLine> {
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
    if CALLS.contains(&language.as_str()) {
        return (Fence::Calls, content);
    }
    let is_answer = ANSWERS.contains(&language.as_str()) && begins_with_call(text, content);
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
