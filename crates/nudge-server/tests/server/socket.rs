//! The socket between our own programs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;

use nudge_client::link::{Link, LinkOptions};
use nudge_client::older::OLD_NAME;
use nudge_home::Settings;
use serde_json::{Value, json};

use crate::kit::{FAILED, Machine, at, hint};

fn talk(machine: &Machine) -> BufReader<UnixStream> {
    BufReader::new(UnixStream::connect(machine.home.socket()).expect("the socket is served"))
}

fn line(stream: &mut BufReader<UnixStream>) -> Option<Value> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
}

/// Only the owner can access lock, state, token and socket. @file_modes
#[test]
fn everything_in_run_is_private() {
    let machine = Machine::new();
    let _server = machine.serve_alone(json!({}));
    let mode = |path: &std::path::Path| std::fs::metadata(path).expect("exists").permissions().mode() & 0o777;
    assert_eq!(mode(&machine.home.run_dir()), 0o700);
    for path in [
        machine.home.lock_file(),
        machine.home.state_file(),
        machine.home.token_file(),
        machine.home.socket(),
        machine.home.log_dir().join("server.log"),
    ] {
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

/// The server greets, answers by id, and says what is wrong before it closes. @server_socket_peer
#[test]
fn a_malformed_frame_is_answered_and_ends_the_connection() {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({}));
    let mut stream = talk(&machine);
    let greeting = line(&mut stream).expect("a greeting");
    assert_eq!((&greeting["nudge"], &greeting["pid"]), (&json!(1), &json!(server.pid())));
    stream.get_mut().write_all(b"{\"id\":7,\"control\":\"health\"}\n").expect("sent");
    let health = line(&mut stream).expect("an answer");
    assert_eq!((&health["id"], &health["result"]["pid"]), (&json!(7), &json!(server.pid())));
    stream.get_mut().write_all(b"what?\n").expect("sent");
    let refusal = line(&mut stream).expect("a refusal");
    assert_eq!(
        (&refusal["id"], &refusal["fault"]["data"]["reason"]),
        (&Value::Null, &json!("malformed_frame"))
    );
    assert_eq!(line(&mut stream), None);
    assert!(machine.status().responding);
}

/// A program that does not say which field names it reads also gets the older ones. @older_programs
#[test]
fn an_older_program_gets_the_names_it_reads() {
    let machine = Machine::new();
    let _server = machine.serve_alone(json!({}));
    let mut stream = talk(&machine);
    line(&mut stream).expect("a greeting");
    let mut ask = |names: Value| {
        let caller = json!({"surface": "cli"});
        let frame = json!({"id": 1, "op": "preview_context", "params": {}, "caller": caller, "names": names});
        stream.get_mut().write_all(format!("{frame}\n").as_bytes()).expect("sent");
        line(&mut stream).expect("an answer")["result"].clone()
    };
    let (older, newer) = (ask(json!(0)), ask(json!(2)));
    assert_eq!((&older[OLD_NAME], &older["injected"]), (&json!([]), &json!([])), "{older}");
    assert_eq!((newer.get(OLD_NAME), &newer["injected"]), (None, &json!([])), "{newer}");
}

/// `-p` must name the running server's port; the call itself uses the socket. @cli_port_flag
#[test]
fn a_wrong_port_is_refused_with_the_right_one() {
    let machine = Machine::new();
    let open = |port| Link::open(&machine.home, &Settings::default(), LinkOptions { port: Some(port) });
    assert_eq!(open(1).err().expect("no server").reason, "no_server");
    let _server = machine.serve_alone(json!({}));
    let port = machine.status().port.expect("a port");
    assert!(open(port).is_ok());
    let fault = open(1).err().expect("another port");
    assert_eq!(fault.kind.id(), "E_INVALID");
    assert!(fault.message.contains(&port.to_string()), "{}", fault.message);
}

/// Without a server every command works on the store. @server_not_needed
#[test]
fn commands_work_without_a_server() {
    let machine = Machine::new();
    let link = machine.link();
    assert!(!link.through_server());
    machine.call("set_hint", hint("build", "make"));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    assert!(!machine.status().running);
}

/// Server and commands reject a `run/` that is a link. @server_run_dir
#[test]
fn a_linked_run_directory_is_refused() {
    let machine = Machine::new();
    machine.home.prepare().expect("a home");
    let elsewhere = machine.home.root().join("elsewhere");
    std::fs::create_dir(&elsewhere).expect("a directory");
    std::os::unix::fs::symlink(&elsewhere, machine.home.run_dir()).expect("a link");
    let mut server = crate::kit::Server::start(machine.command(json!({})).stdin(std::process::Stdio::null()));
    assert_eq!(server.leaves(), FAILED);
    assert!(machine.status().problem.is_some());
}
