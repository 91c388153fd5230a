//! Requests for actions, normalised so that the same request is recognised in another session.

use super::words::{Position, Word, words};

/// A request for actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The requested actions, normalised, sorted, each once: "commit", "update changelog".
    pub acts: Vec<String>,
    /// As it was said.
    pub text: String,
}

/// A longer text, in bytes, describes a task; a request in it is not a routine.
const MAX_TEXT_BYTES: usize = 200;

/// The most words of an object that are kept: enough for "unit test", too few for a task.
const OBJECT_WORDS: usize = 2;

/// Actions that need no object.
const INTRANSITIVE_ACTIONS: &[&str] =
    &["commit", "deploy", "format", "lint", "merge", "pull", "push", "rebase", "release", "squash"];

/// Actions that say little without their object.
#[rustfmt::skip]
const WITH_OBJECT: &[&str] = &[
    "add", "ask", "build", "bump", "check", "create", "document", "make", "open", "publish",
    "raise", "review", "run", "submit", "tag", "test", "update", "verify", "write",
];

/// Words before an object that are not part of it.
#[rustfmt::skip]
const SKIPPED_WORDS: &[&str] = &[
    "a", "all", "an", "any", "draft", "full", "its", "me", "my", "new", "of", "our", "some", "the",
    "this", "those", "these", "that", "them", "it", "whole", "your", "again", "also", "changes",
    "now",
];

/// Words that end an object.
#[rustfmt::skip]
const END_WORDS: &[&str] = &[
    "about", "accordingly", "after", "as", "at", "before", "because", "but", "by", "for", "from",
    "how", "if", "in", "into", "on", "so", "then", "there", "to", "too", "until", "using", "via",
    "what", "when", "where", "which", "while", "with", "and", "or", "please",
];

/// The actions that a short text asks for; `None` if it asks for none.
pub fn request(text: &str) -> Option<Request> {
    let text = text.trim();
    if text.len() > MAX_TEXT_BYTES {
        return None;
    }
    let words = words(text);
    let mut acts: Vec<String> =
        (0..words.len()).filter(|at| begins_act(&words, *at)).filter_map(|at| act(&words[at..])).collect();
    acts.sort_unstable();
    acts.dedup();
    (!acts.is_empty()).then(|| Request { acts, text: text.to_owned() })
}

/// A request is at the beginning of a clause, or after "can you" and the like.
fn begins_act(words: &[Word<'_>], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at].text.as_ref());
    let asked = matches!((before(2), before(1)), ("can" | "could" | "would", "you" | "we") | ("let", "us"));
    let goes_on = matches!(before(1), "also" | "just" | "now" | "please" | "then");
    let opens = words[at].position > Position::Inside
        && !matches!(before(1), "i" | "not" | "or" | "to" | "we" | "you");
    (asked || goes_on || opens) && !is_forbidden(words, at)
}

/// "Don't commit and push" asks for neither.
fn is_forbidden(words: &[Word<'_>], at: usize) -> bool {
    const BACK: usize = 4;
    let joined = at.checked_sub(1).is_some_and(|before| matches!(words[before].text.as_ref(), "and" | "or"));
    joined && words[at.saturating_sub(BACK)..at].iter().any(|word| word.text == "not")
}

fn act(words: &[Word<'_>]) -> Option<String> {
    let verb = words.first()?.text.as_ref();
    if INTRANSITIVE_ACTIONS.contains(&verb) {
        return Some(verb.to_owned());
    }
    if !WITH_OBJECT.contains(&verb) {
        return None;
    }
    let object = object(&words[1..])?;
    let verb =
        if object == "pr" && matches!(verb, "create" | "make" | "raise" | "submit") { "open" } else { verb };
    Some(format!("{verb} {object}"))
}

fn object(words: &[Word<'_>]) -> Option<String> {
    let kept: Vec<String> = words
        .iter()
        .take_while(|word| word.position == Position::Inside && !END_WORDS.contains(&word.text.as_ref()))
        .filter(|word| !SKIPPED_WORDS.contains(&word.text.as_ref()))
        .take(OBJECT_WORDS)
        .map(|word| singular(word.text.trim_end_matches(".md")))
        .collect();
    let object = kept.join(" ").replace("pull request", "pr");
    (!object.is_empty() && !object.starts_with("sure")).then_some(object)
}

/// "tests" and "test" are the same object.
fn singular(word: &str) -> String {
    let plural = word.len() > 3 && !["ss", "is", "us"].iter().any(|end| word.ends_with(end));
    let word = if plural { word.strip_suffix('s').unwrap_or(word) } else { word };
    if word == "documentation" { "doc".to_owned() } else { word.to_owned() }
}
