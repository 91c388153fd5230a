//! A server that keeps everything in memory.

use serde_json::json;

use crate::kit::{Machine, at, cli, hint};

/// The command line goes through an ephemeral server; nothing of it is on disk afterwards. @server_ephemeral
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
