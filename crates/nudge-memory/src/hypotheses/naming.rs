//! Whether a hypothesis names a command or a test, and what it expects of it.

use nudge_outcomes;
use nudge_outcomes::marks::part::{Part, parts};

/// Words that may follow a command in a sentence without being its arguments.
const AFTER: [&str; 40] = [
    "a", "again", "all", "and", "are", "be", "because", "becomes", "before", "but", "can", "comes", "exits",
    "fails", "finishes", "gets", "goes", "green", "in", "is", "must", "now", "on", "once", "only", "or",
    "pass", "passes", "prints", "reports", "run", "runs", "should", "shows", "succeeds", "then", "turns",
    "will", "with", "works",
];

/// Words that predict a failure or negate a success.
const FAILURE: [&str; 28] = [
    "fail", "fails", "failing", "failure", "failed", "error", "errors", "crash", "crashes", "panic",
    "panics", "red", "break", "breaks", "not", "never", "still", "no", "none", "cannot", "stop", "stops",
    "without", "longer", "neither", "nor", "unless", "hardly",
];

/// Runner options that do not change what is run.
const QUIET: [&str; 7] = ["-q", "-v", "-vv", "--quiet", "--verbose", "-s", "-x"];

/// Words that predict success.
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

/// Those failure words that predict a failure on their own, without negating anything.
const WRONG: [&str; 14] = [
    "fail", "fails", "failing", "failure", "failed", "error", "errors", "crash", "crashes", "panic",
    "panics", "red", "break", "breaks",
];

/// Words that add nothing to a prediction.
const PLAIN: [&str; 26] = [
    "a", "again", "all", "and", "are", "be", "both", "every", "exit", "exits", "goes", "in", "is", "it",
    "now", "of", "run", "runs", "should", "suite", "test", "tests", "the", "then", "will", "with",
];

/// How many other words a prediction may have if a run alone decides it.
const MORE: usize = 2;

/// Programs that test or build, as predictions name them.
const RUNNERS: [&str; 15] = [
    "cargo", "pytest", "jest", "vitest", "go test", "go build", "bun", "npm", "pnpm", "yarn", "make", "mvn",
    "gradle", "dotnet", "rspec",
];

/// Those that take a subcommand as their first word.
const COMMANDED: [&str; 8] = ["cargo", "go", "npm", "pnpm", "yarn", "bun", "dotnet", "make"];

/// The shortest test name, in characters: shorter words are too common.
const TEST_LEAST: usize = 5;

/// Whether a prediction names the run in a command line: the whole command, or every test it runs.
/// A line with several runs is never named.
pub(super) fn names(prediction: &str, line: &str) -> bool {
    let parts = parts(line);
    let runs: Vec<&Part> =
        parts.iter().filter(|part| nudge_outcomes::read(&part.text(), "", Some(0)).is_some()).collect();
    let [run] = runs.as_slice() else { return false };
    has_command(prediction, &run.text()) || names_tests(prediction, run)
}

/// Whether the prediction names every test that a run asks for, and the run asks for nothing else.
fn names_tests(prediction: &str, run: &Part) -> bool {
    let is_plain = |word: &&String| !QUIET.contains(&word.as_str());
    let skipped = if COMMANDED.contains(&run.program()) { 2 } else { 1 };
    let wanted: Vec<&String> = run.words.iter().skip(skipped).filter(is_plain).collect();
    !wanted.is_empty() && wanted.iter().all(|word| is_test(word) && has_word(prediction, word))
}

/// Whether a command line stays in a project: it changes to no directory outside it.
pub(super) fn is_within(line: &str, root: &str) -> bool {
    parts(line).iter().filter(|part| part.program() == "cd").all(|part| {
        let to = part.words.get(1).map_or("", String::as_str);
        !(to.starts_with('/') || to.starts_with('~') || to.contains("..")) || to.starts_with(root)
    })
}

/// Whether a prediction says that something succeeds, and not that anything fails.
pub(super) fn expects_success(prediction: &str) -> bool {
    let said = words(prediction);
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    has(&SUCCESS) && !has(&FAILURE)
}

/// Whether a prediction says that something fails.
pub(super) fn expects_failure(prediction: &str) -> bool {
    let said = words(prediction);
    let has = |list: &[&str]| said.iter().any(|word| list.contains(&word.as_str()));
    has(&WRONG) && !has(&SUCCESS)
}

/// Whether a prediction says little more than that the command succeeds. A verdict decides nothing
/// else that it says.
pub(super) fn says_no_more(prediction: &str, line: &str) -> bool {
    let named: Vec<String> = parts(line).iter().flat_map(|part| words(&part.text())).collect();
    let runners = words(prediction).iter().filter(|word| RUNNERS.contains(&word.as_str())).count();
    let is_more = |word: &String| {
        let word = word.as_str();
        !named.iter().any(|known| known == word) && !SUCCESS.contains(&word) && !PLAIN.contains(&word)
    };
    runners <= 1 && words(prediction).iter().filter(|word| is_more(word)).count() <= MORE
}

/// Whether a prediction names another runner, or another subcommand, than the line runs.
pub(super) fn is_about_another(prediction: &str, line: &str) -> bool {
    let said = prediction.to_lowercase();
    let has = |text: &str| has_word(&said, text);
    if !RUNNERS.iter().any(|runner| has(runner)) {
        return false;
    }
    !parts(line).iter().any(|part| {
        let head: Vec<&str> = part.words.iter().take(2).map(String::as_str).collect();
        let is_named = |head: &str| has(&head.to_lowercase());
        let takes_command = COMMANDED.contains(&head.first().copied().unwrap_or_default());
        if takes_command {
            is_named(&head.join(" "))
        } else {
            head.first().is_some_and(|program| is_named(program))
        }
    })
}

/// Whether a word names a test: `cart::rounding`, `test_rounding`, `tests/test_cart.py`.
fn is_test(word: &str) -> bool {
    let looks =
        word.contains("::") || (word.contains(['_', '/', '.']) && word.to_lowercase().contains("test"));
    looks && !word.starts_with('-') && word.chars().count() >= TEST_LEAST
}

/// Whether a text contains a command as a whole, not as the start of a longer one.
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

/// Whether the text after a command is not one of its arguments.
fn is_whole(rest: &str) -> bool {
    let Some(next) = rest.chars().next() else { return true };
    if next != ' ' {
        // A quote or a full stop ends the command; a letter or a dash continues it.
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
            assert!(names(said, "cargo test"), "{said}");
            assert!(names(said, "cd shop && cargo test 2>&1 | tail -5"), "{said}");
        }
        for said in ["cargo test -p shop passes", "cargo tests", "cargo test cart passes", "run mycargo test"]
        {
            assert!(!names(said, "cargo test"), "{said}");
        }
        assert!(!names("cargo test passes", "cargo test -p shop"), "a part of it decides nothing");
        assert!(!names("cargo test passes", "cargo build && cargo test"), "two runs");
        assert!(names("cargo test -p shop passes", "cargo test -p shop"));
    }

    #[test]
    fn a_test_is_named_by_itself() {
        assert!(names("cart::rounding passes", "cargo test cart::rounding"));
        assert!(names("tests/test_cart.py passes", "pytest -q tests/test_cart.py"));
        for (said, line) in [
            ("cart::rounding_up passes", "cargo test cart::rounding"),
            ("the cart is right", "cargo test cart"),
            ("cart::rounding passes", "cargo test cart::rounding --no-run"),
            ("tests/test_cart.py passes", "pytest tests/test_cart.py -k rounding"),
            ("all tests pass after the change in src/cart_test.rs", "touch src/cart_test.rs && cargo check"),
            ("all pass with src/cart.rs", "git add src/cart.rs && cargo build"),
        ] {
            assert!(!names(said, line), "{line}");
        }
    }

    #[test]
    fn a_run_elsewhere_is_no_run_here() {
        assert!(is_within("cd web && npm test", "/w/shop"));
        assert!(is_within("cd /w/shop/web && npm test", "/w/shop"));
        assert!(!is_within("cd /w/other && npm test", "/w/shop"));
        assert!(!is_within("cd ../other && npm test", "/w/shop"));
    }

    #[test]
    fn a_prediction_of_more_is_not_decided_by_a_verdict() {
        assert!(says_no_more("cargo test passes", "cargo test"));
        assert!(says_no_more(
            "all tests of `pytest -q tests/test_cart.py` pass",
            "pytest -q tests/test_cart.py"
        ));
        assert!(!says_no_more("`pytest -k loop` passes and prints 3 lines", "pytest -k loop"));
        assert!(!says_no_more("cargo build passes and cargo test passes", "cargo build"));
        assert!(expects_failure("cargo test fails with a rounding error"));
        assert!(!expects_failure("cargo test passes"));
    }

    #[test]
    fn a_prediction_about_another_command_is_known() {
        assert!(is_about_another("cargo test -p router passes", "cargo build"));
        assert!(is_about_another("pytest passes", "cargo test"));
        assert!(is_about_another("cargo test passes", "make deploy"));
        assert!(!is_about_another("cargo test passes", "cargo test -p till"));
        assert!(!is_about_another("the till shows 10.00", "cargo test"));
    }

    #[test]
    fn what_is_expected_is_distinguished_from_its_words() {
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
