//! The load next to the stdio clients: commands, hooks and HTTP requests.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::{Figures, demand_count};
use crate::drill::witness::COMPONENT;
use crate::stage::Violations;
use crate::stage::{Home, Programs};

/// The keys that only the commands and only the HTTP clients use.
pub(super) const COMMANDS_KEY: &str = "commands";

pub(super) const KEPT_ALIVE: &str = "kept-alive";

pub(super) const NEW_CONNECTIONS: &str = "new-connections";

/// The session of all hooks.
const SESSION: &str = "5e551011-0000-4000-8000-000000000001";

/// The pause between two requests of one caller.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a spooled event may take until it is stored.
const STORED_WITHIN: Duration = Duration::from_secs(15);

/// The results of one caller.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) requests: u64,
    pub(super) errors: Vec<String>,
    pub(super) longest: Duration,
}

impl Tally {
    /// Calls `ask` until stopped.
    pub(super) fn of(stop: &AtomicBool, mut ask: impl FnMut(u64) -> Result<(), String>) -> Self {
        let mut tally = Self::default();
        while !stop.load(Ordering::Relaxed) {
            let began = Instant::now();
            if let Err(error) = ask(tally.requests) {
                tally.errors.push(error);
            }
            tally.longest = tally.longest.max(began.elapsed());
            tally.requests += 1;
            std::thread::sleep(PAUSE);
        }
        tally
    }

    fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.errors.extend(other.errors);
        self.longest = self.longest.max(other.longest);
    }

    fn demand_none(&self, who: &str, violations: &mut Violations) {
        let first = self.errors.first();
        violations
            .unless(first.is_none(), format!("{who}: {} errors, the first: {first:?}", self.errors.len()));
    }

    fn acknowledged(&self) -> u64 {
        self.requests - self.errors.len() as u64
    }
}

/// The results of all callers.
pub(super) struct Load {
    commands: Tally,
    hooks: Tally,
    kept_alive: Tally,
    new_connections: Tally,
}

impl Load {
    /// Runs the load until stopped.
    pub(super) fn run(home: &Home, port: u16, stop: &AtomicBool) -> anyhow::Result<Self> {
        let token = std::fs::read_to_string(home.memory().join("run/token")).context("a token")?;
        let http = |key, connect| Caller::new(port, token.trim(), key, connect);
        let mut kept = http(KEPT_ALIVE, Connect::Once);
        let mut fresh = http(NEW_CONNECTIONS, Connect::EachTime);
        std::thread::scope(|scope| {
            let commands = scope.spawn(|| Tally::of(stop, |_| command(home)));
            let hooks = scope.spawn(|| Tally::of(stop, |number| hook(home, number)));
            let kept = scope.spawn(|| Tally::of(stop, |_| kept.bump()));
            let fresh = scope.spawn(|| Tally::of(stop, |_| fresh.bump()));
            let joined = |thread: std::thread::ScopedJoinHandle<'_, Tally>| {
                thread.join().map_err(|_| anyhow::anyhow!("a caller failed"))
            };
            Ok(Self {
                commands: joined(commands)?,
                hooks: joined(hooks)?,
                kept_alive: joined(kept)?,
                new_connections: joined(fresh)?,
            })
        })
    }

    /// Compares the acknowledgements with the store, and adds up the figures.
    pub(super) fn compare_with_store(
        self,
        programs: &Programs,
        home: &Home,
        violations: &mut Violations,
        figures: &mut Figures,
    ) -> anyhow::Result<()> {
        self.commands.demand_none("commands", violations);
        self.hooks.demand_none("hooks", violations);
        // A rejected request was not done, so these counts are exact too.
        for (key, tally) in [
            (COMMANDS_KEY, &self.commands),
            (KEPT_ALIVE, &self.kept_alive),
            (NEW_CONNECTIONS, &self.new_connections),
        ] {
            demand_count(home, key, tally.acknowledged(), violations)?;
        }
        self.kept_alive.demand_none("HTTP on a connection that is kept", violations);
        demand_events(programs, home, self.hooks.requests, violations)?;
        figures.commands.add(self.commands);
        figures.hooks.add(self.hooks);
        figures.kept_alive.add(self.kept_alive);
        figures.new_connections.add(self.new_connections);
        Ok(())
    }
}

fn command(home: &Home) -> Result<(), String> {
    finished(home.nudge(&["bump", COMPONENT, COMMANDS_KEY]), "")
}

/// A hook of Claude Code that reports a command; the number makes it unique.
fn hook(home: &Home, number: u64) -> Result<(), String> {
    let payload = json!({
        "session_id": SESSION, "cwd": home.path(), "prompt_id": "1", "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_use_id": format!("toolu_{number}"), "duration_ms": 42,
        "tool_input": {"command": format!("cargo test {}", marker(number)), "description": "Run a test"},
        "tool_response": {"stdout": "test result: ok. 1 passed", "stderr": "", "interrupted": false, "isImage": false},
    });
    finished(home.nudge(&["hook", "claude"]), &payload.to_string())
}

/// The marker that `capture-ledger` finds in the stored text.
fn marker(number: u64) -> String {
    format!("item{number:07}")
}

/// Runs a program to its end; the error says what went wrong.
fn finished(mut command: Command, input: &str) -> Result<(), String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let run = || -> anyhow::Result<_> {
        let mut child = command.spawn()?;
        child.stdin.take().context("standard input is piped")?.write_all(input.as_bytes())?;
        Ok(child.wait_with_output()?)
    };
    match { run }() {
        Ok(output) if output.status.success() && output.stderr.is_empty() => Ok(()),
        Ok(output) => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim())),
        Err(error) => Err(error.to_string()),
    }
}

/// Checks that each event is stored once. A spooled event is imported within seconds.
fn demand_events(
    programs: &Programs,
    home: &Home,
    sent: u64,
    violations: &mut Violations,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + STORED_WITHIN;
    loop {
        let stored = stored_events(programs, home)?;
        let missing = (0..sent).filter(|number| stored[marker(*number)] != 1).count();
        if missing == 0 || Instant::now() > deadline {
            violations.unless(missing == 0, format!("{missing} of {sent} events are not stored once"));
            return Ok(());
        }
        // Any command that writes also imports the spool.
        home.run(&["set", COMPONENT, "end", "x"])?;
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// How often each event is in the store, by its marker.
fn stored_events(programs: &Programs, home: &Home) -> anyhow::Result<Value> {
    let mut command = programs.command(home, "capture-ledger");
    command.arg(home.memory()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("the ledger cannot be started")?;
    writeln!(child.stdin.take().context("standard input is piped")?, "{SESSION}")?;
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "the ledger ended with {}", output.status);
    Ok(serde_json::from_slice::<Value>(&output.stdout)?["stored"].take())
}

// A minimal HTTP client on the server's port.

/// Longer than any handover.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// How often it connects.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Connect {
    /// Once, and again only after the server announced that it closes.
    Once,
    /// For every request.
    EachTime,
}

/// One HTTP client.
pub(super) struct Caller {
    port: u16,
    token: String,
    key: &'static str,
    connect: Connect,
    open: Option<TcpStream>,
}

impl Caller {
    pub(super) fn new(port: u16, token: &str, key: &'static str, connect: Connect) -> Self {
        Self { port, token: token.to_owned(), key, connect, open: None }
    }

    /// Bumps its key over `/rpc`.
    pub(super) fn bump(&mut self) -> Result<(), String> {
        let mut stream = match self.open.take() {
            Some(stream) => stream,
            None => self.connected()?,
        };
        let (head, answer) = self.exchange(&mut stream).map_err(|error| format!("a request: {error}"))?;
        if self.connect == Connect::Once && !head.contains("connection: close") {
            self.open = Some(stream);
        }
        match answer["result"]["hint"]["use_count"].as_u64() {
            Some(_) => Ok(()),
            None => Err(format!("{head} {answer}")),
        }
    }

    /// A connection. If the server asked the client to reconnect, it retries for a short time, as
    /// clients do.
    fn connected(&self) -> Result<TcpStream, String> {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        let attempts = if self.connect == Connect::Once { 100 } else { 1 };
        let mut last = String::new();
        for _ in 0..attempts {
            match TcpStream::connect_timeout(&address, ANSWER_WITHIN) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = format!("a connection: {error}"),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(last)
    }

    fn exchange(&self, stream: &mut TcpStream) -> std::io::Result<(String, Value)> {
        let params = json!({"component": COMPONENT, "key": self.key});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "bump", "params": params}).to_string();
        let flags = if self.connect == Connect::Once { "keep-alive" } else { "close" };
        let head = format!(
            "POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nConnection: {flags}\r\n\
             Content-Length: {}\r\n\r\n",
            self.port,
            self.token,
            body.len()
        );
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let (mut text, mut bytes) = (Vec::new(), [0; 4096]);
        loop {
            let read = stream.read(&mut bytes)?;
            if read == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            text.extend_from_slice(&bytes[..read]);
            let so_far = String::from_utf8_lossy(&text);
            if let Some((head, body)) = so_far.split_once("\r\n\r\n")
                && let Ok(answer) = serde_json::from_str(body)
            {
                return Ok((head.to_ascii_lowercase(), answer));
            }
        }
    }
}
