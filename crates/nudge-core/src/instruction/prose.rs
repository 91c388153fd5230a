//! The sentences of a prompt that its author wrote as prose.
//!
//! People paste code, logs, reviews, plans, whole specifications. Pasted text was written by
//! somebody else, or for this task alone, so nothing in it counts as a standing instruction.

use crate::text::first_bytes;

/// A sentence, and where it was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Sentence<'a> {
    /// As written, on one line.
    pub text: &'a str,
    /// Whether it is an item of a list.
    pub listed: bool,
    /// Whether it is on the same line as the one before it.
    pub follows: bool,
}

/// A longer text, in bytes, is a document, not something said. It has few rules, and most of what
/// looks like one is the task.
const MAX_TEXT_BYTES: usize = 3_000;

/// The beginnings of texts that agents' own programs send in the user's name.
const BY_A_PROGRAM: &[&str] = &[
    "implement the following plan",
    "the user wants to clarify",
    "user has answered your questions",
    "this session is being continued",
    "caveat: the messages below",
    "[request interrupted",
    "base directory for this skill",
    "<",
    "#",
    "{",
    "[{",
];

/// The sentences of a text that are prose.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    if text.len() > MAX_TEXT_BYTES || by_a_program(text) || is_document(text) {
        return Vec::new();
    }
    runs(text, is_pasted).into_iter().flatten().collect()
}

/// The sentences of a text in runs with nothing pasted in between. Code in a fence and the lines
/// that `is_pasted` names are left out.
pub(super) fn runs(text: &str, is_pasted: fn(&str) -> bool) -> Vec<Vec<Sentence<'_>>> {
    let mut runs = vec![Vec::new()];
    let mut fenced = false;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
        fenced ^= is_fence;
        if is_fence || fenced || is_pasted(line) {
            runs.push(Vec::new());
        } else if let Some(run) = runs.last_mut() {
            split(trimmed, run);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Whether an agent's own program sent it in the user's name.
pub(super) fn by_a_program(text: &str) -> bool {
    let head = first_bytes(text.trim_start(), 40).to_lowercase();
    BY_A_PROGRAM.iter().any(|opening| head.starts_with(opening))
}

/// Headings, bold labels or a long list: a plan or a report.
fn is_document(text: &str) -> bool {
    let structured = |line: &&str| {
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("**") || line.starts_with('|') || item(line).is_some()
    };
    text.lines().filter(structured).count() > 6
}

/// A line of a log, a diff, a quotation or code.
pub(super) fn is_pasted(line: &str) -> bool {
    let trimmed = line.trim();
    let prose = trimmed.chars().filter(|c| c.is_alphabetic() || *c == ' ').count();
    is_marked(line) || prose * 4 < trimmed.chars().count() * 3
}

/// A line that is marked as a diff, a quotation or code by how it begins or ends.
pub(super) fn is_marked(line: &str) -> bool {
    let trimmed = line.trim();
    let opens =
        |c: char| matches!(c, '>' | '|' | '+' | '$' | '%' | '❯' | '│' | '⏺' | '⎿' | '@' | '{' | '}' | '<');
    if trimmed.starts_with(opens) || trimmed.starts_with("//") || trimmed.ends_with([';', '{', '}']) {
        return true;
    }
    if is_of_log(trimmed) {
        return true;
    }
    line.starts_with("    ") || line.starts_with('\t')
}

/// A line of a log or of a dialogue: it begins with a date, a level or who speaks.
fn is_of_log(line: &str) -> bool {
    const LABELS: &[&str] = &[
        "assistant",
        "debug",
        "error",
        "fatal",
        "human",
        "info",
        "system",
        "trace",
        "user",
        "warn",
        "warning",
    ];
    let line = line.trim_start_matches(['[', '"', '\'']);
    let is_date = line.len() > 10
        && line.bytes().take(10).enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-' || byte == b'/',
            _ => byte.is_ascii_digit(),
        });
    let label = line.split([':', ']', ' ']).next().unwrap_or_default();
    let is_marked = line[label.len()..].starts_with([':', ']']);
    is_date || is_marked && LABELS.iter().any(|known| label.eq_ignore_ascii_case(known))
}

/// The text after a list marker.
fn item(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len() && line.len() - rest.len() < 3;
    if numbered {
        return rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    }
    ["- ", "* ", "• "].iter().find_map(|mark| line.strip_prefix(mark))
}

/// Splits a line into sentences.
fn split<'a>(line: &'a str, sentences: &mut Vec<Sentence<'a>>) {
    let (listed, mut rest) = match item(line) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line),
    };
    let mut follows = false;
    while !rest.is_empty() {
        let (text, after) = rest.split_at(sentence_end(rest));
        let text = text.trim_end();
        if !text.is_empty() {
            sentences.push(Sentence { text, listed, follows });
            follows = true;
        }
        rest = after.trim_start();
    }
}

/// The offset after the marks that end the first sentence. A dot that is not followed by a space
/// belongs to a name; a dot after a single letter or a number belongs to an abbreviation or a
/// count.
fn sentence_end(line: &str) -> usize {
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        let ends = chars.peek().is_none_or(|(_, next)| next.is_whitespace() || (c != '.' && *next == ')'));
        if ends && !(c == '.' && abbreviates(&line[..at])) {
            let end = at + c.len_utf8();
            return end + line[end..].chars().take_while(|c| matches!(c, ')' | '"')).count();
        }
    }
    line.len()
}

fn abbreviates(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    let counts = before == word && word.chars().all(|c| c.is_ascii_digit());
    counts
        || matches!(
            word.to_ascii_lowercase().as_str(),
            "e.g" | "i.e" | "eg" | "ie" | "etc" | "vs" | "cf" | "incl"
        )
}

/// A sentence without the words that only ask to remember it: "please remember that …".
pub(super) fn without_opening(sentence: &str) -> &str {
    const OPENINGS: &[&str] =
        &["please remember", "remember", "please note", "note", "reminder", "important", "nb", "fyi"];
    let after = |opening: &&str| {
        let head = sentence.get(..opening.len()).filter(|head| head.eq_ignore_ascii_case(opening))?;
        let rest = &sentence[head.len()..];
        let marked = rest.strip_prefix([':', ',']).or_else(|| rest.strip_prefix(" that "));
        marked.or_else(|| rest.strip_prefix(" -")).map(str::trim_start)
    };
    OPENINGS.iter().find_map(after).filter(|rest| !rest.is_empty()).unwrap_or(sentence)
}

/// Whether something was removed from a sentence, such as a private span: punctuation where a word
/// was.
pub(super) fn has_gap(sentence: &str) -> bool {
    let mark = |c: char| matches!(c, ',' | ';' | ':' | '.' | '!' | '?' | ')');
    let marks_alone = sentence.starts_with(mark)
        || sentence.match_indices(' ').any(|(at, _)| {
            let mut after = sentence[at + 1..].chars();
            after.next().is_some_and(mark) && after.next().is_none_or(char::is_whitespace)
        });
    marks_alone || sentence.match_indices("  ").any(|(at, _)| leads_on(&sentence[..at]))
}

/// Whether another word has to follow: "we use", "deploy to the".
fn leads_on(before: &str) -> bool {
    #[rustfmt::skip]
    const LEADS: &[&str] = &[
        "a", "an", "are", "at", "by", "called", "for", "from", "in", "into", "is", "my", "named", "of",
        "on", "our", "run", "the", "to", "use", "uses", "using", "via", "with",
    ];
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    LEADS.contains(&last.as_str())
}

/// A text without the sentence that only gives its reason.
pub(super) fn without_reason(text: &str) -> &str {
    let (first, rest) = text.split_at(sentence_end(text));
    if gives_reason(rest.trim_start()) { first } else { text }
}

/// Whether a sentence only gives the reason for the one before it.
pub(super) fn gives_reason(sentence: &str) -> bool {
    /// A longer sentence that begins with "it" makes a statement of its own. In bytes.
    const SHORT: usize = 80;
    let first = sentence.split([' ', ',', '\'', '’']).next().unwrap_or_default().to_lowercase();
    let reason = match first.as_str() {
        "because" | "otherwise" | "since" => true,
        "it" | "that" | "they" => sentence.len() <= SHORT && !sentence.contains(" should "),
        _ => false,
    };
    reason && !sentence.ends_with('?')
}
