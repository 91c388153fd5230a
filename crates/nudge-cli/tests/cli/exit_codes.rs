//! Exit codes for scripts, and input that must not break anything.

use insta::assert_snapshot;

use crate::cli::home;

/// @cli_exit_codes
#[test]
fn the_same_kind_of_mistake_has_the_same_code() {
    let home = home();
    home.run(["set", "api", "build", "make"]).exits(0);
    home.run(["remember", "we use pnpm"]).exits(0);
    let backup = home.path().join("taken.db").to_string_lossy().into_owned();
    home.run(["backup", &backup]).exits(0);
    let cases: &[(i32, &[&[&str]])] = &[
        // The command line or the input is invalid.
        (
            2,
            &[
                &["frobnicate"],
                &["set", "api"],
                &["set", "api", "build", "make", "--priority", "99"],
                &["set", "api", "build", "make", "--ttl", "soon"],
                &["set", "api", "build", "make", "--scope-cwd-glob", "../x"],
                &["set", "", "build", "make"],
                &["pause", "soon"],
                &["search", "x", "--since", "soon"],
                &["purge", "--before", "soon"],
                &["purge", "--kind", "nonsense"],
                &["import", "claude", "--since", "soon"],
                &["hypotheses", "--status", "maybe"],
                &["query", "--regex", "("],
                &["show", "seven"],
                &["pin", "seven"],
                &["forget", "seven"],
                &["--home", "relative", "ls"],
            ],
        ),
        // Not found.
        (
            3,
            &[
                &["get", "api", "deploy"],
                &["delete", "api", "deploy"],
                &["bump", "nope", "deploy"],
                &["discover", "nope"],
                &["show", "999"],
                &["pin", "999"],
                &["forget", "999"],
                &["correct", "999", "x"],
                &["why", "999"],
                &["timeline", "999"],
                &["stop-showing", "999"],
                &["undo", "999"],
                &["review", "accept", "999"],
                &["review", "accept", "998", "999"],
                &["journal", "reflect", "999"],
                &["trace", "nope"],
                &["session", "show", "nope"],
                &["handoff", "nope"],
                &["project", "rename", "nope", "x"],
                &["project", "private", "nope"],
                &["remember", "x", "--project", "nope"],
                &["import", "/no/such/file"],
                &["import", "memories", "/no/such/file"],
                &["import", "claude", "/no/such/directory"],
                &["restore", "/no/such/file", "--yes"],
            ],
        ),
        // Not allowed, or not confirmed.
        (
            4,
            &[
                &["restore", &backup],
                &["restore", "--anew"],
                &["install", "claude"],
                &["set", "api", "token", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
            ],
        ),
        // The named server does not run.
        (5, &[&["-p", "1", "ls"], &["-p", "1", "status"], &["-p", "1", "stop"]]),
        // It conflicts with stored data.
        (
            6,
            &[
                &["set", "api", "build", "make", "--if-match-version", "7"],
                &["set", "api", "more", "make", "--max-hints", "1"],
                &["backup", &backup],
                &["restore", "--anew", "--yes"],
            ],
        ),
    ];
    for (code, lines) in cases {
        for words in *lines {
            let outcome = home.run(*words);
            assert_eq!(outcome.code, Some(*code), "{words:?}: {outcome:?}");
            // When several things are requested, each error is among the answers.
            let said = format!("{}{}", outcome.stderr, outcome.stdout);
            assert!(said.contains("error: "), "{words:?}: {said}");
        }
    }
}

/// @cli_exit_codes
#[test]
fn an_agent_that_may_not_gets_one_code_everywhere() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    for words in [
        &["undo", "api", "build"][..],
        &["review"],
        &["log"],
        &["purge", "--search", "x"],
        &["backup"],
        &["stop"],
        &["install", "claude", "--yes"],
        &["remember", "x", "--everywhere"],
        &["pause"],
    ] {
        home.nudge(words).env("CLAUDECODE", "1").run().exits(4);
    }
}

/// @cli_exit_codes
#[test]
fn a_memory_that_cannot_be_used_gets_one_code_everywhere() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    std::fs::write(home.memory().join("nudge.db"), "not a database").expect("written");
    for words in [&["ls"][..], &["get", "api", "build"], &["set", "a", "b", "c"], &["recent"], &["backup"]] {
        home.run(words).exits(5);
    }
    home.run(["doctor"]).exits(1);
}

/// @cli_exit_codes
#[test]
fn flags_of_two_value_types_are_a_usage_error() {
    let home = home();
    let outcome = home.run(["set", "api", "x", "y", "--type", "path", "--shell", "bash"]);
    assert_snapshot!("usage", outcome.page());
    home.run(["set", "api", "x", "y", "--type", "template"]).exits(2);
    home.run(["set", "api", "x", "y", "--shell", "fish"]).exits(2);
    home.run(["set", "api", "x", "y", "--default", "a=b", "--path-os", "linux"]).exits(2);
}

/// @cli_exit_codes
#[test]
fn nothing_a_person_types_ends_in_a_panic() {
    let home = home();
    let long = "x".repeat(100_000);
    let cases: Vec<Vec<&str>> = vec![
        vec!["set", "", "key", "value"],
        vec!["set", "api", "", "value"],
        vec!["set", "api", "key", ""],
        vec!["set", "a/b?c#d", "k e y", "v"],
        vec!["set", "api", "\u{1b}[31m", "v"],
        vec!["set", &long, "key", "value"],
        vec!["set", "api", "key", &long],
        vec!["set", "api", "key", "v", "--confidence", "NaN"],
        vec!["set", "api", "key", "v", "--confidence", "inf"],
        vec!["set", "api", "key", "v", "--priority", "-9223372036854775808"],
        vec!["set", "api", "key", "v", "--ttl", "P99999999999999999999D"],
        vec!["set", "api", "key", "v", "--ttl", ""],
        vec!["set", "api", "key", "v", "--scope-cwd-glob", "[[[["],
        vec!["set", "api", "key", "v", "--scope-branch", "{a,{b,{c"],
        vec!["set", "api", "key", "v", "--if-match-version", "-1"],
        vec!["bump", "api", "key", "--delta", "-1"],
        vec!["bump", "api", "key", "--delta", "9223372036854775807"],
        vec!["query", "--regex", "(a+)+$", "--limit", "-1"],
        vec!["query", "--regex", "(((((((((("],
        vec!["get", "api", "key", "--cwd", "\n"],
        vec!["import", "/nonexistent/file.json"],
        vec!["import", "/"],
        vec!["restore", "/nonexistent", "--yes"],
        vec!["--home", "relative", "ls"],
        vec!["-p", "0", "ls"],
        vec!["-p", "99999", "ls"],
    ];
    for words in cases {
        let shown: Vec<String> = words.iter().map(|word| word.chars().take(40).collect()).collect();
        let outcome = home.run(&words);
        assert!(
            matches!(outcome.code, Some(0..=6)),
            "{shown:?} ended with {:?}: {}",
            outcome.code,
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("panicked"), "{shown:?}: {}", outcome.stderr);
        if !matches!(outcome.code, Some(0)) {
            assert!(outcome.stderr.starts_with("error: "), "{shown:?}: {}", outcome.stderr);
        }
    }
}

/// @cli_exit_codes
#[test]
fn arguments_that_are_no_text_are_refused_not_fatal() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let home = home();
    let outcome = home.run([OsStr::new("get"), OsStr::from_bytes(b"\xff\xfe"), OsStr::new("key")]);
    assert_eq!(outcome.code, Some(2));
}

/// @cli_exit_codes
#[test]
fn a_reader_that_leaves_early_is_no_failure() {
    use std::process::Stdio;
    let home = home();
    let mut command = home.command();
    let mut child = command.args(["discover", "--markdown"]).stdout(Stdio::piped()).spawn().expect("starts");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("ends").code(), Some(0));
}
