//! Requests for actions.

use crate::instruction::request;

#[track_caller]
fn acts(said: &str, expected: &[&str]) {
    assert_eq!(request(said).map(|request| request.acts).unwrap_or_default(), expected, "{said:?}");
}

#[test]
fn one_routine_in_other_words_has_the_same_acts() {
    let expected = &["commit", "update changelog"];
    acts("commit and update the changelog", expected);
    acts("Update CHANGELOG.md, then commit this please", expected);
    acts("ok now commit the changes and update @changelog.md with a short line", expected);
    acts("can you commit and also update our changelog?", expected);
}

#[test]
fn acts_are_levelled() {
    acts("commit, push and open a draft PR", &["commit", "open pr", "push"]);
    acts("please create a pull request", &["open pr"]);
    acts("run all the tests", &["run test"]);
    acts("rebase on main first", &["rebase"]);
    acts("yes, lint and format", &["format", "lint"]);
    acts("update the documentation", &["update doc"]);
    acts("let's add unit tests for it", &["add unit test"]);
}

#[test]
fn what_is_not_asked_is_no_act() {
    acts("don't commit", &[]);
    acts("don't commit and push", &[]);
    acts("why did you commit this?", &[]);
    acts("the release is broken", &[]);
    acts("I pushed it", &[]);
    acts("update it", &[]);
    acts("make sure it works", &[]);
    acts("", &[]);
    acts(&"commit ".repeat(100), &[]);
}

#[test]
fn a_request_keeps_its_words() {
    assert_eq!(request(" Commit, please ").expect("a request").text, "Commit, please");
}
