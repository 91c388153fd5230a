//! The directory that an instruction is for.

/// Words before a path that say where something applies.
const WITHIN: &[&str] = &["for", "in", "inside", "under", "within"];

/// "The `x` folder", where `x` is not the name of a folder.
#[rustfmt::skip]
const NO_NAME: &[&str] = &[
    "a", "any", "current", "each", "every", "home", "its", "new", "one", "our", "own", "same",
    "separate", "target", "temp", "temporary", "that", "the", "this", "whole", "working", "your",
];

/// The first directory that a sentence names, with a slash at its end: `frontend/`.
pub(super) fn directory(sentence: &str) -> Option<String> {
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
    let said = before == "the" || WITHIN.contains(&before.as_str());
    (said && is_path(name) && !NO_NAME.contains(&name.to_lowercase().as_str())).then_some(name)
}

/// "under crates/core we …": a path of two parts or more after a word of place, and not a file.
fn below<'a>(words: &[&'a str]) -> Option<&'a str> {
    words.windows(2).map(|pair| (pair[0].to_lowercase(), pair[1])).find_map(|(before, path)| {
        let lower = !path.chars().any(char::is_uppercase);
        let deep = path.contains('/') && !path.rsplit('/').next().is_some_and(|last| last.contains('.'));
        (WITHIN.contains(&before.as_str()) && lower && deep && is_path(path)).then_some(path)
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
