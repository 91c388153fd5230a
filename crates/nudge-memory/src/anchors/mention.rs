//! The files and names that a text mentions.

/// How many words of a text are examined.
const WORDS: usize = 400;

/// A file that a text mentions, with its line numbers if the text gives them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileMention<'t> {
    pub(super) path: &'t str,
    pub(super) lines: Option<(usize, usize)>,
}

/// The words of a text that may be files: `src/a.rs`, `a.rs:12`, `a.rs:12-20`, `a.rs#L12-L20`.
pub(super) fn files(text: &str) -> impl Iterator<Item = FileMention<'_>> {
    words(text).filter_map(|word| {
        let (path, place) = match word.split_once("#L").or_else(|| word.split_once(':')) {
            Some((path, place)) => (path, Some(place)),
            None => (word, None),
        };
        let path = path.strip_prefix("./").unwrap_or(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        let has_ending =
            name.split_once('.').is_some_and(|(stem, ending)| !(stem.is_empty() && ending.is_empty()));
        let is_path = (path.contains('/') || has_ending) && !path.contains("..") && !path.starts_with('/');
        is_path.then(|| FileMention { path, lines: place.and_then(line_range) })
    })
}

fn line_range(place: &str) -> Option<(usize, usize)> {
    let (first, last) = place.split_once('-').unwrap_or((place, place));
    let number = |text: &str| {
        let digits: String = text.trim_start_matches('L').chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<usize>().ok().filter(|line| *line > 0)
    };
    let first = number(first)?;
    Some((first, number(last).filter(|last| *last >= first).unwrap_or(first)))
}

/// The words of a text that name something in code: `parse_line`, `ParseError`, `run()`.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter_map(|word| {
        let name = word.trim_end_matches("()").trim_end_matches(':');
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let capital_inside =
            name.chars().skip(1).any(char::is_uppercase) && name.chars().any(char::is_lowercase);
        let is_name = name.contains('_') || capital_inside || word.ends_with("()");
        (is_word && is_name && name.len() > 2).then_some(name)
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let edge = |c: char| {
        matches!(c, '`' | '"' | '\'' | ',' | ';' | '!' | '?' | '[' | ']' | '{' | '}' | '<' | '>' | '*' | '(')
    };
    text.split_whitespace().take(WORDS).map(move |word| {
        let word = word.trim_matches(edge).trim_end_matches('.');
        // A closing bracket is only part of the word in `run()`.
        if word.ends_with("()") { word } else { word.trim_end_matches(')').trim_matches(edge) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_lines_are_found_in_sentences() {
        let text = "Keep src/a.rs:12-20 and (`lib/b.py`), see web/c.ts#L7. Not e.g. this, nor /etc/passwd or ../x.rs.";
        let found: Vec<_> = files(text).map(|file| (file.path, file.lines)).collect();
        assert_eq!(
            found,
            [("src/a.rs", Some((12, 20))), ("lib/b.py", None), ("web/c.ts", Some((7, 7))), ("e.g", None)]
        );
    }

    #[test]
    fn names_are_distinguished_from_words() {
        let found: Vec<_> = names("`parse_line` and ParseError call run() when Done, never foo").collect();
        assert_eq!(found, ["parse_line", "ParseError", "run"]);
    }
}
