//! A client of the failover and upgrade drills, seen from outside: its server's process and, at the
//! end, its ledger.

use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use crate::drill::verdict::Verdict;
use crate::stage::{Home, Programs, Worker};

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
        let worker = Worker::start(home.bare(programs, "call-steadily"), &spec)?;
        let pid = worker.line()?["pid"].as_u64().context("a client says which process it talks to")?;
        Ok(Self { worker, pid: pid.try_into()?, key: number })
    }

    /// Asks it to stop; it then prints its ledger.
    pub(super) fn stop(&mut self) {
        // A client that lost its server has already exited; its ledger shows that.
        let _ = self.worker.signal();
    }

    /// The ledger, checked for anything that this client must not have seen.
    pub(super) fn close(self, killed: bool, verdict: &mut Verdict) -> anyhow::Result<Ledger> {
        let said = self.worker.line()?;
        self.worker.wait()?;
        let name = key(self.key);
        let errors: Vec<&str> =
            said["errors"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if let Some(first) = errors.first() {
            verdict.demand(false, format!("{name} saw {} errors, the first: {first}", errors.len()));
        }
        let lost = said["lost"].as_str();
        verdict.demand(killed || lost.is_none(), format!("{name} lost its server: {lost:?}"));
        let (reads, bumps) = (count(&said["reads"])?, count(&said["bumps"])?);
        let slowest = Duration::from_secs_f64(said["figures"]["max_us"].as_f64().unwrap_or_default() / 1e6);
        let unanswered = count(&said["unanswered"])?;
        Ok(Ledger { key: self.key, calls: reads + bumps, bumps, unanswered, slowest })
    }
}

fn count(value: &Value) -> anyhow::Result<u64> {
    value.as_u64().context("a count in a ledger")
}
