//! The same task with Nudge, with its hooks alone, and without: time, requests and tokens side by
//! side.
//!
//! Sessions alternate, so that other load on the machine affects all of them alike.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::agent::{self, Workspace};
use super::injected::Request;
use super::one_shot::{OneShot, run};
use crate::tokenizer::Tokenizer;

/// The number of measured sessions of each kind, in the long and in the short form.
pub(super) const LONG_SESSIONS: usize = 20;

pub(super) const SHORT_SESSIONS: usize = 3;

/// The most time that Nudge should add to a session.
const MAX_ADDED: Duration = Duration::from_millis(100);

/// The most that the tools and the instructions may cost a request, in tokens.
const MAX_LIST_TOKENS: u64 = 1_000;

/// The first and the last words of the instructions.
const INSTRUCTIONS: (&str, &str) = ("Nudge is the memory that", "It rejects credentials.");

/// The measurements of sessions of one kind.
#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    requests: usize,
    tokens: usize,
}

/// Measures every agent; returns what went wrong. Time above the aim is reported but is no failure,
/// because the machine may cause it.
pub(super) fn measure(nudge: &Path, agents: &[&dyn OneShot], rounds: usize) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    println!(
        "agent     with Nudge  hooks alone    without      added   requests   tokens sent (medians of {rounds} sessions)"
    );
    for agent in agents {
        let with = Workspace::new(nudge, "greeter")?;
        let hooks_alone = Workspace::new(nudge, "greeter")?;
        let without = Workspace::new(nudge, "greeter")?;
        let desks = [&with, &hooks_alone, &without];
        for workspace in desks {
            agent.settle(workspace)?;
        }
        for workspace in [&with, &hooks_alone] {
            workspace.configure("inject.headless = true")?;
        }
        with.home.run(&["install", agent.name(), "--yes"])?;
        hooks_alone.home.run(&["install", agent.name(), "--yes", "--no-mcp"])?;
        let mut measured = [Measured::default(), Measured::default(), Measured::default()];
        // The first session of each kind creates what later ones find.
        for round in 0..=rounds {
            let order: [usize; 3] = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
            for kind in order {
                let workspace = desks[kind];
                let before = workspace.model.requests().count()?;
                let calls: Vec<_> =
                    ["cat greeting.txt", "ls", "true"].iter().map(|line| agent.command_line(line)).collect();
                let began = Instant::now();
                let ran = run(*agent, workspace, &agent::prompt("Read the greeting.", &calls))?;
                let time = began.elapsed();
                anyhow::ensure!(ran.is_done(), "{} did not finish: {}", agent.name(), ran.all_output());
                if round == 0 {
                    continue;
                }
                let requests = workspace.model.requests().since(before)?;
                measured[kind].times.push(time);
                measured[kind].requests += requests.len();
                let texts: Vec<String> = requests.iter().map(|request| request.texts().join("\n")).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                measured[kind].tokens += tokens(&texts);
            }
        }
        violations.extend(report(*agent, &measured));
        violations.extend(list_cost(*agent, &with)?);
    }
    Ok(violations)
}

/// Prints what the tools and the instructions cost in the requests of an agent.
fn list_cost(agent: &dyn OneShot, with: &Workspace) -> anyhow::Result<Option<String>> {
    let requests = with.model.requests().since(0)?;
    let costs = requests.iter().map(|request| {
        let tools: Vec<String> = request.tools_of("nudge").iter().map(ToString::to_string).collect();
        let instructions = instructions(request).unwrap_or_default();
        (tools, instructions)
    });
    // An agent may ask its model for a title first, without tools.
    let whole = costs.max_by_key(|(tools, instructions)| tools.concat().len() + instructions.len());
    let (tools, instructions) = whole.unwrap_or_default();
    let counts = Tokenizer::installed()?.counts(&[&tools.concat(), instructions])?;
    let tokens: u64 = counts.iter().sum();
    println!(
        "{:<9} {tokens} tokens of tools and instructions in a request ({} entries of the list, {} + {})",
        agent.name(),
        tools.len(),
        counts[0],
        counts[1]
    );
    let name = agent.name();
    Ok(match tokens {
        0 => Some(format!("{name} sends no tool of Nudge")),
        1..=MAX_LIST_TOKENS => None,
        _ => Some(format!("{name}: tools and instructions cost {tokens} tokens")),
    })
}

/// The instructions of the server, if the agent passes them on.
fn instructions(request: &Request) -> Option<&str> {
    let (first, last) = INSTRUCTIONS;
    request.texts().into_iter().find_map(|text| {
        let begin = text.find(first)?;
        let end = begin + text[begin..].find(last)? + last.len();
        Some(&text[begin..end])
    })
}

/// An estimate: it only matters that both sides are counted alike.
fn tokens(texts: &[&str]) -> usize {
    texts.iter().map(|text| nudge_core::tokens::estimate(text).0 as usize).sum()
}

fn report(agent: &dyn OneShot, [with, hooks_alone, without]: &[Measured; 3]) -> Option<String> {
    let [a, h, b] = [with, hooks_alone, without].map(|measured| median(&measured.times).as_secs_f64() * 1e3);
    let added = a - b;
    let over = if added > MAX_ADDED.as_secs_f64() * 1e3 { "  over the aim" } else { "" };
    println!(
        "{:<9} {a:>7.0} ms   {h:>7.0} ms {b:>7.0} ms {added:>+7.0} ms   {:>3} / {:<3}  {} / {}{over}",
        agent.name(),
        with.requests,
        without.requests,
        with.tokens,
        without.tokens
    );
    let is_more = with.requests > without.requests;
    is_more.then(|| format!("{} asks its model more often with Nudge", agent.name()))
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

// Agents with a broken Nudge: each still finishes its task, and none shows a hook error.
//
// The server is killed, the store is locked by another program, or the program is deleted. Shows
// @install_guard with real agents.

/// Keeps the write lock of a database until its input ends.
const LOCK_SCRIPT: &str = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=60); \
                    c.execute('BEGIN EXCLUSIVE'); print('locked',flush=True); sys.stdin.read()";

/// The part that is broken.
#[derive(Copy, Clone, Debug)]
enum Broken {
    Killed,
    Locked,
    Deleted,
}

/// Breaks Nudge in every way under every agent; returns what went wrong.
pub(super) fn check_broken(nudge: &Path, agents: &[&dyn OneShot]) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    for broken in [Broken::Killed, Broken::Locked, Broken::Deleted] {
        violations.extend(agent::part(&format!("{broken:?}"), || break_nudge(nudge, agents, broken))?);
    }
    Ok(violations)
}

fn break_nudge(nudge: &Path, agents: &[&dyn OneShot], broken: Broken) -> anyhow::Result<Vec<String>> {
    // A separate copy, which can be deleted.
    let dir = tempfile::Builder::new().prefix("nudge-copy-").tempdir()?;
    let copy = dir.path().canonicalize()?.join("nudge");
    std::fs::copy(nudge, &copy)?;
    let workspace = Workspace::new(&copy, "greeter")?;
    for agent in agents {
        agent.settle(&workspace)?;
    }
    workspace.configure("inject.headless = true")?;
    workspace.home.run(&["install", "--yes"])?;
    workspace.nudge_json(&["mark", "something to remember"])?;
    let _lock = prepare(&workspace, broken, &copy)?;
    let mut violations = Vec::new();
    for agent in agents {
        if matches!(broken, Broken::Killed) {
            kill_server(&workspace)?;
        }
        let mut calls = vec![agent.command_line("cat greeting.txt")];
        if matches!(broken, Broken::Killed) {
            // The agent's own server takes over from the killed one.
            calls.push(agent.tool("search", &json!({"query": "something"})));
        }
        let ran = run(*agent, &workspace, &agent::prompt("Read the greeting.", &calls))?;
        if !ran.is_done() {
            violations.push(format!("{} did not finish: {}", agent.name(), ran.all_output()));
        }
        violations
            .extend(ran.hook_errors().into_iter().map(|line| format!("{} shows: {line}", agent.name())));
    }
    Ok(violations)
}

/// A process that has the lock; dropping the value ends it.
struct Lock(Child);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn prepare(workspace: &Workspace, broken: Broken, copy: &Path) -> anyhow::Result<Option<Lock>> {
    match broken {
        Broken::Killed => Ok(None),
        Broken::Deleted => {
            std::fs::remove_file(copy)?;
            Ok(None)
        }
        Broken::Locked => {
            let mut child = Command::new("python3")
                .args(["-c", LOCK_SCRIPT])
                .arg(workspace.home.database())
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .context("python3 is needed")?;
            let mut line = String::new();
            let stdout = child.stdout.take().context("piped")?;
            std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line)?;
            anyhow::ensure!(line.trim() == "locked", "the store was not locked: {line}");
            Ok(Some(Lock(child)))
        }
    }
}

/// Starts a server in the background and kills it, as the kernel does when memory runs out.
fn kill_server(workspace: &Workspace) -> anyhow::Result<()> {
    workspace.home.run(&["serve", "--daemon"])?;
    let pid = workspace.home.state().context("the server says who it is")?.pid;
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).context("a process id")?;
    Ok(rustix::process::kill_process(pid, rustix::process::Signal::KILL)?)
}
