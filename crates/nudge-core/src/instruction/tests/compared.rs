//! Instructions that say the same, that say the opposite, and that do neither.

use crate::instruction::{contradicts, same};

const SAME: &[(&str, &str)] = &[
    ("By the way we use pnpm, never npm.", "we use pnpm, never npm!"),
    ("FYI: note that tests need redis", "tests need redis"),
    ("don't amend commits", "never amend a commit"),
    ("run the linter before you push", "please always run the linter before pushing"),
    ("we use pnpm here", "use pnpm please"),
    ("no emojis in the docs", "don't put emojis into the docs"),
    ("delete the old logs after each run", "remove old logs after every run"),
    ("keep the changelog up to date", "keep changelog.md up to date please"),
    ("use uv instead of pip", "we use uv, not pip"),
    ("We use pnpm here.", "we use  PNPM here"),
    ("please run the e2e tests before a push", "Run the e2e tests before a push!"),
    ("never push to main", "do not ever push to main"),
    ("don't forget to run the migrations", "always run the migrations"),
    ("never rebase shared branches", "Never rebase shared branches. It breaks the review links."),
    ("never mock the database", "never mock the database because the mocks lie"),
    ("write the docs in English", "the docs should be written in English"),
    ("ask me before you delete files", "please ask me before deleting any file"),
    ("commit messages must be in the imperative", "keep commit messages in the imperative"),
    ("never edit generated files by hand", "don't edit generated files by hand"),
    ("squash commits before you merge", "always squash the commits before merging"),
    ("we never use default exports", "don't use default exports"),
    ("stop adding comments to every function", "never add comments to functions"),
    ("from now on sign your commits", "sign commits from now on"),
    ("avoid nested ternaries", "no nested ternaries, please"),
    ("run cargo nextest before every commit", "run the cargo nextest suite before every commit"),
];

const OPPOSITE: &[(&str, &str)] = &[
    ("use pnpm", "use npm"),
    ("run the e2e tests", "don't run the e2e tests"),
    ("run the e2e tests before a push", "don't run the e2e tests"),
    ("we use tabs", "use spaces"),
    ("never squash commits", "always squash commits"),
    ("use npm", "we use pnpm, not npm"),
    ("my editor is helix", "my editor is kate"),
    ("keep the notes in notion", "keep the notes in linear"),
    ("answer in English", "answer in German"),
    ("we use redis for the cache", "we use memcached for the cache"),
    ("keep lines under 80 characters", "keep lines under 100 characters"),
];

/// They are about different things, or about one thing under different conditions; none replaces
/// another.
const UNRELATED: &[(&str, &str)] = &[
    ("don't amend commits", "don't mock the database"),
    ("use tabs", "use the shared logger"),
    ("never push to main", "run the tests before you push"),
    ("we deploy with ansible", "the docs live in docs/"),
    ("keep answers short", "keep commits small"),
    ("", ""),
    ("", "use pnpm"),
    ("the", "never"),
    ("never", "run the e2e tests"),
    ("ok", "please"),
    ("always run cargo fmt before you commit", "always run just lint before you commit"),
    ("never commit secrets to the repo", "never commit binaries to the repo"),
    ("never push to main", "never push to main on Fridays"),
    ("run the tests before you push", "run the tests after you merge"),
    ("ask me before you delete files", "ask me before you rename files"),
    ("write a test for every bug fix", "write a changelog line for every bug fix"),
    ("the api team owns billing", "the web team owns billing"),
    ("add a test for each parser change", "add a benchmark for each parser change"),
    ("run the unit tests before each commit", "run the browser tests before each commit"),
    ("never edit files in vendor/", "never edit files in dist/"),
    ("use the staging database for tests", "use the staging bucket for tests"),
    ("log errors with the shared logger", "log errors with a request id"),
    ("run tests with nextest", "run tests with coverage"),
    ("deploy to staging", "deploy to production"),
    ("never add a dependency to the core crate", "never add a dependency to the web crate"),
    ("use tabs in makefiles", "use tabs in makefiles and scripts"),
    ("squash commits before you merge", "squash commits before you merge unless I say otherwise"),
    ("review the plan with Ada", "review the plan with Grace"),
    ("update the readme after each release", "update the changelog after each release"),
    ("keep functions under 40 lines", "keep files under 300 lines"),
    ("open pull requests against develop", "open issues against the tracker"),
];

#[test]
fn other_words_for_the_same_are_the_same() {
    for (a, b) in SAME {
        assert!(same(a, b) && same(b, a), "{a:?} {b:?}");
        assert!(!contradicts(a, b) && !contradicts(b, a), "{a:?} {b:?}");
    }
}

#[test]
fn the_opposite_and_another_value_contradict() {
    for (a, b) in OPPOSITE {
        assert!(contradicts(a, b) && contradicts(b, a), "{a:?} {b:?}");
        assert!(!same(a, b) && !same(b, a), "{a:?} {b:?}");
    }
}

#[test]
fn other_things_are_neither() {
    for (a, b) in UNRELATED {
        assert!(!same(a, b) && !same(b, a), "same: {a:?} {b:?}");
        assert!(!contradicts(a, b) && !contradicts(b, a), "opposite: {a:?} {b:?}");
    }
}

#[test]
fn the_words_without_content_can_be_searched() {
    assert!(crate::instruction::subject::EMPTY_WORDS.is_sorted());
}
