//! A newer server takes over under load. Shows @upgrade_handover @upgrade_older_stays_proxy.
//!
//! Eight clients of the official MCP library run, each on its own server, one of them PRIMARY;
//! commands, hooks and two HTTP clients run with them. Then a server of a higher version starts: in
//! one round as a client's, in the next in the background, where the old PRIMARY is in the
//! background too and has to exit. No client, command or hook sees an error, no acknowledged write
//! is lost or done twice, there is never a second PRIMARY, and the port stays the same. An older
//! server that starts later changes nothing.

mod load;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

use super::witness::Witness;
use super::witness::{self, Client};
use crate::stage::Violations;
use crate::stage::{self, Home, Programs, ServerState};
use load::{Load, Tally};

/// Clients on stdio.
const CLIENTS: usize = 8;

/// How long the load runs before, between and after the changes.
const LOAD_TIME: Duration = Duration::from_millis(1_500);

/// How long the newer server may take to become PRIMARY.
const TAKES_OVER_WITHIN: Duration = Duration::from_secs(20);

/// How long processes may take to exit. One that handed over keeps idle HTTP connections for ten
/// seconds.
const LEAVE_WITHIN: Duration = Duration::from_secs(15);

/// Who starts the newer server.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Way {
    /// An agent, on stdio.
    Client,
    /// A user, with `serve --daemon`.
    Background,
}

/// Upgrades this many times, each time in a new home.
pub(super) fn run(rounds: usize) -> anyhow::Result<bool> {
    let newer = Programs::newer()?;
    let programs = Programs::build()?;
    let mut violations = Violations::default();
    let mut figures = Figures::default();
    for round in 0..rounds {
        let way = if round % 2 == 0 { Way::Client } else { Way::Background };
        let home = Arc::new(Home::of(programs.nudge())?);
        let newer = Home::at(home.path().to_owned(), newer.clone())?;
        Round::begin(&programs, home, newer, way)?.play(&mut violations, &mut figures)?;
    }
    figures.print();
    Ok(violations.close("no error, exact counts, the newer one is PRIMARY, one port, nothing left behind"))
}

/// The figures over all rounds.
#[derive(Default)]
struct Figures {
    /// The time from the start of the newer process until it is PRIMARY.
    taken_over: Vec<Duration>,
    stdio: Tally,
    commands: Tally,
    hooks: Tally,
    kept_alive: Tally,
    new_connections: Tally,
}

struct Round<'a> {
    programs: &'a Programs,
    home: Arc<Home>,
    newer: Home,
    way: Way,
    port: u16,
    clients: Vec<Client>,
    old: ServerState,
}

impl<'a> Round<'a> {
    /// Starts PRIMARY and the others.
    fn begin(programs: &'a Programs, home: Arc<Home>, newer: Home, way: Way) -> anyhow::Result<Self> {
        for key in 0..CLIENTS + 2 {
            home.run(&["set", witness::COMPONENT, &witness::key(key), "cargo build"])?;
        }
        for key in [load::COMMANDS_KEY, load::KEPT_ALIVE, load::NEW_CONNECTIONS] {
            home.run(&["set", witness::COMPONENT, key, "cargo build"])?;
        }
        let port = stage::free_port()?;
        let named = port.to_string();
        let mut clients = Vec::new();
        if way == Way::Background {
            home.run(&["serve", "--daemon", "--port", &named])?;
        }
        for number in 0..CLIENTS {
            let first = number == 0 && way == Way::Client;
            let arguments: &[&str] = if first { &["serve", "--port", &named] } else { &["serve"] };
            clients.push(Client::start(programs, &home, home.server_spec(arguments), number)?);
            if first {
                wait_for(|| home.state().filter(|state| state.port == port)).context("no PRIMARY")?;
            }
        }
        let old = home.state().context("no PRIMARY is noted")?;
        Ok(Self { programs, home, newer, way, port, clients, old })
    }

    fn play(mut self, violations: &mut Violations, figures: &mut Figures) -> anyhow::Result<()> {
        let background = (self.way == Way::Background).then_some(self.old.pid);
        let pids = self.clients.iter().map(|client| client.pid).chain(background);
        let witness = Witness::watch(self.home.clone(), pids);
        let (home, port, stop) = (self.home.clone(), self.port, AtomicBool::new(false));
        let load = std::thread::scope(|scope| -> anyhow::Result<Load> {
            let load = scope.spawn(|| Load::run(&home, port, &stop));
            let played = self.upgrade(&witness, violations, figures);
            stop.store(true, Ordering::Relaxed);
            let load = load.join().map_err(|_| anyhow::anyhow!("the load failed"))?;
            played.and(load)
        })?;
        witness.leave(1, self.port, violations);
        self.end(load, violations, figures)
    }

    /// Starts the newer server, then an older one.
    fn upgrade(
        &mut self,
        witness: &Witness,
        violations: &mut Violations,
        figures: &mut Figures,
    ) -> anyhow::Result<()> {
        std::thread::sleep(LOAD_TIME);
        let (pid, took) = self.start_newer()?;
        witness.watch_also(pid);
        figures.taken_over.push(took);
        let new = self.home.state().context("no PRIMARY is noted")?;
        violations
            .unless(new.pid == pid, format!("{:?}: process {} is PRIMARY, not {pid}", self.way, new.pid));
        std::thread::sleep(LOAD_TIME);
        let number = self.clients.len();
        let later = Client::start(self.programs, &self.home, self.home.server_spec(&["serve"]), number)?;
        witness.watch_also(later.pid);
        self.clients.push(later);
        std::thread::sleep(LOAD_TIME);
        let after = self.home.state();
        violations.unless(
            after.as_ref() == Some(&new),
            format!("{:?}: an older server changed PRIMARY to {after:?}", self.way),
        );
        let status = self.home.run_json(&["status"])?;
        let shown =
            status["pid"] == pid && status["port"] == self.port && status["version"] == self.version()?;
        violations.unless(shown, format!("{:?}: status says {status}", self.way));
        Ok(())
    }

    /// Starts the newer server; returns its process id and the time until it was PRIMARY.
    fn start_newer(&mut self) -> anyhow::Result<(u32, Duration)> {
        let began = Instant::now();
        let changed = || self.home.state().filter(|state| state.instance != self.old.instance);
        std::thread::scope(|scope| {
            let watch = scope.spawn(|| wait_for(changed).map(|_| began.elapsed()));
            let pid = match self.way {
                Way::Client => {
                    let number = self.clients.len();
                    let spec = self.newer.server_spec(&["serve"]);
                    let client = Client::start(self.programs, &self.newer, spec, number)?;
                    let pid = client.pid;
                    self.clients.push(client);
                    pid
                }
                Way::Background => {
                    let said = self.newer.run_json(&["serve", "--daemon"])?;
                    said["pid"].as_u64().context("the server says who it is")?.try_into()?
                }
            };
            let took = watch.join().map_err(|_| anyhow::anyhow!("the watch failed"))?;
            Ok((pid, took.context("the newer server did not take over")?))
        })
    }

    /// The version of the newer program.
    fn version(&self) -> anyhow::Result<Value> {
        let said = self.newer.run(&["--version"])?;
        Ok(said.trim().trim_start_matches("nudge ").into())
    }

    /// Stops every client, waits for every process, and compares the acknowledgements with the
    /// store.
    fn end(mut self, load: Load, violations: &mut Violations, figures: &mut Figures) -> anyhow::Result<()> {
        for client in &mut self.clients {
            client.stop();
        }
        for client in self.clients.drain(..) {
            let ledger = client.close(false, violations)?;
            figures.stdio.requests += ledger.calls;
            figures.stdio.longest = figures.stdio.longest.max(ledger.slowest);
            demand_count(&self.home, &witness::key(ledger.key), ledger.bumps, violations)?;
        }
        load.compare_with_store(self.programs, &self.home, violations, figures)?;
        if self.way == Way::Background {
            self.home.run(&["stop"])?;
        }
        for home in [&*self.home, &self.newer] {
            let left = home.wait_until_empty(LEAVE_WITHIN);
            violations.unless(left.is_empty(), format!("{:?}: processes left behind: {left:?}", self.way));
        }
        Ok(())
    }
}

/// Checks that a key was bumped exactly this many times.
fn demand_count(
    home: &Home,
    key: &str,
    acknowledged: u64,
    violations: &mut Violations,
) -> anyhow::Result<()> {
    let hint = home.run_json(&["get", witness::COMPONENT, key])?;
    let stored = hint["hint"]["use_count"].as_u64();
    let exact = stored == Some(acknowledged);
    violations.unless(exact, format!("{key}: {stored:?} uses are stored, {acknowledged} acknowledged"));
    Ok(())
}

fn wait_for<T>(find: impl Fn() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + TAKES_OVER_WITHIN;
    loop {
        match find() {
            Some(found) => return Some(found),
            None if Instant::now() >= deadline => return None,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

impl Figures {
    fn print(&mut self) {
        self.taken_over.sort_unstable();
        let millis = |time: Option<&Duration>| time.map_or(f64::NAN, |time| time.as_secs_f64() * 1e3);
        println!(
            "{} upgrades; from the start of the newer process until it is PRIMARY: min {:.0} ms, max {:.0} ms",
            self.taken_over.len(),
            millis(self.taken_over.first()),
            millis(self.taken_over.last())
        );
        for (name, tally) in [
            ("stdio clients", &self.stdio),
            ("commands", &self.commands),
            ("hooks", &self.hooks),
            ("HTTP, connection kept", &self.kept_alive),
            ("HTTP, new connections", &self.new_connections),
        ] {
            println!(
                "{name}: {} requests, {} errors, longest pause {:.0} ms",
                tally.requests,
                tally.errors.len(),
                millis(Some(&tally.longest))
            );
            for error in &tally.errors {
                println!("  {error}");
            }
        }
    }
}
