//! Output that cannot be written: a full device, and a reader that has gone.

use nudge_testkit::{Outcome, TestHome};

use crate::cli::home;

const FULL: &str = "exec \"$@\" > /dev/full";

/// A home with one hint and one event, so that every command has something to print.
fn used_home() -> TestHome {
    let home = home();
    home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
    let event = r#"{"session_id":"s-1","cwd":"/home/ada/shop","hook_event_name":"UserPromptSubmit",
        "prompt_id":"p-1","prompt":"make the build pass"}"#;
    home.nudge(["hook", "claude"]).stdin(event).run().ok();
    home
}

#[track_caller]
fn to_full(home: &TestHome, args: &[&str]) -> Outcome {
    home.nudge(args).in_shell(FULL).run()
}

/// Commands that print something, in every output format.
const PRINTING: [&[&str]; 36] = [
    &["get", "api", "build"],
    &["get", "api", "build", "--json"],
    &["set", "api", "test", "make check"],
    &["query"],
    &["ls"],
    &["--json", "ls"],
    &["stats"],
    &["bump", "api", "build"],
    &["review"],
    &["log"],
    &["export"],
    &["export", "--json"],
    &["status"],
    &["status", "--json"],
    &["why"],
    &["discover"],
    &["config"],
    &["config", "--json"],
    &["doctor"],
    &["search", "build", "--all"],
    &["recent"],
    &["context"],
    &["usage"],
    &["statusline"],
    &["learn"],
    &["project", "ls"],
    &["maintain"],
    &["install", "claude", "--dry-run"],
    &["trace", "s-1"],
    &["completions", "bash"],
    &["man"],
    &["--help"],
    &["-h"],
    &["set", "--help"],
    &["help", "get"],
    &["--version"],
];

/// @cli_output_unwritten
#[test]
fn a_full_device_is_a_failure_of_every_command_that_prints() {
    let home = used_home();
    for args in PRINTING {
        assert_ne!(home.run(args).stdout, "", "{args:?} prints");
        let outcome = to_full(&home, args);
        assert_ne!(outcome.code, Some(0), "{args:?}");
        let said = "error: cannot write to standard output: No space left on device (os error 28)\nhint: ";
        assert!(outcome.stderr.contains(said), "{args:?}: {}", outcome.stderr);
    }
}

/// @cli_output_unwritten
#[test]
fn a_failure_under_json_is_then_reported_on_standard_error() {
    let outcome = to_full(&home(), &["--json", "get", "api", "build"]).exits(3);
    assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("api"), "{}", outcome.stderr);
}

/// @cli_output_unwritten
#[test]
fn a_reader_that_went_away_is_no_failure() {
    let home = used_home();
    // The exit code of the command itself, not of the pipe; the reader is gone before the first
    // write.
    let script = "{ sleep 0.2; \"$@\"; echo \"exit $?\" >&2; } | true";
    for args in [&["ls"][..], &["--json", "ls"], &["man"], &["completions", "bash"], &["--help"], &["export"]]
    {
        let outcome = home.nudge(args).in_shell(script).run();
        assert_eq!(outcome.stderr, "exit 0\n", "{args:?}");
    }
}

/// @cli_output_unwritten @hook_always_quiet
#[test]
fn a_hook_exits_0_and_record_says_so() {
    let home = used_home();
    let event = |id: &str| {
        format!(
            r#"{{"session_id":"s-{id}","cwd":"/home/ada/shop","hook_event_name":"SessionStart","source":"startup"}}"#
        )
    };
    for agent in ["claude", "cursor", "cline", "nobody"] {
        let outcome = home.nudge(["hook", agent]).stdin(event(agent)).in_shell(FULL).run();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{agent}");
    }
    let typed =
        home.nudge(["record", "--format", "typed"]).stdin(event("typed")).in_shell(FULL).run().exits(1);
    assert!(typed.stderr.starts_with("error: cannot write to standard output"), "{}", typed.stderr);
}

/// @cli_output_unwritten @server_daemon
#[test]
fn a_server_that_was_started_is_not_said_not_to_have_been() {
    let home = home();
    let started = to_full(&home, &["serve", "--daemon"]).exits(1);
    assert!(started.stderr.contains("hint: the server is running"), "{}", started.stderr);
    home.run(["stop"]).ok();
}
