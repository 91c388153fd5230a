//! Whether a hypothesis names a command or a test, and what it expects of it.

use crate::marks::part::parts;

/// Words that may follow a command in a sentence without being one of its arguments.
const AFTER: [&str; 40] = [
    "a", "again", "all", "and", "are", "be", "because", "becomes", "before", "but", "can", "comes", "exits",
    "fails", "finishes", "gets", "goes", "green", "in", "is", "must", "now", "on", "once", "only", "or",
    "pass", "passes", "prints", "reports", "run", "runs", "should", "shows", "succeeds", "then", "turns",
    "will", "with", "works",
];

/// Words of a prediction that something goes wrong, or does not go right.
const FAILURE: [&str; 17] = [
    "fail", "fails", "failing", "failure", "failed", "error", "errors", "crash", "crashes", "panic",
    "panics", "red", "break", "breaks", "not", "never", "still",
];

/// Words of a prediction that something goes well.
const SUCCESS: [&str; 16] = [
    "pass",
    "passes",
    "passed",
    "passing",
    "green",
    "succeed",
    "succeeds",
    "success",
    "successful",
    "successfully",
    "works",
    "clean",
    "cleanly",
    "ok",
    "compiles",
    "builds",
];

/// A name of a test is at least this long: shorter words are in every text.
const TEST_LEAST: usize = 5;

/// Whether any of the texts names a command that a line runs, whole, or a test that it runs alone.
pub(super) fn names(texts: &[&str], line: &str) -> bool {
    parts(line).iter().filter(|part| part.decides || !part.is_look()).any(|part| {
        let command = part.text();
        let tests: Vec<&String> = part.words.iter().skip(1).filter(|word| is_test(word)).collect();
        texts.iter().any(|text| has_command(text, &command) || tests.iter().any(|test| has_word(text, test)))
    })
}

/// Whether a prediction says that something goes well, and not that anything goes wrong.
pub(super) fn expects_success(prediction: &str) -> bool {
    let said = words(prediction);
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    has(&SUCCESS) && !has(&FAILURE)
}

/// A word that names a test: `cart::rounding`, `test_rounding`, `tests/test_cart.py`.
fn is_test(word: &str) -> bool {
    let looks = word.contains("::") || word.contains('_') || word.contains('/') || word.contains('.');
    looks && !word.starts_with('-') && word.chars().count() >= TEST_LEAST
}

/// Whether a text has a command as a whole: not as the beginning of a longer one.
fn has_command(text: &str, command: &str) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut from = 0;
    while let Some(found) = text[from..].find(command) {
        let (begin, end) = (from + found, from + found + command.len());
        let before = text[..begin].chars().next_back();
        if before.is_none_or(|c| !is_part_of_word(c)) && is_whole(&text[end..]) {
            return true;
        }
        from = end;
    }
    false
}

/// Whether what follows a command in a text is no argument of it.
fn is_whole(rest: &str) -> bool {
    let Some(next) = rest.chars().next() else { return true };
    if next != ' ' {
        // A quote or a full stop ends it; a letter or a dash goes on.
        return !is_part_of_word(next) || (next == '.' && rest[1..].chars().next().is_none_or(|c| c == ' '));
    }
    let word: String = rest[1..].chars().take_while(|c| !c.is_whitespace()).collect();
    let word = word.trim_end_matches([',', '.', ';', ':', '!', '?', ')']).to_lowercase();
    AFTER.contains(&word.as_str())
}

fn has_word(text: &str, word: &str) -> bool {
    let mut from = 0;
    while let Some(found) = text[from..].find(word) {
        let (begin, end) = (from + found, from + found + word.len());
        let is_bare = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        if is_bare(text[..begin].chars().next_back()) && is_bare(text[end..].chars().next()) {
            return true;
        }
        from = end;
    }
    false
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ':' | '=')
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(|word| if word.ends_with("n't") { "not".to_owned() } else { word.to_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_as_a_whole() {
        for said in ["cargo test passes", "`cargo test` is green", "then cargo test.", "cargo test"] {
            assert!(names(&[said], "cargo test"), "{said}");
            assert!(names(&[said], "cd shop && cargo test 2>&1 | tail -5"), "{said}");
        }
        for said in ["cargo test -p shop passes", "cargo tests", "cargo test cart passes", "run mycargo test"]
        {
            assert!(!names(&[said], "cargo test"), "{said}");
        }
        assert!(!names(&["cargo test passes"], "cargo test -p shop"), "a part of it decides nothing");
        assert!(names(&["cargo test -p shop passes"], "cargo test -p shop"));
    }

    #[test]
    fn a_test_is_named_by_itself() {
        assert!(names(&["cart::rounding passes"], "cargo test cart::rounding"));
        assert!(names(&["tests/test_cart.py passes"], "pytest -q tests/test_cart.py"));
        assert!(!names(&["cart::rounding_up passes"], "cargo test cart::rounding"));
        assert!(!names(&["the cart is right"], "cargo test cart"));
    }

    #[test]
    fn what_is_expected_is_told_from_its_words() {
        for said in ["cargo test passes", "all tests pass", "it compiles"] {
            assert!(expects_success(said), "{said}");
        }
        for said in
            ["cargo test fails with E0308", "it doesn't pass", "the test still passes", "we see a log line"]
        {
            assert!(!expects_success(said), "{said}");
        }
    }
}
