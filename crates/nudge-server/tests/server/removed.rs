//! Files that disappear while PRIMARY is running.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::kit::{Machine, at, cli, hint};

/// A removed socket is bound again, and calls use it as before. @server_run_dir
#[test]
fn a_removed_socket_is_bound_again() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    machine.call("set_hint", hint("build", "make"));
    std::fs::remove_file(machine.home.socket()).expect("it is there");
    machine.wait_for(|status| status.responding && status.pid == Some(server.pid()));
    assert!(machine.link().through_server());
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    server.signal("-TERM");
    assert_eq!(server.leaves(), Some(0));
    assert!(!machine.home.socket().exists());
}

/// A server ends by itself after its home was removed, and the next one starts afresh.
/// @server_run_dir @server_election
#[test]
fn a_server_without_its_home_ends() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    machine.call("set_hint", hint("build", "make"));
    std::fs::remove_dir_all(machine.home.root()).expect("it is ours");
    let began = Instant::now();
    assert_eq!(server.leaves(), Some(0));
    assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    let mut next = machine.serve(json!({})).greet();
    assert_eq!(next.call("list_components", json!({})), json!({"components": []}));
    next.call("set_hint", hint("build", "make"));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// A server that finds a new lock or database in place of its own leaves both to the next one, and
/// keeps a successor's state file and socket. @server_election
#[test]
fn a_server_whose_lock_or_database_was_replaced_gives_way() {
    for lock in [true, false] {
        let machine = Machine::new();
        let mut server = machine.serve_alone(json!({}));
        machine.call("set_hint", hint("build", "make"));
        let file = if lock { machine.home.lock_file() } else { machine.home.db() };
        std::fs::rename(&file, file.with_extension("aside")).expect("it is there");
        if lock {
            let next = machine.serve_alone(json!({}));
            assert_eq!(server.leaves(), Some(0));
            let status = machine.status();
            assert!(status.responding && machine.home.state_file().exists(), "{status:?}");
            assert_eq!(status.pid, Some(next.pid()));
        } else {
            assert_eq!(server.leaves(), Some(0));
            assert!(!machine.home.socket().exists() && !machine.home.state_file().exists());
        }
    }
}

/// After its database was removed, a server acknowledges no more writes and creates no new
/// database; nor does the next server. @lost_memory
#[test]
fn a_server_without_its_database_acknowledges_nothing() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    machine.call("set_hint", hint("build", "make"));
    let (file, aside) = (machine.home.db(), machine.home.root().join("aside"));
    let set = || machine.link().call(&cli(), "set_hint", hint("test", "make test"));
    std::fs::rename(&file, &aside).expect("it is there");
    let refused = set().expect_err("refused");
    assert_eq!(refused.reason, "memory_gone", "{refused:?}");
    assert_eq!(server.leaves(), Some(0));
    let refused = set().expect_err("refused");
    assert_eq!(refused.reason, "memory_gone", "{refused:?}");
    assert!(!file.exists(), "nothing was made in its place");
    std::fs::rename(&aside, &file).expect("put back");
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}
