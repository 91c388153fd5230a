//! Watches from outside, all the time, which process acts as PRIMARY.
//!
//! A process that listens, on a port or on a socket, acts as PRIMARY, whatever the state file says.
//! So the kernel is asked which processes listen, in addition to the process that the state file
//! names.

use std::collections::BTreeSet;
use std::fs;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use crate::stage::Violations;
use crate::stage::{Home, Programs, Worker};

/// How often it checks: many times within the life of the shortest PRIMARY.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The watching thread.
pub(super) struct Witness {
    record: Arc<Mutex<Record>>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Record {
    done: bool,
    checks: u64,
    /// Checks that found exactly one server acting as PRIMARY.
    sightings: u64,
    servers: BTreeSet<u32>,
    instances: Vec<String>,
    ports: BTreeSet<u16>,
    doubles: Vec<String>,
}

impl Witness {
    /// Starts to watch these servers.
    pub(super) fn watch(home: Arc<Home>, servers: impl Iterator<Item = u32>) -> Self {
        let record = Arc::new(Mutex::new(Record { servers: servers.collect(), ..Record::default() }));
        let shared = record.clone();
        let thread = std::thread::spawn(move || {
            while check_once(&home, &mut lock(&shared)) {
                std::thread::sleep(POLL_INTERVAL);
            }
        });
        Self { record, thread }
    }

    /// Watches one more server.
    pub(super) fn watch_also(&self, pid: u32) {
        lock(&self.record).servers.insert(pid);
    }

    /// Ignores a server that is about to be killed: the kernel is already closing its sockets.
    pub(super) fn ignore(&self, pid: u32) {
        lock(&self.record).servers.remove(&pid);
    }

    /// Ends the watch and reports violations. PRIMARY must have changed this many times.
    pub(super) fn leave(self, wanted: usize, port: u16, violations: &mut Violations) {
        lock(&self.record).done = true;
        violations.unless(self.thread.join().is_ok(), "the witness itself failed");
        let record = lock(&self.record);
        println!(
            "checked {} times which process is PRIMARY; found one {} times",
            record.checks, record.sightings
        );
        violations
            .unless(record.sightings > record.checks / 2, "PRIMARY was away more than half of the time");
        violations.unless(record.doubles.is_empty(), format!("two PRIMARYs: {:?}", record.doubles));
        violations.unless(record.ports == BTreeSet::from([port]), format!("ports seen: {:?}", record.ports));
        let changes = record.instances.len().saturating_sub(1);
        violations.unless(changes == wanted, format!("PRIMARY changed {changes} times, not {wanted}"));
        let different: BTreeSet<_> = record.instances.iter().collect();
        violations.unless(different.len() == record.instances.len(), "an instance that was gone came back");
    }
}

/// Checks once; returns false when the watch is over.
fn check_once(home: &Home, record: &mut Record) -> bool {
    record.checks += 1;
    if let Some(state) = home.state() {
        record.ports.insert(state.port);
        if record.instances.last() != Some(&state.instance) {
            record.instances.push(state.instance);
        }
    }
    let listening = listening_sockets();
    let acting: Vec<u32> =
        record.servers.iter().copied().filter(|pid| holds_one_of(*pid, &listening)).collect();
    record.sightings += u64::from(acting.len() == 1);
    if acting.len() > 1 {
        record.doubles.push(format!("{acting:?} at look {}", record.checks));
    }
    !record.done
}

/// The inodes of all listening sockets.
fn listening_sockets() -> BTreeSet<String> {
    let table = |name: &str| fs::read_to_string(format!("/proc/net/{name}")).unwrap_or_default();
    let column = |line: &str, index: usize| line.split_whitespace().nth(index).map(str::to_owned);
    let mut inodes = BTreeSet::new();
    // State 0A is LISTEN; on a busy machine most lines are connections that ended long ago.
    for line in table("tcp").lines().chain(table("tcp6").lines()).filter(|line| line.contains(" 0A ")) {
        if column(line, 3).as_deref() == Some("0A") {
            inodes.extend(column(line, 9));
        }
    }
    for line in table("unix").lines() {
        // The flag __SO_ACCEPTCON.
        if column(line, 3).as_deref() == Some("00010000") {
            inodes.extend(column(line, 6));
        }
    }
    inodes
}

fn holds_one_of(pid: u32, sockets: &BTreeSet<String>) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.filter_map(|item| fs::read_link(item.path()).ok()).any(|target| {
        let target = target.to_string_lossy();
        target
            .strip_prefix("socket:[")
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|inode| sockets.contains(inode))
    })
}

fn lock(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

// A client of the failover and upgrade drills, seen from outside: its server's process and, at the
// end, its ledger.

/// The component of every key.
pub(super) const COMPONENT: &str = "drill";

/// Calls per second of one client.
const PER_SECOND: u32 = 50;

/// The key that only the client with this number uses.
pub(super) fn key(number: usize) -> String {
    format!("client-{number}")
}

/// A running client.
pub(super) struct Client {
    worker: Worker,
    /// Its server's process id.
    pub(super) pid: u32,
    key: usize,
}

/// What a client saw.
pub(super) struct Ledger {
    pub(super) key: usize,
    pub(super) calls: u64,
    pub(super) bumps: u64,
    pub(super) unanswered: u64,
    pub(super) slowest: Duration,
}

impl Client {
    pub(super) fn start(
        programs: &Programs,
        home: &Home,
        server: Value,
        number: usize,
    ) -> anyhow::Result<Self> {
        let spec =
            json!({"server": server, "component": COMPONENT, "key": key(number), "per_second": PER_SECOND});
        let worker = Worker::start(programs.command(home, "call-steadily"), &spec)?;
        let pid = worker.line()?["pid"].as_u64().context("a client says which process it talks to")?;
        Ok(Self { worker, pid: pid.try_into()?, key: number })
    }

    /// Asks it to stop; it then prints its ledger.
    pub(super) fn stop(&mut self) {
        // A client that lost its server has already exited; its ledger shows that.
        let _ = self.worker.signal();
    }

    /// The ledger, checked for anything that this client must not have seen.
    pub(super) fn close(self, killed: bool, violations: &mut Violations) -> anyhow::Result<Ledger> {
        let said = self.worker.line()?;
        self.worker.wait()?;
        let name = key(self.key);
        let errors: Vec<&str> =
            said["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if let Some(first) = errors.first() {
            violations.unless(false, format!("{name} saw {} errors, the first: {first}", errors.len()));
        }
        let lost = said["lost"].as_str();
        violations.unless(killed || lost.is_none(), format!("{name} lost its server: {lost:?}"));
        let (reads, bumps) = (count(&said["reads"])?, count(&said["bumps"])?);
        let slowest = Duration::from_secs_f64(said["figures"]["max_us"].as_f64().unwrap_or_default() / 1e6);
        let unanswered = count(&said["unanswered"])?;
        Ok(Ledger { key: self.key, calls: reads + bumps, bumps, unanswered, slowest })
    }
}

fn count(value: &Value) -> anyhow::Result<u64> {
    value.as_u64().context("a count in a ledger")
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_listening_process_is_recognised() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        assert!(holds_one_of(std::process::id(), &listening_sockets()));
        drop(listener);
    }
}
