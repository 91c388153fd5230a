//! Strangers at the Unix socket: both ends accept only processes of the same user.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use nudge_testkit::stranger::{Knock, Stranger, knock};
use nudge_testkit::{McpStdio, TestHome};
use serde_json::{Value, json};

/// The system's number for "permission denied".
const EACCES: i32 = 13;

const LIST: &str = r#"{"id":1,"op":"list_components","params":{},"caller":{"surface":"cli"}}"#;

fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the path is ours");
}

/// Opens every directory from HOME down to `run/`, and the socket, to everybody.
fn open_up(home: &TestHome) {
    for dir in ["", ".local", ".local/share", ".local/share/nudge", ".local/share/nudge/run"] {
        mode(&home.path().join(dir), 0o777);
    }
    mode(&home.memory().join("run/nudge.sock"), 0o777);
}

/// Restores the modes of `run/` and its parent.
fn close_again(home: &TestHome) {
    mode(&home.memory().join("run"), 0o700);
    mode(&home.memory(), 0o700);
}

/// @server_socket_peer
#[test]
fn another_user_cannot_even_connect() {
    let home = home();
    let _server = home.daemon(&[]);
    for dir in ["", ".local", ".local/share"] {
        mode(&home.path().join(dir), 0o755);
    }
    mode(&home.memory().join("run/nudge.sock"), 0o777);
    let Some(got) = knock(&home.memory().join("run/nudge.sock"), LIST) else { return };
    assert_eq!(got, Knock::Refused { errno: EACCES });
    mode(&home.memory(), 0o755);
    assert_eq!(knock(&home.memory().join("run/nudge.sock"), LIST), Some(Knock::Refused { errno: EACCES }));
}

/// @server_socket_peer
#[test]
fn another_user_who_gets_to_the_socket_is_reported_nothing() {
    let home = home();
    let server = home.daemon(&[]);
    home.run(["set", "a", "b", "c"]).ok();
    open_up(&home);
    for line in [LIST, r#"{"id":1,"control":"stop"}"#, r#"{"id":1,"control":"health"}"#] {
        let Some(got) = knock(&home.memory().join("run/nudge.sock"), line) else { return };
        assert_eq!(got, Knock::Heard(Vec::new()), "{line}");
    }
    assert!(server.is_alive());
    close_again(&home);
    home.run(["get", "a", "b"]).ok();
}

/// Another user's socket in place of ours gets no data, from commands or from a PROXY.
/// @server_socket_peer
#[test]
fn another_users_socket_in_our_place_hears_nothing() {
    let home = home();
    let server = home.daemon(&[]);
    home.run(["set", "a", "b", "c"]).ok();
    open_up(&home);
    let Some(stranger) = Stranger::pose(&home.memory().join("run/nudge.sock")) else { return };
    close_again(&home);
    assert_eq!(home.run(["get", "a", "b", "--json"]).json()["hint"]["value"], "c");
    home.run(["set", "a", "d", "e"]).ok();
    for words in [&["status"][..], &["doctor"], &["stop"], &["export"], &["bump", "a", "b"]] {
        let outcome = home.run(words);
        assert!(
            outcome.code.is_some_and(|code| code <= 6) && !outcome.stderr.contains("panicked"),
            "{outcome:?}"
        );
    }
    let mut command = home.command();
    command.arg("serve");
    let mut proxy = McpStdio::start(command);
    assert_eq!(proxy.call("get_hint", json!({"component": "a", "key": "d"}))["hint"]["value"], "e");
    proxy.call("set_hint", json!({"component": "a", "key": "f", "value": "g"}));
    let (connections, heard) = stranger.record();
    assert!(connections > 0, "nobody looked at the socket at all");
    assert_eq!(String::from_utf8_lossy(&heard), "");
    assert!(server.is_alive());
    server.kill();
}

fn connect(home: &TestHome) -> (BufReader<UnixStream>, Value) {
    let stream = UnixStream::connect(home.memory().join("run/nudge.sock")).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout can be set");
    let mut reader = BufReader::new(stream);
    let greeting = line(&mut reader).expect("a greeting");
    (reader, greeting)
}

fn line(reader: &mut BufReader<UnixStream>) -> Option<Value> {
    let mut text = String::new();
    reader.read_line(&mut text).expect("the server writes text");
    (!text.is_empty()).then(|| serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// @server_socket_peer
#[test]
fn a_frame_that_is_none_ends_that_connection_only() {
    let home = home();
    let server = home.daemon(&[]);
    let (mut witness, greeting) = connect(&home);
    assert_eq!((&greeting["nudge"], &greeting["pid"]), (&json!(1), &json!(server.pid())));
    let deep = format!("{{\"id\":1,\"params\":{}", "[".repeat(100_000));
    for bytes in [&b"GET / HTTP/1.1"[..], b"", b"\xff\xfe\x00", b"[1]", b"{\"id\":-1}", deep.as_bytes()] {
        let (mut reader, _) = connect(&home);
        reader
            .get_mut()
            .write_all(bytes)
            .and_then(|()| reader.get_mut().write_all(b"\n"))
            .expect("it is read");
        let reply = line(&mut reader).expect("a reply");
        assert_eq!((&reply["id"], &reply["fault"]["id"]), (&Value::Null, &json!("E_INVALID")), "{reply}");
        assert_eq!(line(&mut reader), None, "the connection goes on");
    }
    for frame in [
        json!({"id": 7, "op": "no_such_thing", "params": {}, "caller": {"surface": "cli"}}),
        json!({"id": 7, "op": "list_components", "params": {}, "caller": {"surface": "king"}}),
        json!({"id": 7, "op": "list_components", "params": {}}),
        json!({"id": 7, "control": "reboot"}),
        json!({"id": 7}),
    ] {
        writeln!(witness.get_mut(), "{frame}").expect("it is read");
        let reply = line(&mut witness).expect("a reply");
        assert_eq!(reply["id"], 7, "{reply}");
        assert!(reply["fault"]["code"].is_i64(), "{reply}");
    }
    writeln!(witness.get_mut(), "{LIST}").expect("it is read");
    assert_eq!(line(&mut witness).expect("a reply")["result"], json!({"components": []}));
    assert!(server.is_alive());
}

/// @server_socket_peer
#[test]
fn a_frame_without_end_is_cut_off() {
    let home = home();
    let server = home.daemon(&[]);
    let (mut reader, _) = connect(&home);
    let mut writer = reader.get_ref().try_clone().expect("a socket can be shared");
    let sending = std::thread::spawn(move || {
        let piece = vec![b'x'; 1024 * 1024];
        (0..64).take_while(|_| writer.write_all(&piece).is_ok()).count()
    });
    let mut said = String::new();
    // The server may close before it has read everything, which the system reports as a reset.
    let _ = reader.read_to_string(&mut said);
    drop(reader);
    let sent = sending.join().expect("the thread that sends does not panic");
    assert!(sent < 64, "64 MiB without a newline were taken");
    assert!(said.is_empty() || said.contains("E_TOO_LARGE"), "{said}");
    assert!(server.is_alive());
    home.run(["ls"]).ok();
}

/// @server_socket_peer
#[test]
fn a_crowd_at_the_socket_does_not_end_the_server() {
    let home = home();
    let server = home.daemon(&[]);
    let socket = home.memory().join("run/nudge.sock");
    let crowd: Vec<_> = (0..400).filter_map(|_| UnixStream::connect(&socket).ok()).collect();
    assert!(crowd.len() > 256, "only {} could connect", crowd.len());
    // A command that cannot get a connection uses the store itself.
    home.run(["set", "a", "b", "c"]).ok();
    drop(crowd);
    assert_eq!(home.run(["get", "a", "b", "--json"]).json()["hint"]["value"], "c");
    assert!(server.is_alive());
}
