//! A client on stdio where the socket cannot be bound, because a directory is in its place.

use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use crate::kit::{FAILED, Machine, Server, at, hint};

/// What the log says about a server without listeners.
const ASIDE: &str = "served on the store itself";

/// Puts a directory at the socket's path.
fn block(machine: &Machine) {
    let socket = machine.home.secure_socket().expect("ours");
    let _ = std::fs::remove_file(&socket);
    std::fs::create_dir(&socket).expect("the place is free");
}

/// How often the log says so, and how often it says that a server ended or failed to start.
fn injected(machine: &Machine) -> (usize, usize) {
    let log = std::fs::read_to_string(machine.home.log_dir().join("server.log")).expect("a log");
    let count = |words: &str| log.lines().filter(|line| line.contains(words)).count();
    (count(ASIDE), count("could not serve") + count("promotion failed"))
}

/// Its client is served, nobody is PRIMARY, and all see one memory. @server_no_sockets
#[test]
fn a_client_is_served_without_a_socket() {
    let machine = Machine::new();
    block(&machine);
    let mut first = machine.serve(json!({})).greet();
    first.call("set_hint", hint("build", "make"));
    let mut second = machine.serve(json!({})).greet();
    assert_eq!(second.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    machine.call("set_hint", hint("test", "make test"));
    assert_eq!(first.call("get_hint", at("test"))["hint"]["value"], json!("make test"));
    assert!(!machine.status().running && !machine.home.state_file().exists());
    for server in [&mut first, &mut second] {
        server.hang_up();
        assert_eq!(server.leaves(), Some(0));
    }
    assert_eq!(injected(&machine), (2, 0));
}

/// With a requested port, an ephemeral memory, or no client: without listeners there is no such
/// server. @server_no_sockets
#[test]
fn a_server_that_needs_its_doors_ends() {
    let machine = Machine::new();
    block(&machine);
    for (role, stdin) in [
        (json!({"port": 0}), Stdio::piped()),
        (json!({"ephemeral": true}), Stdio::piped()),
        (json!({}), Stdio::null()),
    ] {
        let mut server = Server::start(machine.command(role).stdin(stdin));
        assert_eq!(server.leaves(), FAILED);
    }
    assert_eq!(injected(&machine), (0, 3));
}

/// A PROXY that can have no socket of its own continues without PRIMARY, and does not try again.
/// @server_no_sockets @server_failover
#[test]
fn a_proxy_that_cannot_be_promoted_serves_its_client() {
    let machine = Machine::new();
    let mut primary = machine.serve_alone(json!({}));
    let mut proxy = machine.serve(json!({})).greet();
    proxy.call("set_hint", hint("build", "make"));
    block(&machine);
    primary.kill();
    assert_eq!(proxy.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    proxy.call("set_hint", hint("test", "make test"));
    machine.wait_for(|status| !status.running);
    // Longer than the delay before another attempt.
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(machine.call("get_hint", at("test"))["hint"]["value"], json!("make test"));
    assert_eq!(injected(&machine), (1, 0));
}
