//! Ends a server cleanly.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::kit::{Machine, at, cli, hint};

/// `stop` ends the memory session, then the server, and leaves nothing behind. @server_status_stop
#[test]
fn stop_ends_the_session_and_the_server() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    machine.call("set_hint", hint("build", "make"));
    let session = machine.status().session;
    let stopped = nudge_client::control::stop(&machine.home).expect("it stops");
    assert_eq!((stopped.pid, stopped.successor), (Some(server.pid()), None));
    assert!(stopped.session.is_some() && stopped.session != session);
    assert_eq!(server.leaves(), Some(0));
    assert!(!machine.home.state_file().exists() && !machine.home.socket().exists());
    assert!(!machine.status().running);
    let fault = machine.link().call(&cli(), "get_hint", at("build")).expect_err("its session has ended");
    assert_eq!(fault.kind.id(), "E_NOT_FOUND");
}

/// A signal or the end of the client's input ends the server, not the session. @server_stdio_end
#[test]
fn signals_and_hang_ups_keep_the_session() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    machine.call("set_hint", hint("build", "make"));
    server.signal("-TERM");
    assert_eq!(server.leaves(), Some(0));
    assert!(!machine.home.state_file().exists() && !machine.home.socket().exists());
    let mut next = machine.serve(json!({})).greet();
    assert_eq!(next.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    next.hang_up();
    assert_eq!(next.leaves(), Some(0));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// A call that was sent before the input ended is still answered. @server_stdio_end
#[test]
fn the_end_of_input_drains() {
    let machine = Machine::new();
    let mut server = machine.serve(json!({})).greet();
    let id = server.ask("tools/call", json!({"name": "set_hint", "arguments": hint("build", "make")}));
    server.hang_up();
    assert_eq!(server.answer(id)["result"]["isError"], json!(false));
    assert_eq!(server.leaves(), Some(0));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// When PRIMARY ends cleanly, a waiting PROXY takes over at once. @server_stdio_end
#[test]
fn a_stopped_primary_is_succeeded_by_a_living_proxy() {
    let machine = Machine::new();
    let _first = machine.serve_alone(json!({}));
    let mut second = machine.serve(json!({})).greet();
    second.call("list_components", json!({}));
    let port = machine.status().port;
    nudge_client::control::stop(&machine.home).expect("it stops");
    let began = Instant::now();
    let status = machine.wait_for(|status| status.pid == Some(second.pid()) && status.responding);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(status.port, port);
}

/// With no server, `stop` ends the session on the store. @server_status_stop
#[test]
fn stop_without_a_server_ends_the_session_too() {
    let machine = Machine::new();
    let nothing = nudge_client::control::stop(&machine.home).expect("nothing to do");
    assert_eq!((nothing.pid, nothing.session), (None, None));
    machine.call("set_hint", hint("build", "make"));
    let stopped = nudge_client::control::stop(&machine.home).expect("it ends");
    assert!(stopped.session.is_some());
    assert!(machine.link().call(&cli(), "get_hint", at("build")).is_err());
}
