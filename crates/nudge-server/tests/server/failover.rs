//! PRIMARY goes away; the clients of other servers notice nothing.

use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};

use nudge_core::{Fault, Timestamp};
use nudge_home::Settings;
use nudge_store::Durability;
use serde_json::json;

use crate::kit::{Machine, at, hint};

/// A PROXY takes over in place: same client, same port, a new instance. @server_failover
#[test]
fn a_proxy_becomes_primary_while_its_client_goes_on() {
    let machine = Machine::new();
    let mut first = machine.serve_alone(json!({}));
    let mut second = machine.serve(json!({})).greet();
    second.call("set_hint", hint("build", "make"));
    let before = machine.status();
    first.kill();
    assert_eq!(second.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    let after = machine.wait_for(|status| status.pid == Some(second.pid()) && status.responding);
    assert_eq!(after.port, before.port);
    assert_ne!(after.instance, before.instance);
    assert!(!after.port_pending);
}

/// Writes that are running when PRIMARY dies are done exactly once, by whichever process.
/// @server_failover @kernel_operation_ids
#[test]
fn no_acknowledged_write_is_lost_or_doubled() {
    let machine = Machine::new();
    let mut victim = machine.serve_alone(json!({}));
    let mut clients: Vec<_> = (0..3).map(|_| machine.serve(json!({})).greet()).collect();
    for (key, client) in clients.iter_mut().enumerate() {
        client.call("set_hint", hint(&key.to_string(), "x"));
    }
    let stop = AtomicBool::new(false);
    let counts: Vec<i64> = std::thread::scope(|scope| {
        let workers: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(key, client)| {
                let stop = &stop;
                scope.spawn(move || {
                    let mut bumps = 0;
                    while !stop.load(Ordering::Relaxed) {
                        client.call("bump", at(&key.to_string()));
                        bumps += 1;
                    }
                    bumps
                })
            })
            .collect();
        std::thread::sleep(std::time::Duration::from_millis(300));
        victim.kill();
        machine.wait_for(|status| status.responding && status.pid != Some(victim.pid()));
        std::thread::sleep(std::time::Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
        workers.into_iter().map(|worker| worker.join().expect("no client saw an error")).collect()
    });
    for (key, count) in counts.into_iter().enumerate() {
        let stored = machine.call("get_hint", at(&key.to_string()));
        assert_eq!(stored["hint"]["use_count"], json!(count), "key {key}");
        assert!(count > 0);
    }
}

/// A PRIMARY that hangs is bypassed: the call is repeated on the store under its own id, and the
/// hanging server does not run it again when it wakes. @server_hanging_primary
#[test]
fn a_hanging_primary_is_passed_by() {
    let machine = Machine::new();
    let hanging = machine.serve_alone(json!({}));
    let mut client = machine.serve(json!({})).greet();
    client.call("set_hint", hint("build", "make"));
    // While nobody writes: a process that is stopped inside a transaction blocks everybody,
    // whichever process serves.
    let memory = nudge_memory::upkeep::open(&machine.home, &Settings::default(), Timestamp::from_millis(0))
        .expect("the memory opens");
    let stopped = memory.store().write(Durability::Passive, |_| {
        hanging.freeze();
        Ok::<_, Fault>(())
    });
    stopped.expect("the lock can be had");
    drop(memory);
    client.call("bump", at("build"));
    hanging.signal("-CONT");
    machine.wait_for(|status| status.responding);
    client.call("bump", at("build"));
    assert_eq!(machine.call("get_hint", at("build"))["hint"]["use_count"], json!(2));
}

/// A promoted PRIMARY with a port that a stranger uses serves its socket and waits for the port.
/// @server_port_squatter
#[test]
fn a_squatted_port_is_waited_for() {
    let machine = Machine::new();
    let mut first = machine.serve_alone(json!({}));
    let mut second = machine.serve(json!({})).greet();
    let port = machine.status().port.expect("a port");
    // Stopped, so that it cannot be promoted before the port is occupied.
    second.call("list_components", json!({}));
    second.signal("-STOP");
    first.kill();
    let squatter = TcpListener::bind(("127.0.0.1", port)).expect("the port is free for an instant");
    second.signal("-CONT");
    let pending = machine.wait_for(|status| status.responding && status.pid == Some(second.pid()));
    assert_eq!((pending.port, pending.port_pending), (Some(port), true));
    machine.call("set_hint", hint("build", "make"));
    assert_eq!(second.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    drop(squatter);
    machine.wait_for(|status| !status.port_pending);
    assert_eq!(machine.request("GET", "/health", &[], "").json["instance"], json!(pending.instance));
}

/// Our own programs never send the token to the port. @server_port_squatter
#[test]
fn a_squatter_on_the_port_hears_nothing() {
    let machine = Machine::new();
    let mut server = machine.serve_alone(json!({}));
    let port = machine.status().port.expect("a port");
    server.kill();
    let squatter = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    squatter.set_nonblocking(true).expect("non-blocking");
    machine.call("set_hint", hint("build", "make"));
    assert!(!machine.status().running);
    let mut next = machine.serve(json!({})).greet();
    next.call("get_hint", at("build"));
    assert!(squatter.accept().is_err(), "somebody connected to the squatted port");
}
