//! Who is PRIMARY, and how to find out.

use std::process::Stdio;

use serde_json::json;

use crate::kit::{FAILED, Machine, Server, at, hint};

/// The first server has the lock and identifies itself; a second one forwards to it.
/// @server_election @server_proxy
#[test]
fn the_first_is_primary_and_the_second_forwards() {
    let machine = Machine::new();
    assert!(!machine.status().running);
    let mut first = machine.serve(json!({})).greet();
    let status = machine.wait_for(|status| status.responding);
    assert_eq!((status.pid, status.mode), (Some(first.pid()), Some("primary")));
    assert!(status.port.is_some_and(|port| port > 0));
    assert!(status.instance.is_some() && status.version.is_some() && status.started.is_some());
    let mut second = machine.serve(json!({})).greet();
    first.call("set_hint", hint("build", "make"));
    assert_eq!(second.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    second.call("set_hint", hint("test", "make test"));
    assert_eq!(first.call("get_hint", at("test"))["hint"]["value"], json!("make test"));
    let after = machine.status();
    assert_eq!((after.pid, after.instance), (status.pid, status.instance));
}

/// A hint set on the command line is visible at once to PRIMARY's and PROXY's clients.
/// @server_shared_memory
#[test]
fn what_the_command_line_sets_every_client_reads() {
    let machine = Machine::new();
    let mut first = machine.serve(json!({})).greet();
    let mut second = machine.serve(json!({})).greet();
    machine.call("set_hint", hint("run", "make run"));
    for client in [&mut first, &mut second] {
        assert_eq!(client.call("get_hint", at("run"))["hint"]["value"], json!("make run"));
    }
}

/// A server without a client that finds a PRIMARY exits at once, without an error. @server_daemon
#[test]
fn a_second_server_without_a_client_has_nothing_to_do() {
    let machine = Machine::new();
    let first = machine.serve_alone(json!({}));
    let mut second = Server::start(machine.command(json!({})).stdin(Stdio::null()));
    assert_eq!(second.leaves(), Some(0));
    assert_eq!(machine.status().pid, Some(first.pid()));
}

/// A state file left by a crash does not count as a server. @server_election
#[test]
fn leftovers_of_a_crash_are_no_server() {
    let machine = Machine::new();
    let mut crashed = machine.serve_alone(json!({}));
    crashed.kill();
    assert!(machine.home.state_file().exists() && machine.home.socket().exists());
    assert!(!machine.status().running);
    machine.call("set_hint", hint("build", "make"));
    let mut next = machine.serve(json!({})).greet();
    assert_eq!(next.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// A named port that is taken is an error; without a name a free one is found. @server_ports
#[test]
fn a_named_port_is_had_or_refused() {
    let squatter = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = squatter.local_addr().expect("bound").port();
    let machine = Machine::new();
    let mut refused = Server::start(machine.command(json!({"port": port})).stdin(Stdio::null()));
    assert_eq!(refused.leaves(), FAILED);
    drop(squatter);
    let _server = machine.serve_alone(json!({"port": port}));
    assert_eq!(machine.status().port, Some(port));
}
