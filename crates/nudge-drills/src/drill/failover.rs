//! PRIMARY is killed again and again under load. Shows @server_failover.
//!
//! One PRIMARY and four PROXY processes run, each with a client of the official MCP library that
//! makes fifty calls a second: half reads, half bumps of its own key. After each kill a new PROXY
//! replaces the victim. No client except the victim's sees an error, no acknowledged bump is lost
//! or done twice, there is never a second PRIMARY, and the port stays the same.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::witness::Witness;
use super::witness::{self, Client};
use crate::stage::Violations;
use crate::stage::{self, Home, Programs, ServerState};

/// One PRIMARY and four PROXY processes.
const SERVERS: usize = 5;

/// How long a successor may take before the drill fails. The aim is far below.
const SUCCESSOR_WITHIN: Duration = Duration::from_secs(10);

/// The aim for the time to a new PRIMARY, at the 99th percentile.
const TAKEOVER_AIM: Duration = Duration::from_millis(500);

/// How long the last processes may take to exit.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// Kills PRIMARY this many times.
pub(super) fn run(kills: usize) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let home = Arc::new(Home::of(programs.nudge())?);
    let mut violations = Violations::default();
    let mut drill = Drill::begin(&programs, &home, kills)?;
    let witness = Witness::watch(home.clone(), drill.clients.iter().map(|client| client.pid));
    let mut gaps = Vec::new();
    for kill in 0..kills {
        gaps.push(drill.kill_primary(&witness, &mut violations, kill)?);
        drill.replace(&witness)?;
        // Load between the kills, for a different time each.
        std::thread::sleep(Duration::from_millis(300 + (kill as u64 * 137) % 400));
    }
    witness.leave(kills, drill.port, &mut violations);
    drill.end(&mut violations)?;
    report(&mut gaps, &drill);
    Ok(violations.close("no error, exact counts, one PRIMARY, one port, nothing left behind"))
}

struct Drill<'a> {
    programs: &'a Programs,
    home: &'a Home,
    port: u16,
    clients: Vec<Client>,
    /// Clients with a killed server.
    victims: Vec<Client>,
    next_key: usize,
    slowest: Duration,
    calls: u64,
}

impl<'a> Drill<'a> {
    /// Sets every key, then starts PRIMARY and the proxies.
    fn begin(programs: &'a Programs, home: &'a Home, kills: usize) -> anyhow::Result<Self> {
        for key in 0..SERVERS + kills {
            home.run(&["set", witness::COMPONENT, &witness::key(key), "cargo build"])?;
        }
        let port = stage::free_port()?;
        let mut drill = Self {
            programs,
            home,
            port,
            clients: Vec::new(),
            victims: Vec::new(),
            next_key: 0,
            slowest: Duration::ZERO,
            calls: 0,
        };
        // The first gets a port and other directories than the rest: all must still find each
        // other.
        let mut first = home.server_spec(&["serve", "--port", &port.to_string()]);
        for (name, dir) in [("XDG_RUNTIME_DIR", "runtime"), ("XDG_DATA_HOME", "data"), ("TMPDIR", "tmp")] {
            let dir = home.path().join(dir);
            std::fs::create_dir(&dir)?;
            first["env"][name] = dir.to_string_lossy().into();
        }
        drill.add(first)?;
        let primary = drill
            .await_state(|state| state.port == port)
            .context("no PRIMARY noted the port it was given")?;
        anyhow::ensure!(primary.pid == drill.clients[0].pid, "the first server is not PRIMARY");
        for _ in 1..SERVERS {
            drill.add(home.server_spec(&["serve"]))?;
        }
        Ok(drill)
    }

    /// Starts a server with a client; returns the server's process id.
    fn add(&mut self, server: Value) -> anyhow::Result<u32> {
        let client = Client::start(self.programs, self.home, server, self.next_key)?;
        let pid = client.pid;
        self.next_key += 1;
        self.clients.push(client);
        Ok(pid)
    }

    fn replace(&mut self, witness: &Witness) -> anyhow::Result<()> {
        let before = self.home.state();
        witness.watch_also(self.add(self.home.server_spec(&["serve"]))?);
        anyhow::ensure!(
            self.home.state() == before,
            "a server started with only HOME and PATH did not join PRIMARY"
        );
        Ok(())
    }

    /// Kills the process that the state file names; returns the time until another answers.
    fn kill_primary(
        &mut self,
        witness: &Witness,
        violations: &mut Violations,
        kill: usize,
    ) -> anyhow::Result<Duration> {
        let old = self.home.state().context("no PRIMARY is noted")?;
        let index = self.clients.iter().position(|client| client.pid == old.pid);
        let victim = self.clients.swap_remove(index.context("PRIMARY is none of the servers started here")?);
        witness.ignore(old.pid);
        let start = Instant::now();
        let pid = rustix::process::Pid::from_raw(old.pid.try_into()?).context("a process id")?;
        rustix::process::kill_process(pid, rustix::process::Signal::KILL)?;
        let answered = loop {
            let instance = crate::stage::health(self.port)
                .and_then(|health| health["instance"].as_str().map(str::to_owned));
            if instance.as_ref().is_some_and(|instance| *instance != old.instance) {
                break instance;
            }
            anyhow::ensure!(
                start.elapsed() < SUCCESSOR_WITHIN,
                "no new PRIMARY within {SUCCESSOR_WITHIN:?} of kill {kill}"
            );
            std::thread::sleep(Duration::from_millis(1));
        };
        let gap = start.elapsed();
        let new =
            self.await_state(|state| state.instance != old.instance).context("no new PRIMARY is noted")?;
        violations.unless(
            Some(&new.instance) == answered.as_ref(),
            format!("kill {kill}: /health and the state file disagree"),
        );
        violations.unless(new.port == self.port, format!("kill {kill}: the port moved to {}", new.port));
        self.check_status(&new, violations)?;
        self.victims.push(victim);
        Ok(gap)
    }

    fn check_status(&self, state: &ServerState, violations: &mut Violations) -> anyhow::Result<()> {
        let status = self.home.run_json(&["status"])?;
        let same = status["pid"] == state.pid
            && status["port"] == state.port
            && status["instance"] == state.instance.as_str();
        violations.unless(same, format!("status says {status}, the state file {state:?}"));
        Ok(())
    }

    fn await_state(&self, fits: impl Fn(&ServerState) -> bool) -> Option<ServerState> {
        let deadline = Instant::now() + SUCCESSOR_WITHIN;
        loop {
            match self.home.state() {
                Some(state) if fits(&state) => return Some(state),
                _ if Instant::now() >= deadline => return None,
                _ => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// Stops every client, waits for every process, and compares the ledgers with the store.
    fn end(&mut self, violations: &mut Violations) -> anyhow::Result<()> {
        for client in &mut self.clients {
            client.stop();
        }
        let survivors = self.clients.drain(..).map(|client| (client, false));
        let victims = self.victims.drain(..).map(|client| (client, true));
        for (client, killed) in survivors.chain(victims).collect::<Vec<_>>() {
            let ledger = client.close(killed, violations)?;
            self.slowest = self.slowest.max(ledger.slowest);
            self.calls += ledger.calls;
            let hint = self.home.run_json(&["get", witness::COMPONENT, &witness::key(ledger.key)])?;
            let stored = hint["hint"]["use_count"].as_u64().unwrap_or(u64::MAX);
            let allowed = ledger.bumps..=ledger.bumps + ledger.unanswered;
            violations.unless(
                allowed.contains(&stored) && ledger.unanswered <= u64::from(killed),
                format!(
                    "key {}: {stored} uses are stored, {} acknowledged, {} unanswered",
                    ledger.key, ledger.bumps, ledger.unanswered
                ),
            );
        }
        let left = self.home.wait_until_empty(LEAVE_WITHIN);
        violations.unless(left.is_empty(), format!("processes left behind: {left:?}"));
        Ok(())
    }
}

fn report(gaps: &mut [Duration], drill: &Drill<'_>) {
    gaps.sort_unstable();
    let at = |percent: usize| gaps[(gaps.len() * percent).div_ceil(100).saturating_sub(1)];
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    println!("{} kills, {} calls, port {}", gaps.len(), drill.calls, drill.port);
    let [min, p50, p99, max] = [0, 50, 99, 100].map(|percent| millis(at(percent)));
    println!(
        "SIGKILL to a new PRIMARY that answers on the port: min {min:.0} ms, p50 {p50:.0} ms, p99 {p99:.0} ms, max {max:.0} ms"
    );
    let met = if at(99) < TAKEOVER_AIM { "met" } else { "MISSED" };
    println!("aim: p99 under {} ms, {met}", TAKEOVER_AIM.as_millis());
    println!("slowest call: {:.0} ms", millis(drill.slowest));
}
