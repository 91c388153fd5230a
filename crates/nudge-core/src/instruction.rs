//! Standing instructions: what a user says to an agent that seems meant to apply from now on.
//!
//! Most of what users say is about the current task. Some of it is meant to apply beyond it: a rule
//! ("don't amend commits"), a fact ("we use pnpm here"), a preference ("keep answers short"). Key
//! words cannot distinguish these: "the command should always print a line" is about the product,
//! and "don't write code yet" about this turn. So the grammar of a sentence is scored: who it is
//! about, whether it means one thing or a whole kind of thing, whether a word binds it to this
//! task.
//!
//! Nothing here is final: every instruction found is proposed to the user.
//!
//! `prose` splits a text into the sentences that its author wrote, `words` normalises a sentence
//! and matches patterns over it, `weigh` adds up the evidence for and against. `may_state` says
//! whether the agent is asked for its judgement, and `quoted` finds what the agent quotes.

mod may_state;
mod prose;
mod quoted;
mod request;
mod subject;
mod weigh;
mod words;

use prose::Sentence;
use weigh::{MIN_SCORE, SentenceScore, score_sentence};

use crate::text::first_chars;

pub use may_state::may_state_rule;
pub use quoted::{is_long_enough, quoted};
pub use request::{Request, request};
pub use subject::{Subject, contradicts, plain_words, same};

/// Something that a user said and that seems meant to apply from now on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The sentence with the instruction, in the user's own words: at most
    /// [`MAX_INSTRUCTION_CHARS`] characters.
    pub text: String,
    /// The directory it is for, if it names one: `frontend/`.
    pub directory: Option<String>,
    /// Whether it has a word of permanence: "always", "never", "from now on", "after each".
    pub permanence: bool,
    /// The kind of instruction.
    pub kind: Kind,
}

/// The kinds of standing instructions.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// What to do, or not to do.
    Rule,
    /// What is true.
    Fact,
    /// What the user prefers.
    Preference,
}

/// The most characters of an instruction that are kept.
pub const MAX_INSTRUCTION_CHARS: usize = 300;

/// A text with more of them is a document, not something a user said.
const MAX_INSTRUCTIONS: usize = 3;

/// The longer a text is, the more of it is about the task. Each row: a length in bytes, and what is
/// subtracted from the score above it.
const LENGTH_PENALTIES: [(usize, i32); 2] = [(1_200, 2), (400, 1)];

/// The standing instructions in what a user said: at most three, in the order they were said.
pub fn find_instructions(text: &str) -> Vec<Instruction> {
    let sentences = prose::sentences(text);
    let weighed: Vec<SentenceScore> = sentences.iter().map(score_sentence).collect();
    let mut found: Vec<(usize, i32)> = (0..sentences.len())
        .map(|at| (at, total(&weighed, at) - length(text)))
        .filter(|(at, score)| *score >= MIN_SCORE && !prose::has_gap(sentences[*at].text))
        .collect();
    found.sort_by_key(|(_, score)| -score);
    found.truncate(MAX_INSTRUCTIONS);
    found.sort_unstable();
    found.into_iter().map(|(at, _)| instruction(&sentences, &weighed[at], at)).collect()
}

/// The score of a sentence, including what the sentences next to it add.
fn total(weighed: &[SentenceScore], at: usize) -> i32 {
    let beside = [at.checked_sub(1), at.checked_add(1)];
    let heaviest =
        beside.into_iter().flatten().filter_map(|at| weighed.get(at)).map(|weighed| weighed.beside).max();
    weighed[at].score + heaviest.unwrap_or(0)
}

fn length(text: &str) -> i32 {
    LENGTH_PENALTIES.iter().find(|(from, _)| text.len() > *from).map_or(0, |(_, less)| *less)
}

fn instruction(sentences: &[Sentence<'_>], weighed: &SentenceScore, at: usize) -> Instruction {
    let sentence = prose::without_opening(sentences[at].text);
    let text = match sentences.get(at + 1) {
        Some(next) if next.follows && prose::gives_reason(next.text) => format!("{sentence} {}", next.text),
        _ => sentence.to_owned(),
    };
    let text = if text.chars().count() > MAX_INSTRUCTION_CHARS { cut(sentence).to_owned() } else { text };
    Instruction {
        directory: directory(&text),
        text,
        permanence: weighed.permanence,
        kind: weighed.kind.unwrap_or(Kind::Rule),
    }
}

/// Cuts a sentence that is too long at the end of the last clause or word that fits.
fn cut(sentence: &str) -> &str {
    let head = first_chars(sentence, MAX_INSTRUCTION_CHARS);
    if head.len() == sentence.len() {
        return head;
    }
    let end =
        head.rfind([',', ';', '(', '–', '—']).filter(|end| *end > head.len() / 2).or_else(|| head.rfind(' '));
    head[..end.unwrap_or(head.len())].trim_end()
}

/// Words before a path that say where something applies.
const PLACE_PREPOSITIONS: &[&str] = &["for", "in", "inside", "under", "within"];

/// "The `x` folder", where `x` is not the name of a folder.
#[rustfmt::skip]
const NO_NAME: &[&str] = &[
    "a", "any", "current", "each", "every", "home", "its", "new", "one", "our", "own", "same",
    "separate", "target", "temp", "temporary", "that", "the", "this", "whole", "working", "your",
];

/// The first directory that a sentence names, with a slash at its end: `frontend/`.
fn directory(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    let named = words.iter().find_map(|word| word.strip_suffix('/').filter(|path| is_path(path)));
    let path = named.or_else(|| folder(&words)).or_else(|| below(&words))?;
    Some(format!("{}/", path.trim_start_matches("./")))
}

/// Without the quotes and punctuation around it.
fn bare(word: &str) -> &str {
    let word = word.trim_matches(|c| {
        matches!(c, '`' | '"' | '\'' | '(' | ')' | '“' | '”' | '*' | ',' | ';' | ':' | '!')
    });
    word.strip_suffix('.').unwrap_or(word)
}

/// "in the frontend folder".
fn folder<'a>(words: &[&'a str]) -> Option<&'a str> {
    let at = words.iter().position(|word| matches!(*word, "directory" | "folder"))?;
    let name = *words.get(at.checked_sub(1)?)?;
    let before = words.get(at.checked_sub(2)?)?.to_lowercase();
    let said = before == "the" || PLACE_PREPOSITIONS.contains(&before.as_str());
    (said && is_path(name) && !NO_NAME.contains(&name.to_lowercase().as_str())).then_some(name)
}

/// "under crates/core we …": a path of two parts or more after a word of place, and not a file.
fn below<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.windows(2).map(|pair| (pair[0].to_lowercase(), pair[1])).find_map(|(before, path)| {
        let lower = !path.chars().any(char::is_uppercase);
        let deep = path.contains('/') && !path.rsplit('/').next().is_some_and(|last| last.contains('.'));
        (PLACE_PREPOSITIONS.contains(&before.as_str()) && lower && deep && is_path(path)).then_some(path)
    })
}

/// A path inside the project: not absolute, no `..`, not an address.
fn is_path(path: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let part = |part: &str| !part.is_empty() && part != "..";
    path.len() <= 200
        && path.chars().all(plain)
        && path.chars().any(char::is_alphabetic)
        && path.split('/').all(part)
}

#[cfg(test)]
mod tests;
