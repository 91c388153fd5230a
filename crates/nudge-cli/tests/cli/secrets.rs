//! Values that look like credentials.

use insta::assert_snapshot;

use crate::cli::home;

/// An access key id in the documented format, built at run time so that secret scanners ignore this
/// file.
fn key() -> String {
    ["AKIA", "IOSFODNN7EXAMPLQ"].concat()
}

/// @hint_secret_guard
#[test]
fn a_credential_is_refused_and_never_repeated() {
    let home = home();
    let outcome = home.run(["set", "aws", "login", &key()]);
    assert!(!outcome.stderr.contains(&key()));
    assert_snapshot!("secret_refused", outcome.page());
    let fault = home.run(["set", "aws", "login", &key(), "--json"]).fault(4);
    assert_eq!((fault["id"].as_str(), fault["code"].as_i64()), (Some("E_SECRET_REJECTED"), Some(40002)));
    home.run(["get", "aws", "login"]).exits(3);
}

/// @hint_secret_guard
#[test]
fn an_allowed_secret_is_masked_for_people_and_exact_for_programs() {
    let home = home();
    let set = home.run(["set", "aws", "login", &key(), "--allow-secret"]);
    assert!(!set.stdout.contains(&key()));
    set.ok();
    assert_snapshot!("secret_get", home.run(["get", "aws", "login"]).page());
    assert_snapshot!("secret_ls", home.run(["ls", "aws"]).page());
    assert!(!home.run(["query"]).ok().contains(&key()));
    assert!(!home.run(["bump", "aws", "login"]).ok().contains(&key()));
    assert_eq!(home.run(["get", "aws", "login", "--json"]).json()["hint"]["value"], key());
    assert!(!home.run(["delete", "aws", "login"]).ok().contains(&key()));
}

/// @hint_secret_guard
#[test]
fn sensitivity_and_the_guards_switches_let_it_pass() {
    let home = home();
    home.run(["set", "aws", "a", &key(), "--sensitivity", "secret"]).ok();
    home.run(["set", "aws", "b", &key(), "--no-secret-guard"]).ok();
    home.nudge(["set", "aws", "c", &key()]).env("NUDGE_SECRET_GUARD", "0").run().ok();
    for name in ["a", "b", "c"] {
        assert!(!home.run(["get", "aws", name]).ok().contains(&key()), "{name} is shown");
    }
}

/// @hint_secret_guard
#[test]
fn a_secret_leaves_in_an_export_only_when_asked() {
    let home = home();
    home.run(["set", "aws", "login", &key(), "--allow-secret"]).ok();
    let without = home.run(["export"]);
    assert!(!without.stdout.contains(&key()));
    assert_eq!(without.stderr, "note: 1 secret value skipped; --include-secrets writes them too\n");
    assert!(home.run(["export", "--include-secrets"]).ok().contains(&key()));
}

/// @hint_secret_guard
#[test]
fn through_a_server_the_same_rules_hold() {
    let home = home();
    let _server = home.daemon(&[]);
    home.run(["set", "aws", "login", &key(), "--json"]).fault(4);
    home.run(["set", "aws", "login", &key(), "--no-secret-guard"]).ok();
    assert!(!home.run(["get", "aws", "login"]).ok().contains(&key()));
    assert_eq!(home.run(["get", "aws", "login", "--json"]).json()["hint"]["value"], key());
}

/// @hint_secret_override: the flag means a secret, also for a value that the guard does not know.
#[test]
fn what_the_user_lets_pass_is_a_secret() {
    let home = home();
    home.run(["set", "door", "word", "open sesame", "--allow-secret"]).ok();
    home.run(["set", "door", "colour", "green", "--allow-secret", "--sensitivity", "normal"]).ok();
    assert!(!home.run(["get", "door", "word"]).page().contains("sesame"));
    assert!(home.run(["get", "door", "colour"]).page().contains("green"));
}
