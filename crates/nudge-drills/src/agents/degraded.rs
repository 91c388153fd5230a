//! Agents with a broken Nudge: each still finishes its task, and none shows a hook error.
//!
//! The server is killed, the store is locked by another program, or the program is deleted. Shows
//! @install_guard with real agents.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use serde_json::json;

use super::agent::Workspace;
use super::model;
use super::one_shot::{OneShot, run};

/// Keeps the write lock of a database until its input ends.
const LOCK: &str = "import sqlite3,sys; c=sqlite3.connect(sys.argv[1],isolation_level=None,timeout=60); \
                    c.execute('BEGIN EXCLUSIVE'); print('locked',flush=True); sys.stdin.read()";

/// The part that is broken.
#[derive(Copy, Clone, Debug)]
enum Broken {
    Killed,
    Locked,
    Deleted,
}

/// Breaks Nudge in every way under every agent; returns what went wrong.
pub(super) fn walk(nudge: &Path, agents: &[&dyn OneShot]) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    for broken in [Broken::Killed, Broken::Locked, Broken::Deleted] {
        let began = Instant::now();
        let found = one(nudge, agents, broken)?;
        println!("{broken:?}: {} violations, {:.1} s", found.len(), began.elapsed().as_secs_f64());
        wrong.extend(found.into_iter().map(|why| format!("{broken:?}: {why}")));
    }
    Ok(wrong)
}

fn one(nudge: &Path, agents: &[&dyn OneShot], broken: Broken) -> anyhow::Result<Vec<String>> {
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
    let mut wrong = Vec::new();
    for agent in agents {
        if matches!(broken, Broken::Killed) {
            kill_server(&workspace)?;
        }
        let mut calls = vec![agent.command_line("cat greeting.txt")];
        if matches!(broken, Broken::Killed) {
            // The agent's own server takes over from the killed one.
            calls.push(agent.tool("search", &json!({"query": "something"})));
        }
        let ran = run(*agent, &workspace, &model::prompt("Read the greeting.", &calls))?;
        if !ran.is_done() {
            wrong.push(format!("{} did not finish: {}", agent.name(), ran.said()));
        }
        wrong.extend(ran.hook_errors().into_iter().map(|line| format!("{} shows: {line}", agent.name())));
    }
    Ok(wrong)
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
                .args(["-c", LOCK])
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
