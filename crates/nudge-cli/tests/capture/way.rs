//! The path of an event: to the server, else to the store, else to the spool.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::capture::kit::{
    SESSION, command, fire, home, home_with_deadlines, import_spool, is_spooled, prompt, stored,
};

/// @hook_way
#[test]
fn without_a_server_the_store_takes_it() {
    let home = home();
    fire(&home, &prompt("first"));
    fire(&home, &command("cargo test"));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["first"]);
    assert_eq!(stored(&home).did(SESSION), ["command cargo test"]);
    assert!(!is_spooled(&home));
}

/// @hook_way
#[test]
fn a_server_takes_it_over_the_socket() {
    let home = home();
    // The server's memory is only in its process, so everything in it came through the socket.
    let server = home.daemon(&["--ephemeral"]);
    fire(&home, &prompt("to the server"));
    assert!(!home.memory().join("nudge.db").exists());
    let before = home.run(["status", "--json"]).json()["entries"].as_i64().expect("a count");
    assert!(before >= 1, "{before}");
    fire(&home, &prompt("to the server"));
    let after = home.run(["status", "--json"]).json()["entries"].as_i64().expect("a count");
    assert_eq!(after, before, "one event, however often it is sent");
    drop(server);
}

/// @hook_way
#[test]
fn one_event_reported_on_both_ways_is_one() {
    let home = home();
    fire(&home, &command("make"));
    let server = home.daemon(&[]);
    fire(&home, &command("make"));
    fire(&home, &command("make install"));
    server.kill();
    fire(&home, &command("make install"));
    import_spool(&home);
    assert_eq!(stored(&home).did(SESSION), ["command make", "command make install"]);
}

/// @hook_way
#[test]
fn a_server_that_is_killed_or_stopped_is_gone_around() {
    let home = home_with_deadlines();
    let server = home.daemon(&[]);
    let pid = server.pid().to_string();
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &pid]).status().expect("kill runs").success());
    signal("-STOP");
    fire(&home, &prompt("while it is stopped"));
    signal("-CONT");
    server.kill();
    fire(&home, &prompt("when it is dead"));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["while it is stopped", "when it is dead"]);
}

/// @hook_way
#[test]
fn a_server_that_dies_in_the_middle_of_it_costs_nothing() {
    let home = home();
    let socket = fake_server_socket(&home);
    let server = std::thread::spawn(move || {
        let (stream, _) = socket.accept().expect("the hook connects");
        let mut line = String::new();
        (&stream).write_all(GREETING).expect("heard");
        BufReader::new(&stream).read_line(&mut line).expect("the hook speaks");
        line
    });
    fire(&home, &prompt("it heard me and died"));
    assert!(server.join().expect("no panic").contains("it heard me and died"));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["it heard me and died"]);
}

/// @hook_way
#[test]
fn a_server_too_old_to_know_of_capture_is_gone_around() {
    let home = home();
    let socket = fake_server_socket(&home);
    let server = std::thread::spawn(move || {
        let (stream, _) = socket.accept().expect("the hook connects");
        (&stream).write_all(GREETING).expect("heard");
        BufReader::new(&stream).read_line(&mut String::new()).expect("the hook speaks");
        let refusal =
            br#"{"id":1,"fault":{"code":40001,"id":"E_INVALID","reason":"malformed_frame","message":"no"}}"#;
        (&stream).write_all(&[&refusal[..], b"\n"].concat()).expect("heard");
    });
    fire(&home, &prompt("older"));
    server.join().expect("no panic");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["older"]);
}

const GREETING: &[u8] =
    b"{\"nudge\":1,\"version\":\"0.0.1\",\"instance\":\"x\",\"pid\":1,\"port\":1,\"ephemeral\":false}\n";

/// A listener in place of the server's socket.
fn fake_server_socket(home: &nudge_testkit::TestHome) -> UnixListener {
    let run = home.dir(".local/share/nudge/run");
    for dir in [&home.memory(), &run] {
        std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o700)).expect("ours");
    }
    UnixListener::bind(run.join("nudge.sock")).expect("the path is free")
}
