//! A newer server starts while older ones run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::kit::{Machine, Server, at, hint};

fn older() -> Value {
    json!({"version": "0.1.0"})
}

fn newer() -> Value {
    json!({"version": "0.10.0"})
}

#[track_caller]
fn wait_until_primary(machine: &Machine, server: &Server) {
    machine.wait_for(|status| status.responding && status.pid == Some(server.pid()));
}

/// While all of them write, the newer one becomes PRIMARY on the same port. No client sees an
/// error, and every acknowledged write is there once. The old PRIMARY continues as PROXY with its
/// own client. @upgrade_handover
#[test]
fn a_newer_server_takes_over_under_load() {
    let machine = Machine::new();
    let mut clients = vec![machine.serve(older()).greet()];
    wait_until_primary(&machine, &clients[0]);
    clients.extend([older(), older()].map(|role| machine.serve(role).greet()));
    let (before, port) = (machine.status(), machine.status().port);
    for key in ["0", "1", "2", "cli"] {
        machine.call("set_hint", hint(key, "x"));
    }
    let stop = AtomicBool::new(false);
    let (newcomer, counts) = std::thread::scope(|scope| {
        let workers: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(key, client)| {
                let (stop, key) = (&stop, key.to_string());
                scope.spawn(move || count_until(stop, || drop(client.call("bump", at(&key)))))
            })
            .collect();
        let commands = scope.spawn(|| count_until(&stop, || drop(machine.call("bump", at("cli")))));
        std::thread::sleep(Duration::from_millis(300));
        let newcomer = machine.serve(newer()).greet();
        wait_until_primary(&machine, &newcomer);
        std::thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        let workers = workers.into_iter().chain([commands]);
        let counts: Vec<u64> = workers.map(|one| one.join().expect("no client saw an error")).collect();
        (newcomer, counts)
    });
    for (key, count) in ["0", "1", "2", "cli"].into_iter().zip(counts) {
        assert_eq!(machine.call("get_hint", at(key))["hint"]["use_count"], json!(count), "key {key}");
        assert!(count > 0);
    }
    let after = machine.wait_for(|status| !status.port_pending);
    assert_eq!((after.pid, after.port), (Some(newcomer.pid()), port));
    assert_eq!(after.version.as_deref(), Some("0.10.0"));
    assert_eq!(after.session, before.session, "a handover ends no session");
    clients[0].call("set_hint", hint("after", "y"));
    assert_eq!(clients[1].call("get_hint", at("after"))["hint"]["value"], json!("y"));
    // It can take over again when the newer one is gone.
    drop((newcomer, clients.drain(1..)));
    wait_until_primary(&machine, &clients[0]);
    assert_eq!(clients[0].call("get_hint", at("after"))["hint"]["value"], json!("y"));
}

fn count_until(stop: &AtomicBool, mut act: impl FnMut()) -> u64 {
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        act();
        count += 1;
    }
    count
}

/// Without a client on either side: the newer one takes over on the same port, and the older one,
/// which has nothing left to do, exits without an error. @upgrade_handover
#[test]
fn a_server_without_a_client_ends_after_it_handed_over() {
    let machine = Machine::new();
    let mut old = machine.serve_alone(older());
    let port = machine.status().port;
    machine.call("set_hint", hint("build", "make"));
    let _new = machine.serve_alone(newer());
    assert_eq!(old.leaves(), Some(0));
    let status = machine.wait_for(|status| !status.port_pending);
    assert_eq!((status.port, status.version.as_deref()), (port, Some("0.10.0")));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// A server that is older than PRIMARY, or of the same version, changes nothing.
/// @upgrade_older_stays_proxy
#[test]
fn an_older_server_that_starts_later_stays_proxy() {
    let machine = Machine::new();
    let mut first = machine.serve(newer()).greet();
    wait_until_primary(&machine, &first);
    let before = machine.status();
    for role in [older(), newer(), json!({"version": "odd"})] {
        let mut later = machine.serve(role.clone()).greet();
        later.call("set_hint", hint("build", "make"));
        assert_eq!(first.call("get_hint", at("build"))["hint"]["value"], json!("make"));
        let mut without_client = Server::start(machine.command(role).stdin(std::process::Stdio::null()));
        assert_eq!(without_client.leaves(), Some(0));
        assert_eq!(machine.status().instance, before.instance);
    }
}

/// When PRIMARY goes away, a newer PROXY becomes PRIMARY, however many older ones wait with it.
/// @upgrade_gives_back
#[test]
fn older_servers_leave_the_lock_to_a_newer_one() {
    let machine = Machine::new();
    let mut first = machine.serve_alone(newer());
    let mut others: Vec<_> = (0..4).map(|_| machine.serve(older()).greet()).collect();
    let mut second = machine.serve(newer()).greet();
    second.call("set_hint", hint("build", "make"));
    let port = machine.status().port;
    first.kill();
    let began = Instant::now();
    let after = machine.wait_for(|status| status.responding);
    assert_eq!((after.pid, after.port), (Some(second.pid()), port));
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    for other in &mut others {
        assert_eq!(other.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    }
}

/// A newer server that hangs does not keep the older ones waiting: after a few seconds one of them
/// is PRIMARY. When the newer one wakes, it takes over. @upgrade_gives_back
#[test]
fn a_newer_server_that_hangs_is_not_waited_for() {
    let machine = Machine::new();
    let mut first = machine.serve_alone(newer());
    let mut old = machine.serve(older()).greet();
    let mut hanging = machine.serve(newer()).greet();
    old.call("set_hint", hint("build", "make"));
    hanging.call("get_hint", at("build"));
    hanging.freeze();
    first.kill();
    let began = Instant::now();
    assert_eq!(old.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    wait_until_primary(&machine, &old);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    hanging.signal("-CONT");
    hanging.call("bump", at("build"));
    wait_until_primary(&machine, &hanging);
    assert_eq!(old.call("get_hint", at("build"))["hint"]["use_count"], json!(1));
}
