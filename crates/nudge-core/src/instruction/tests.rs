//! What counts as a standing instruction, what does not, and how two are compared.

mod compared;
mod holds;
mod passes;
mod requests;

use holds::HOLDS;
use passes::PASSES;
use proptest::prelude::*;

use super::*;

#[track_caller]
fn texts(said: &str, expected: &[&str]) {
    let texts: Vec<String> =
        find_instructions(said).into_iter().map(|instruction| instruction.text).collect();
    assert_eq!(texts, expected, "{said:?}");
}

#[track_caller]
fn only(said: &str) -> Instruction {
    let [one] = find_instructions(said).try_into().expect("one instruction");
    one
}

#[test]
fn what_is_meant_to_hold_is_found() {
    let missed: Vec<_> = HOLDS.iter().filter(|said| find_instructions(said).is_empty()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_is_about_the_task_or_the_product_is_not() {
    let taken: Vec<_> = PASSES.iter().filter(|said| !find_instructions(said).is_empty()).collect();
    assert!(taken.is_empty(), "{taken:#?}");
}

#[test]
fn a_word_that_binds_it_to_the_task_undoes_a_rule() {
    texts("don't use mocks in tests", &["don't use mocks in tests"]);
    texts("don't use mocks in tests for now", &[]);
    texts("don't use mocks in tests yet", &[]);
    texts("in this PR don't use mocks in tests", &[]);
    texts("should we always squash before merging?", &[]);
}

#[test]
fn one_act_holds_only_with_a_word_of_permanence() {
    for act in ["commit", "push", "open a pull request", "deploy", "delete"] {
        texts(&format!("{act} it, we use the staging branch"), &[]);
        let always = format!("{act} after every step");
        texts(&always, &[&always]);
    }
    texts("push before you run the tests", &[]);
    texts("you must push", &[]);
    texts("you must never push", &["you must never push"]);
}

#[test]
fn only_the_sentence_that_carries_it_is_quoted() {
    texts(
        "Looks good. From now on put the ticket into the title. Now fix the typo on line 3.",
        &["From now on put the ticket into the title."],
    );
    texts("ok, thanks!\nwe use yarn, never npm\nrun it again", &["we use yarn, never npm"]);
}

#[test]
fn a_reason_behind_it_is_quoted_with_it() {
    texts(
        "Never rebase shared branches. It breaks the review links. Next: the parser.",
        &["Never rebase shared branches. It breaks the review links."],
    );
    texts("Never rebase shared branches. It should be a blue button.", &["Never rebase shared branches."]);
}

#[test]
fn words_that_only_say_remember_are_no_part_of_it() {
    texts("remember: never use tabs", &["never use tabs"]);
    texts("Note: we use pnpm here", &["we use pnpm here"]);
    texts("please remember that we never squash commits", &["we never squash commits"]);
    texts("Remember to always sign your commits", &["Remember to always sign your commits"]);
}

#[test]
fn what_is_left_of_a_sentence_with_a_private_part_is_not_taken() {
    texts(", never yarn from now on.", &[]);
    texts("from now on use , never yarn.", &[]);
    texts("from now on we always deploy with .", &[]);
    texts("We use  here, never npm.", &[]);
    texts("We use  here, never npm. Never use tabs.", &["Never use tabs."]);
    texts("never commit .env files", &["never commit .env files"]);
}

#[test]
fn a_reproach_lends_weight_to_the_sentence_beside_it() {
    texts("don't run the whole suite.", &[]);
    texts("don't run the whole suite. As I said before.", &["don't run the whole suite."]);
    texts("I'm on Debian. You should know this.", &["I'm on Debian."]);
}

#[test]
fn what_is_pasted_is_not_said() {
    texts("why does it fail?\n```\nnever use tabs from now on\n```", &[]);
    texts("> never use tabs from now on", &[]);
    texts("# Plan\n\nFrom now on always use tabs.", &[]);
    texts("Implement the following plan:\n\nAlways use tabs from now on.", &[]);
    texts("<command-name>review</command-name> always use tabs from now on", &[]);
    texts(&format!("from now on use tabs. {}", "Then draw the next box. ".repeat(200)), &[]);
}

#[test]
fn at_most_three_are_taken_and_the_heaviest_stay() {
    let said = "Never use tabs. I prefer short names. Always run the linter. From now on sign your commits.";
    texts(said, &["Never use tabs.", "Always run the linter.", "From now on sign your commits."]);
}

#[test]
fn it_says_what_it_is() {
    let kinds = |said: &str| (only(said).kind, only(said).permanence);
    assert_eq!(kinds("never commit to main"), (Kind::Rule, true));
    assert_eq!(kinds("don't amend commits"), (Kind::Rule, false));
    assert_eq!(kinds("we use pnpm here"), (Kind::Fact, false));
    assert_eq!(kinds("my github name is octocat"), (Kind::Fact, false));
    assert_eq!(kinds("I prefer small commits"), (Kind::Preference, false));
}

#[test]
fn it_belongs_to_the_directory_that_it_names() {
    let directory = |said: &str| only(said).directory;
    assert_eq!(directory("in `frontend/` we use css modules").as_deref(), Some("frontend/"));
    assert_eq!(
        directory("in ./packages/web/ we never use default exports").as_deref(),
        Some("packages/web/")
    );
    assert_eq!(directory("never edit files in the vendor directory").as_deref(), Some("vendor/"));
    assert_eq!(directory("never add a dependency under crates/core").as_deref(), Some("crates/core/"));
    for none in [
        "never edit src/main.rs",
        "always use https://example.org/",
        "never write to /etc/",
        "never go to ../other/",
    ] {
        assert_eq!(directory(none), None, "{none}");
    }
    assert_eq!(directory("from now on keep notes in this folder"), None);
}

#[test]
fn a_long_sentence_is_cut_where_a_clause_ends() {
    let said = format!("from now on use tabs in the scripts{}, thanks", ", and in the tools too".repeat(13));
    let text = only(&said).text;
    assert!(text.chars().count() <= MAX_INSTRUCTION_CHARS && text.ends_with("too"), "{text:?}");
}

/// Texts made of what people write and of what breaks programs.
fn any_text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("never".to_owned()),
        Just("don't".to_owned()),
        Just("from now on".to_owned()),
        Just("we use".to_owned()),
        Just("İ’ß".to_owned()),
        Just("```\n".to_owned()),
        Just("1. ".to_owned()),
        Just("é. ".to_owned()),
        Just("in src/".to_owned()),
        Just("…?".to_owned()),
        "\\PC{0,12}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(word, 0..80).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_can_be_read(text in any_text(), other in any_text()) {
        let found = find_instructions(&text);
        prop_assert!(found.len() <= MAX_INSTRUCTIONS);
        for instruction in &found {
            prop_assert!(instruction.text.chars().count() <= MAX_INSTRUCTION_CHARS);
            prop_assert!(!instruction.text.trim().is_empty());
        }
        same(&text, &other);
        contradicts(&text, &other);
        if let Some(request) = request(&text) {
            prop_assert!(!request.acts.is_empty());
        }
    }

    #[test]
    fn a_text_agrees_with_itself_and_never_contradicts_itself(text in any_text()) {
        prop_assert!(!contradicts(&text, &text));
        prop_assert_eq!(same(&text, &text), same(&text, &format!("{text} ")));
    }
}
