//! `run/` after somebody tampered with it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

use nudge_testkit::McpStdio;
use serde_json::json;

use crate::access::person::TestUser;

/// A user with a memory and no server.
fn stocked() -> TestUser {
    let person = TestUser::new();
    person.run(&["set", "a", "b", "c"]).ok();
    person
}

/// Asserts that no server starts, and that the error names the reason and a fix.
fn refuses_to_serve(person: &TestUser, reason: &str) {
    let fault = person.run(&["serve", "--daemon", "--json"]).fault(5);
    assert_eq!(
        (&fault["id"], &fault["data"]["reason"]),
        (&json!("E_UNAVAILABLE"), &json!(reason)),
        "{fault}"
    );
    assert!(fault["next"].is_string(), "{fault}");
    let mut stdio = person.command();
    let output = stdio.arg("serve").stdin(Stdio::null()).output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert!(output.stdout.is_empty() && !said.contains("panicked"), "{output:?}");
}

/// @server_run_dir
#[test]
fn a_run_directory_of_somebody_else_is_refused() {
    let person = stocked();
    if !person.is_root_elsewhere() {
        return;
    }
    let run = person.run_dir();
    let _ = fs::remove_dir_all(&run);
    fs::create_dir(&run).expect("root may");
    fs::set_permissions(&run, Permissions::from_mode(0o777)).expect("root may");
    refuses_to_serve(&person, "run_dir_foreign");
    let outcome = person.run(&["get", "a", "b"]);
    assert!(
        outcome.code.is_some_and(|code| code == 0 || code == 5) && !outcome.stderr.contains("panicked"),
        "{outcome:?}"
    );
    assert_eq!(fs::read_dir(&run).expect("root may").count(), 0, "something was put into it");
}

/// @server_run_dir
#[test]
fn a_run_directory_that_is_a_link_is_refused() {
    let person = stocked();
    let (run, elsewhere) = (person.run_dir(), person.home().join("elsewhere"));
    let _ = fs::remove_dir_all(&run);
    person.make_dir(&elsewhere, 0o700);
    symlink(&elsewhere, &run).expect("it can be linked");
    refuses_to_serve(&person, "run_dir_link");
    let outcome = person.run(&["get", "a", "b"]);
    assert!(
        outcome.code.is_some_and(|code| code == 0 || code == 5) && !outcome.stderr.contains("panicked"),
        "{outcome:?}"
    );
    assert_eq!(fs::read_dir(&elsewhere).expect("it exists").count(), 0, "something was put into it");
}

/// @server_run_dir
#[test]
fn a_run_directory_that_is_a_file_is_refused() {
    let person = stocked();
    let run = person.run_dir();
    let _ = fs::remove_dir_all(&run);
    fs::write(&run, "x").expect("it can be written");
    person.give(&run, 0o600);
    refuses_to_serve(&person, "run_dir_not_a_directory");
}

/// @server_run_dir
#[test]
fn an_open_run_directory_is_closed_before_it_is_used() {
    let person = stocked();
    person.make_dir(&person.run_dir(), 0o777);
    let called = person.run(&["get", "a", "b", "--json"]).fault(5);
    assert_eq!(called["data"]["reason"], "run_dir_open", "{called}");
    assert!(called["next"].as_str().is_some_and(|next| next.contains("chmod 700")), "{called}");
    person.serve(&[]);
    let mode = fs::metadata(person.run_dir()).expect("it exists").permissions().mode() & 0o7777;
    assert_eq!(mode, 0o700);
    person.run(&["get", "a", "b"]).ok();
}

/// @server_run_dir
#[test]
fn what_is_in_the_sockets_place_is_not_followed_or_destroyed() {
    let person = stocked();
    let run = person.run_dir();
    person.make_dir(&run, 0o700);
    let treasure = person.home().join("treasure");
    fs::write(&treasure, "gold").expect("it can be written");
    person.give(&treasure, 0o600);
    for name in ["nudge.sock", "state.json", "lock"] {
        symlink(&treasure, run.join(name)).expect("it can be linked");
    }
    let outcome = person.run(&["serve", "--daemon"]);
    assert!(!outcome.stderr.contains("panicked"), "{outcome:?}");
    assert_eq!(fs::read_to_string(&treasure).expect("it is still there"), "gold");
}

/// Where the path of `run/` is too long for a socket, a private directory below the system's
/// temporary directory is used instead. One that somebody else created is refused, and commands and
/// agents work without a server. @server_run_dir
#[test]
fn a_squatted_directory_for_the_socket_is_refused() {
    let person = TestUser::new();
    if !person.is_root_elsewhere() {
        return;
    }
    let deep = person.home().join("d".repeat(120));
    let home = deep.to_str().expect("test paths are text");
    let aside = Path::new("/tmp/nudge-65534");
    let _ = fs::remove_dir_all(aside);
    fs::create_dir(aside).expect("root may");
    fs::set_permissions(aside, Permissions::from_mode(0o777)).expect("root may");
    let fault = person.run(&["--home", home, "serve", "--daemon", "--json"]).fault(5);
    assert_eq!(fault["data"]["reason"], "run_dir_foreign", "{fault}");
    person.run(&["--home", home, "set", "a", "before", "c"]).ok();
    assert_eq!(person.run(&["--home", home, "get", "a", "before", "--json"]).json()["hint"]["value"], "c");
    let mut command = person.command();
    command.args(["--home", home, "mcp"]);
    let got = McpStdio::start(command).call("get_hint", json!({"component": "a", "key": "before"}));
    assert_eq!(got["hint"]["value"], "c");
    assert_eq!(fs::read_dir(aside).expect("root may").count(), 0, "something was put into it");
    fs::remove_dir_all(aside).expect("root may");
    person.run(&["--home", home, "serve", "--daemon"]).ok();
    let status = person.run(&["--home", home, "status", "--json"]).json();
    let socket = Path::new(status["socket"].as_str().expect("a socket")).to_owned();
    assert!(socket.starts_with(aside), "{status}");
    let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o7777;
    assert_eq!((mode(aside), mode(&socket)), (0o700, 0o600));
    person.run(&["--home", home, "set", "a", "b", "c"]).ok();
    person.run(&["--home", home, "stop"]).ok();
    let _ = fs::remove_dir_all(aside);
}
