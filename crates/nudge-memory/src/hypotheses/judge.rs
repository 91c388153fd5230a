//! Judges a session's hypothesis by a test or build run.
//!
//! A run that the hypothesis names confirms or contradicts it. Any other run is only a suggestion:
//! the agent says what it means. A run without a known verdict is ignored.

use nudge_core::hypothesis::Status;
use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, Fault, Provenance, Source, Tier, Timestamp};
use nudge_outcomes::marks::part::{Part, parts};
use nudge_outcomes::{RUN, Verdict};
use nudge_store::{Reader, SecretPolicy, SessionId};
use serde_json::Value;

use super::record::{Contradiction, GhapRecord};
use super::stored::{Stored, active_of, last_of};
use crate::capture::reaction::Ended;

/// How much of a command is shown, in characters.
const MAX_COMMAND_CHARS: usize = 80;

/// A run, as recorded in its observation.
struct Ran<'r> {
    verdict: Verdict,
    run: &'r Value,
}

impl<'r> Ran<'r> {
    /// Reads the run from a command's metadata; `None` if there is no run or no verdict.
    fn of(run: Option<&'r Value>) -> Option<Self> {
        let run = run?;
        let verdict = Verdict::from_name(run["verdict"].as_str()?)?;
        // A filter that matches no test also passes.
        let ran_nothing = verdict == Verdict::Passed && run["passed"] == 0;
        (verdict != Verdict::Unknown && !ran_nothing).then_some(Self { verdict, run })
    }

    /// For example: `cargo test` passed (42 passed).
    fn result(&self, command: &str) -> String {
        let command = one_line_of_chars(command, MAX_COMMAND_CHARS).replace('`', "'");
        let counts: Vec<String> = ["failed", "passed"]
            .iter()
            .filter_map(|name| Some((self.run[*name].as_u64().filter(|count| *count > 0)?, name)))
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
        format!("`{command}` {}{counts}", self.verdict.name())
    }
}

/// Judges the session's hypothesis by one of the session's runs.
pub(crate) fn judge(ended: &Ended<'_>) -> Result<(), Fault> {
    let Some(ran) = Ran::of(ended.metadata.get(RUN)) else { return Ok(()) };
    // A subagent tests its own hypothesis, and an imported run is in the past.
    if ended.event.agent.is_some() || ended.event.via.is_import() {
        return Ok(());
    }
    let Some(mut stored) = active_of(ended.writer, ended.session)? else { return Ok(()) };
    let is_here = stored.row.project == ended.project && is_within(ended.body, &ended.event.project.root);
    if !is_here || ended.at < stored.record.since() || !decides(&stored.record, ended.body) {
        return Ok(());
    }
    let result = ran.result(ended.body);
    if ran.verdict == Verdict::Failed && stored.record.contradicted.is_some() {
        return Ok(());
    }
    if ran.verdict == Verdict::Passed {
        stored.record.end(Status::Confirmed, result, Some(ended.entry.0), ended.at);
    } else {
        stored.record.contradicted =
            Some(Contradiction { run: ended.entry.0, result, at: ended.at.to_string() });
    }
    let by = Provenance {
        source: Source::ToolOutput,
        tier: Tier::System,
        client: Some(ended.event.harness.clone()),
        session: Some(ended.event.session.clone()),
        project: Some(ended.event.project.key.clone()),
        machine: None,
    };
    stored.put(ended.writer, &by, SecretPolicy::Redact, ended.at)
}

/// Whether a run of this command decides a hypothesis: the prediction names the command, and says
/// only that it succeeds.
fn decides(record: &GhapRecord, command: &str) -> bool {
    let prediction = &record.prediction;
    is_named(prediction, command)
        && expects_success(prediction)
        && says_no_more(prediction, command)
        && !is_about_another(prediction, command)
}

/// The effect of a run on its session's hypothesis.
pub(crate) struct OutcomeOfRun {
    pub(crate) entry: EntryId,
    pub(crate) at: Timestamp,
    /// Whether the run itself changed the hypothesis.
    pub(crate) has_changed: bool,
    /// Whether the run ended as the hypothesis predicts, as far as is known.
    pub(crate) passed: bool,
    /// A description of the run's result.
    pub(crate) result: String,
    pub(crate) record: GhapRecord,
}

/// The effect of a run that has just ended, to report to the agent. `None` if the session has no
/// hypothesis that the run could be about.
pub(crate) fn outcome_of_run(
    reader: &Reader<'_>,
    session: SessionId,
    command: &str,
    run: Option<&Value>,
    at: Timestamp,
) -> Result<Option<OutcomeOfRun>, Fault> {
    let Some(ran) = Ran::of(run) else { return Ok(None) };
    let passed = ran.verdict == Verdict::Passed;
    let found = |stored: Stored, has_changed: bool| OutcomeOfRun {
        entry: stored.row.entry,
        at,
        has_changed,
        passed: passed
            != (is_named(&stored.record.prediction, command) && expects_failure(&stored.record.prediction)),
        result: ran.result(command),
        record: stored.record,
    };
    if let Some(active) = active_of(reader, session)? {
        if is_about_another(&active.record.prediction, command) {
            return Ok(None);
        }
        let is_by_this = active.record.contradicted.as_ref().is_some_and(|run| run.at == at.to_string());
        return Ok(Some(found(active, is_by_this)));
    }
    let by_this = last_of(reader, session)?.filter(|stored| {
        stored.row.resolved_at == Some(at)
            && stored.record.outcome.as_ref().is_some_and(|outcome| outcome.auto_captured)
    });
    Ok(by_this.map(|stored| found(stored, true)))
}

// Whether a hypothesis names a command or a test, and what it expects of it.

/// Words that may follow a command in a sentence without being its arguments.
const WORDS_AFTER_COMMAND: [&str; 40] = [
    "a", "again", "all", "and", "are", "be", "because", "becomes", "before", "but", "can", "comes", "exits",
    "fails", "finishes", "gets", "goes", "green", "in", "is", "must", "now", "on", "once", "only", "or",
    "pass", "passes", "prints", "reports", "run", "runs", "should", "shows", "succeeds", "then", "turns",
    "will", "with", "works",
];

/// Words that predict a failure or negate a success.
const FAILURE_WORDS: [&str; 28] = [
    "fail", "fails", "failing", "failure", "failed", "error", "errors", "crash", "crashes", "panic",
    "panics", "red", "break", "breaks", "not", "never", "still", "no", "none", "cannot", "stop", "stops",
    "without", "longer", "neither", "nor", "unless", "hardly",
];

/// Runner options that do not change what is run.
const NEUTRAL_OPTIONS: [&str; 7] = ["-q", "-v", "-vv", "--quiet", "--verbose", "-s", "-x"];

/// Words that predict success.
const SUCCESS_WORDS: [&str; 16] = [
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
const CLEAR_FAILURE_WORDS: [&str; 14] = [
    "fail", "fails", "failing", "failure", "failed", "error", "errors", "crash", "crashes", "panic",
    "panics", "red", "break", "breaks",
];

/// Words that add nothing to a prediction.
const EMPTY_WORDS: [&str; 26] = [
    "a", "again", "all", "and", "are", "be", "both", "every", "exit", "exits", "goes", "in", "is", "it",
    "now", "of", "run", "runs", "should", "suite", "test", "tests", "the", "then", "will", "with",
];

/// How many other words a prediction may have if a run alone decides it.
const MAX_OTHER_WORDS: usize = 2;

/// Programs that test or build, as predictions name them.
const RUNNER_PROGRAMS: [&str; 15] = [
    "cargo", "pytest", "jest", "vitest", "go test", "go build", "bun", "npm", "pnpm", "yarn", "make", "mvn",
    "gradle", "dotnet", "rspec",
];

/// Those that take a subcommand as their first word.
const PROGRAMS_WITH_SUBCOMMAND: [&str; 8] = ["cargo", "go", "npm", "pnpm", "yarn", "bun", "dotnet", "make"];

/// The shortest test name, in characters: shorter words are too common.
const MIN_TEST_NAME_CHARS: usize = 5;

/// Whether a prediction names the run in a command line: the whole command, or every test it runs.
/// A line with several runs is never named.
pub(super) fn is_named(prediction: &str, line: &str) -> bool {
    let parts = parts(line);
    let runs: Vec<&Part> =
        parts.iter().filter(|part| nudge_outcomes::read(&part.text(), "", Some(0)).is_some()).collect();
    let [run] = runs.as_slice() else { return false };
    has_command(prediction, &run.text()) || names_tests(prediction, run)
}

/// Whether the prediction names every test that a run asks for, and the run asks for nothing else.
fn names_tests(prediction: &str, run: &Part) -> bool {
    let is_plain = |word: &&String| !NEUTRAL_OPTIONS.contains(&word.as_str());
    let skipped = if PROGRAMS_WITH_SUBCOMMAND.contains(&run.program()) { 2 } else { 1 };
    let wanted: Vec<&String> = run.words.iter().skip(skipped).filter(is_plain).collect();
    !wanted.is_empty() && wanted.iter().all(|word| is_test(word) && has_word(prediction, word))
}

/// Whether a command line stays in a project: it changes to no directory outside it.
fn is_within(line: &str, root: &str) -> bool {
    parts(line).iter().filter(|part| part.program() == "cd").all(|part| {
        let to = part.words.get(1).map_or("", String::as_str);
        !(to.starts_with('/') || to.starts_with('~') || to.contains("..")) || to.starts_with(root)
    })
}

/// Whether a prediction says that something succeeds, and not that anything fails.
fn expects_success(prediction: &str) -> bool {
    let predicted = words(prediction);
    let has = |list: &[&str]| predicted.iter().any(|word| list.contains(&word.as_str()));
    has(&SUCCESS_WORDS) && !has(&FAILURE_WORDS)
}

/// Whether a prediction says that something fails.
fn expects_failure(prediction: &str) -> bool {
    let predicted = words(prediction);
    let has = |list: &[&str]| predicted.iter().any(|word| list.contains(&word.as_str()));
    has(&CLEAR_FAILURE_WORDS) && !has(&SUCCESS_WORDS)
}

/// Whether a prediction says little more than that the command succeeds. A verdict decides nothing
/// else that it says.
fn says_no_more(prediction: &str, line: &str) -> bool {
    let named: Vec<String> = parts(line).iter().flat_map(|part| words(&part.text())).collect();
    let runners = words(prediction).iter().filter(|word| RUNNER_PROGRAMS.contains(&word.as_str())).count();
    let is_more = |word: &String| {
        let word = word.as_str();
        !named.iter().any(|known| known == word)
            && !SUCCESS_WORDS.contains(&word)
            && !EMPTY_WORDS.contains(&word)
    };
    runners <= 1 && words(prediction).iter().filter(|word| is_more(word)).count() <= MAX_OTHER_WORDS
}

/// Whether a prediction names another runner, or another subcommand, than the line runs.
fn is_about_another(prediction: &str, line: &str) -> bool {
    let predicted = prediction.to_lowercase();
    let has = |text: &str| has_word(&predicted, text);
    if !RUNNER_PROGRAMS.iter().any(|runner| has(runner)) {
        return false;
    }
    !parts(line).iter().any(|part| {
        let head: Vec<&str> = part.words.iter().take(2).map(String::as_str).collect();
        let names = |head: &str| has(&head.to_lowercase());
        let takes_command = PROGRAMS_WITH_SUBCOMMAND.contains(&head.first().copied().unwrap_or_default());
        if takes_command {
            names(&head.join(" "))
        } else {
            head.first().is_some_and(|program| names(program))
        }
    })
}

/// Whether a word names a test: `cart::rounding`, `test_rounding`, `tests/test_cart.py`.
fn is_test(word: &str) -> bool {
    let looks =
        word.contains("::") || (word.contains(['_', '/', '.']) && word.to_lowercase().contains("test"));
    looks && !word.starts_with('-') && word.chars().count() >= MIN_TEST_NAME_CHARS
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
    WORDS_AFTER_COMMAND.contains(&word.as_str())
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
        for predicted in ["cargo test passes", "`cargo test` is green", "then cargo test.", "cargo test"] {
            assert!(is_named(predicted, "cargo test"), "{predicted}");
            assert!(is_named(predicted, "cd shop && cargo test 2>&1 | tail -5"), "{predicted}");
        }
        for predicted in
            ["cargo test -p shop passes", "cargo tests", "cargo test cart passes", "run mycargo test"]
        {
            assert!(!is_named(predicted, "cargo test"), "{predicted}");
        }
        assert!(!is_named("cargo test passes", "cargo test -p shop"), "a part of it decides nothing");
        assert!(!is_named("cargo test passes", "cargo build && cargo test"), "two runs");
        assert!(is_named("cargo test -p shop passes", "cargo test -p shop"));
    }

    #[test]
    fn a_test_is_named_by_itself() {
        assert!(is_named("cart::rounding passes", "cargo test cart::rounding"));
        assert!(is_named("tests/test_cart.py passes", "pytest -q tests/test_cart.py"));
        for (predicted, line) in [
            ("cart::rounding_up passes", "cargo test cart::rounding"),
            ("the cart is right", "cargo test cart"),
            ("cart::rounding passes", "cargo test cart::rounding --no-run"),
            ("tests/test_cart.py passes", "pytest tests/test_cart.py -k rounding"),
            ("all tests pass after the change in src/cart_test.rs", "touch src/cart_test.rs && cargo check"),
            ("all pass with src/cart.rs", "git add src/cart.rs && cargo build"),
        ] {
            assert!(!is_named(predicted, line), "{line}");
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
        for predicted in ["cargo test passes", "all tests pass", "it compiles"] {
            assert!(expects_success(predicted), "{predicted}");
        }
        for predicted in
            ["cargo test fails with E0308", "it doesn't pass", "the test still passes", "we see a log line"]
        {
            assert!(!expects_success(predicted), "{predicted}");
        }
    }
}
