//! PRIMARY's state file, and the port it uses.

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::kit::{Machine, at, hint};

fn noted(machine: &Machine) -> Value {
    let text = std::fs::read(machine.home.state_file()).expect("a state file");
    serde_json::from_slice(&text).expect("JSON")
}

/// Two adjacent ports: the first taken, the second free.
fn taken_and_next() -> (TcpListener, u16) {
    loop {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = taken.local_addr().expect("bound").port();
        if let Some(next) = port.checked_add(1)
            && TcpListener::bind(("127.0.0.1", next)).is_ok()
        {
            return (taken, next);
        }
    }
}

/// The file agrees with the server, and only its owner can read it. @server_state_file
#[test]
fn the_state_file_agrees_with_the_server() {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({}));
    let (state, status) = (noted(&machine), machine.status());
    let health = machine.request("GET", "/health", &[], "");
    assert_eq!((health.status, &health.json["status"]), (200, &json!("healthy")));
    assert_eq!((&state["pid"], &state["port"]), (&json!(server.pid()), &json!(status.port)));
    assert_eq!((&state["version"], &state["instance"]), (&health.json["version"], &health.json["instance"]));
    assert_eq!(state["version"], json!(nudge_client::VERSION));
    assert_eq!((&state["started"], &state["instance"]), (&json!(status.started), &json!(status.instance)));
    assert!(state["started"].is_string() && state["instance"].is_string(), "{state}");
    let mode = std::fs::metadata(machine.home.state_file()).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

/// A file that names a live process and a bound port that are not ours misleads nobody, nor does
/// one that is not JSON. @server_state_file
#[test]
fn a_stale_state_file_is_harmless() {
    let stranger = TcpListener::bind("127.0.0.1:0").expect("a free port");
    stranger.set_nonblocking(true).expect("non-blocking");
    let port = stranger.local_addr().expect("bound").port();
    let stale = json!({"pid": std::process::id(), "port": port, "started": "2026-11-15T06:10:27.000Z",
        "version": "0.0.1", "instance": "stale", "socket": "/nowhere", "ephemeral": true});
    for content in [stale.to_string(), "{".to_owned()] {
        let machine = Machine::new();
        machine.home.secure_run_dir().expect("a run directory");
        std::fs::write(machine.home.state_file(), content).expect("written");
        assert!(!machine.status().running);
        machine.call("set_hint", hint("build", "make"));
        let server = machine.serve_alone(json!({}));
        assert_eq!(noted(&machine)["pid"], json!(server.pid()));
        assert_ne!(noted(&machine)["port"], json!(port));
        assert_eq!(machine.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    }
    assert!(stranger.accept().is_err(), "somebody connected to the port of a stale file");
}

/// A PROXY binds no port and does not change the file, not even when it exits. @server_proxy
#[test]
fn a_proxy_binds_no_port_and_leaves_the_state_file_alone() {
    let machine = Machine::new();
    let primary = machine.serve_alone(json!({}));
    let facts = || {
        let file = std::fs::metadata(machine.home.state_file()).expect("it is there");
        (noted(&machine), file.modified().expect("a time"))
    };
    let before = facts();
    let (free, wanted) = taken_and_next();
    let mut proxy = machine.serve(json!({"port": wanted, "default_port": wanted})).greet();
    proxy.call("set_hint", hint("build", "make"));
    TcpListener::bind(("127.0.0.1", wanted)).expect("the port it was given is free");
    if cfg!(target_os = "linux") {
        assert_eq!(listening(proxy.pid()), 0);
        assert_eq!(listening(primary.pid()), 1);
    }
    drop(free);
    assert_eq!(facts(), before);
    proxy.hang_up();
    assert_eq!(proxy.leaves(), Some(0));
    assert_eq!(facts(), before);
    assert!(machine.status().responding);
}

/// How many TCP sockets a process listens on, according to the system.
fn listening(pid: u32) -> usize {
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("a table");
    let listening: Vec<_> = table
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|row| row.get(3) == Some(&"0A"))
        .filter_map(|row| Some(format!("socket:[{}]", row.get(9)?)))
        .collect();
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("its files").flatten();
    let open = open.filter_map(|file| std::fs::read_link(file.path()).ok());
    open.filter(|file| listening.iter().any(|socket| file.as_os_str() == socket.as_str())).count()
}

/// If the default port is taken, the next one is used and recorded. @server_ports
#[test]
fn the_next_port_is_used_when_the_default_is_taken() {
    let machine = Machine::new();
    let (taken, next) = taken_and_next();
    let default = taken.local_addr().expect("bound").port();
    let _server = machine.serve_alone(json!({"default_port": default}));
    let port = machine.status().port.expect("a port");
    // Another test may have taken the next port meanwhile; then it is one of the eight after it.
    assert!((next..next.saturating_add(9)).contains(&port), "{default} is taken and {port} is used");
    assert_eq!(noted(&machine)["port"], json!(port));
    assert_eq!(machine.request("GET", "/health", &[], "").status, 200);
}
