//! A newer server starts, and PRIMARY does not hand over.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nudge_client::lock::{self, Claim};
use serde_json::{Value, json};

use crate::kit::{Machine, at, hint};

/// A PRIMARY that is too old to know the control word. The newer server asks it once, stays PROXY
/// and serves its client. @upgrade_refused
#[test]
fn a_primary_that_does_not_know_the_word_is_asked_once() {
    let machine = Machine::new();
    machine.home.secure_run_dir().expect("a run directory");
    let Claim::Won(_lock) = lock::claim(&machine.home.lock_file()).expect("a lock") else {
        panic!("nobody else is here")
    };
    let listener = UnixListener::bind(machine.home.socket()).expect("a socket");
    let seen = Seen::default();
    std::thread::scope(|scope| {
        let client = machine.serve(json!({"version": "0.2.0"}));
        scope.spawn(|| seen.answer_all(&listener));
        let mut client = client.greet();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(2) {
            assert_eq!(client.call("get_hint", at("build")), json!({"old": true}));
            std::thread::sleep(Duration::from_millis(50));
        }
        drop(client);
        seen.over.store(true, Ordering::Relaxed);
        UnixStream::connect(machine.home.socket()).expect("it listens");
    });
    assert_eq!(seen.asked.load(Ordering::Relaxed), 1);
    assert!(seen.called.load(Ordering::Relaxed) > 10);
}

/// A PRIMARY of version 0.0.1, and what it received.
#[derive(Default)]
struct Seen {
    asked: AtomicUsize,
    called: AtomicUsize,
    over: AtomicBool,
}

impl Seen {
    /// Answers until it is over.
    fn answer_all(&self, listener: &UnixListener) {
        std::thread::scope(|scope| {
            while let Ok((stream, _)) = listener.accept()
                && !self.over.load(Ordering::Relaxed)
            {
                scope.spawn(|| self.answer(stream));
            }
        });
    }

    /// Answers one connection to its end. The peer may be gone at any time.
    fn answer(&self, stream: UnixStream) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let greeting = json!({"nudge": 1, "version": "0.0.1", "instance": "old", "pid": 1, "port": 1, "ephemeral": false});
        writeln!(stream.get_mut(), "{greeting}")?;
        let mut line = String::new();
        while stream.read_line(&mut line)? > 0 {
            let request: Value = serde_json::from_str(&line)?;
            let reply = if request["op"].is_string() {
                self.called.fetch_add(1, Ordering::Relaxed);
                json!({"id": request["id"], "result": {"old": true}})
            } else {
                self.asked.fetch_add(1, Ordering::Relaxed);
                let fault = nudge_client::frame::malformed("no control word is called so");
                json!({"id": request["id"], "fault": fault.to_json()})
            };
            writeln!(stream.get_mut(), "{reply}")?;
            line.clear();
        }
        Ok(())
    }
}

/// A memory that exists only in the old process stays there: nothing is handed over.
/// @upgrade_refused
#[test]
fn a_memory_in_the_process_is_not_handed_over() {
    let machine = Machine::new();
    let first = machine.serve_alone(json!({"version": "0.1.0", "ephemeral": true}));
    machine.call("set_hint", hint("build", "make"));
    let mut newer = machine.serve(json!({"version": "0.2.0"})).greet();
    assert_eq!(newer.call("get_hint", at("build"))["hint"]["value"], json!("make"));
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(machine.status().pid, Some(first.pid()));
    assert_eq!(newer.call("get_hint", at("build"))["hint"]["value"], json!("make"));
}

/// A newer server without a client and with another port changes nothing: it fails as it would with
/// any PRIMARY. @upgrade_refused
#[test]
fn a_newer_server_with_another_port_is_refused() {
    let machine = Machine::new();
    let first = machine.serve_alone(json!({"version": "0.1.0"}));
    let other = machine.status().port.expect("a port") ^ 1;
    let command = &mut machine.command(json!({"version": "0.2.0", "port": other}));
    let mut refused = crate::kit::Server::start(command.stdin(std::process::Stdio::null()));
    assert_eq!(refused.leaves(), crate::kit::FAILED);
    assert_eq!(machine.status().pid, Some(first.pid()));
}
