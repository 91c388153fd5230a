//! Recovers a call from a bare line, when an output has no tag at all.

use serde_json::Value;

use super::lex::has_extension;
use super::resolve::Raw;
use super::tool::{Tool, WORDS};

/// The call of each bare line.
///
/// A line must begin with `get`, `rm`, `cp` or `mv`, and a path must follow. A path with blanks is
/// accepted only when the line is the whole output and ends like a path.
pub(super) fn bare_calls(text: &str) -> Vec<Raw> {
    let is_only_line = text.trim().lines().count() == 1;
    let mut calls = Vec::new();
    let mut is_fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if content.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && let Some((word, attributes)) = read_line(content, is_only_line) {
            let start = at + line.len() - line.trim_start().len();
            let span = start..start + content.len();
            calls.push(Raw { word, attributes, body: None, span });
        }
        at += line.len();
    }
    calls
}

fn read_line(line: &str, is_only_line: bool) -> Option<(usize, Vec<(String, Value)>)> {
    let (verb, rest) = line.split_once(' ')?;
    let word = WORDS.iter().position(|word| word.text == verb)?;
    let rest = rest.trim();
    let mut words = rest.split_whitespace();
    let first = words.next().filter(|word| is_path(word))?;
    let attribute = |name: &str, value: &str| (name.to_owned(), Value::String(value.to_owned()));
    match (WORDS[word].tool, words.next(), words.next()) {
        (Tool::Get | Tool::Rm, None, _) => Some((word, vec![attribute("path", first)])),
        (Tool::Get | Tool::Rm, Some(_), _)
            if is_only_line && rest.split_whitespace().last().is_some_and(is_path) =>
        {
            Some((word, vec![attribute("path", rest)]))
        }
        (Tool::Cp | Tool::Mv, Some(to), None) if is_path(to) => {
            Some((word, vec![attribute("path", first), attribute("to", to)]))
        }
        _ => None,
    }
}

fn is_path(word: &str) -> bool {
    word.contains("://")
        || (word.contains('/') && !word.ends_with([',', ';', ':', '.']))
        || has_extension(word)
}
