//! A server that keeps everything in RAM.

use serde_json::json;

use crate::kit::{Machine, Server, at, cli, hint};

/// The command line uses an ephemeral server; nothing is on disk afterwards. @server_ephemeral
#[test]
fn an_ephemeral_memory_is_shared_and_forgotten() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({"ephemeral": true}));
    assert_eq!(machine.status().ephemeral, Some(true));
    machine.call("set_hint", hint("build", "make"));
    let mut proxy = machine.serve(json!({"ephemeral": true})).greet();
    assert_eq!(proxy.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    assert!(!machine.home.db().exists());
    proxy.hang_up();
    proxy.leaves();
    server.kill();
    let fault = machine.link().call(&cli(), "get_hint", at("build")).expect_err("it is forgotten");
    assert_eq!(fault.kind.id(), "E_NOT_FOUND");
}

/// A PROXY started with `--ephemeral` next to a PRIMARY with a memory on disk is an ordinary one:
/// when promoted, it serves that memory, and no acknowledged write is lost. @server_ephemeral
/// @server_failover
#[test]
fn a_promoted_proxy_keeps_a_memory_on_disk_whatever_it_was_started_for() {
    let machine = Machine::new();
    let mut first = machine.serve_alone(json!({}));
    let mut second = machine.serve(json!({"ephemeral": true})).greet();
    second.call("set_hint", hint("build", "make"));
    first.kill();
    let status = promoted(&machine, &second);
    assert_eq!(status.ephemeral, Some(false));
    assert_eq!(second.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    second.call("set_hint", hint("test", "make test"));
    second.kill();
    for (key, value) in [("build", "make"), ("test", "make test")] {
        assert_eq!(machine.call("get_hint", at(key))["hint"]["value"], json!(value));
    }
    let log = std::fs::read_to_string(machine.home.log_dir().join("server.log")).expect("a log");
    assert!(log.contains("--ephemeral has no effect"), "{log}");
}

/// An ephemeral PRIMARY's memory is gone with it. A promoted PROXY serves the memory on disk or, if
/// it was started with `--ephemeral` too, an empty one. @server_ephemeral @server_failover
#[test]
fn after_an_ephemeral_primary_each_proxy_is_what_it_was_started_for() {
    for ephemeral in [false, true] {
        let machine = Machine::new();
        let mut first = machine.serve_alone(json!({"ephemeral": true}));
        let mut second = machine.serve(json!({"ephemeral": ephemeral})).greet();
        second.call("set_hint", hint("build", "make"));
        first.kill();
        let status = promoted(&machine, &second);
        assert_eq!((status.ephemeral, machine.home.db().exists()), (Some(ephemeral), !ephemeral));
        assert_eq!(second.call("list_components", json!({})), json!({"components": []}));
        second.call("set_hint", hint("test", "make test"));
        assert_eq!(machine.call("get_hint", at("test"))["hint"]["value"], json!("make test"));
    }
}

fn promoted(machine: &Machine, server: &Server) -> nudge_client::status::ServerStatus {
    machine.wait_for(|status| status.responding && status.pid == Some(server.pid()))
}
