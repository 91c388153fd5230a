//! Exit codes that scripts rely on, and input that must not break anything.

use insta::assert_snapshot;

use crate::home;

/// @cli_exit_codes
#[test]
fn zero_done_one_failed_two_usage_three_not_found() {
    let home = home();
    home.run(["set", "api", "build", "make"]).exits(0);
    home.run(["set", "api", "build", "make", "--priority", "99"]).exits(1);
    home.run(["set", "api"]).exits(2);
    home.run(["frobnicate"]).exits(2);
    home.run(["get", "api", "deploy"]).exits(3);
    home.run(["delete", "api", "deploy"]).exits(3);
    home.run(["bump", "nope", "deploy"]).exits(3);
    home.run(["discover", "nope"]).exits(3);
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
            matches!(outcome.code, Some(0..=3)),
            "{shown:?} ended with {:?}: {}",
            outcome.code,
            outcome.stderr
        );
        assert!(!outcome.stderr.contains("panicked"), "{shown:?}: {}", outcome.stderr);
        if outcome.code == Some(1) || outcome.code == Some(3) {
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
