//! A user's home directory, and the processes in it.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use nudge_core::Timestamp;
use nudge_store::{HostIdentity, Location, OpenOptions};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Programs;

/// The state file of PRIMARY, below the memory.
const STATE_FILE: &str = "run/state.json";

/// Ports that no system assigns by itself, far from the default one.
const PORTS: std::ops::Range<u16> = 21_000..31_000;

/// A home directory and the product in it.
#[derive(Debug)]
pub(crate) struct Home {
    path: PathBuf,
    nudge: PathBuf,
    /// Removes the directory at the end; `None` if it is not temporary.
    _temporary: Option<TempDir>,
}

/// The contents of PRIMARY's state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerState {
    pub(crate) pid: u32,
    pub(crate) port: u16,
    pub(crate) instance: String,
}

impl Home {
    /// An empty home that is removed with the value.
    pub(crate) fn temporary(programs: &Programs) -> anyhow::Result<Self> {
        Self::of(programs.nudge())
    }

    /// An empty home for a binary that is already built.
    pub(crate) fn of(nudge: PathBuf) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("nudge-drill-").tempdir()?;
        Ok(Self { path: dir.path().canonicalize()?, nudge, _temporary: Some(dir) })
    }

    /// An existing home, for a binary that is already built.
    pub(crate) fn at(path: PathBuf, nudge: PathBuf) -> Self {
        Self { path, nudge, _temporary: None }
    }

    /// A home that is kept.
    pub(crate) fn kept(path: PathBuf, programs: &Programs) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path)?;
        Ok(Self { path, nudge: programs.nudge(), _temporary: None })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The product that runs in it.
    pub(crate) fn binary(&self) -> &Path {
        &self.nudge
    }

    /// The directory of the memory.
    pub(crate) fn memory(&self) -> PathBuf {
        self.path.join(".local/share/nudge")
    }

    /// The database.
    pub(crate) fn database(&self) -> PathBuf {
        self.memory().join("nudge.db")
    }

    /// The options that open its database for reading.
    pub(crate) fn read_options(&self) -> OpenOptions {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        OpenOptions {
            location: Location::File(self.database()),
            read_only: true,
            host: HostIdentity { machine: None, boot: None },
            now: Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            busy: Duration::from_secs(5),
            backups: None,
        }
    }

    /// Makes it a repository with a remote: users and agents work in one, so Nudge looks for one.
    pub(crate) fn make_repository(&self) -> anyhow::Result<()> {
        let git = self.path().join(".git");
        std::fs::create_dir_all(&git)?;
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
        std::fs::write(git.join("config"), "[remote \"origin\"]\n\turl = git@example.com:org/repo.git\n")?;
        Ok(())
    }

    /// The product with these arguments, in this home.
    pub(crate) fn nudge(&self, args: &[&str]) -> Command {
        let mut command = self.program(&self.nudge);
        command.args(args);
        command
    }

    /// Any program with only HOME and PATH.
    pub(crate) fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.path).env("PATH", search_path()).current_dir(&self.path);
        command.stdin(Stdio::null());
        command
    }

    /// One of the baselines or clients, with the same environment.
    pub(crate) fn bare(&self, programs: &Programs, name: &str) -> Command {
        let mut command = self.program(&programs.bare());
        command.arg(name);
        command
    }

    /// The product as a JSON spec, for a worker that starts the product itself.
    pub(crate) fn server_spec(&self, args: &[&str]) -> Value {
        json!({
            "program": self.nudge,
            "args": args,
            "env": {"HOME": self.path, "PATH": search_path().to_string_lossy()},
            "cwd": self.path,
        })
    }

    /// Runs the product to its end and requires success.
    pub(crate) fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.nudge(args).output().context("nudge cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The same, for a JSON result.
    pub(crate) fn run_json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut args = args.to_vec();
        args.push("--json");
        serde_json::from_str(&self.run(&args)?)
            .with_context(|| format!("nudge {} prints no JSON", args.join(" ")))
    }

    /// PRIMARY's state file; `None` while it is being replaced.
    pub(crate) fn state(&self) -> Option<ServerState> {
        let text = std::fs::read(self.memory().join(STATE_FILE)).ok()?;
        let state: Value = serde_json::from_slice(&text).ok()?;
        Some(ServerState {
            pid: state["pid"].as_u64()?.try_into().ok()?,
            port: state["port"].as_u64()?.try_into().ok()?,
            instance: state["instance"].as_str()?.to_owned(),
        })
    }

    /// Processes of the product that run in this home.
    pub(crate) fn processes(&self) -> BTreeSet<u32> {
        let home = [b"HOME=", self.path.as_os_str().as_encoded_bytes()].concat();
        let ours = |pid: &u32| {
            std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == self.nudge)
                && std::fs::read(format!("/proc/{pid}/environ"))
                    .is_ok_and(|environ| environ.split(|byte| *byte == 0).any(|variable| variable == home))
        };
        let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        all.filter_map(|item| item.file_name().to_str()?.parse().ok()).filter(ours).collect()
    }

    /// Waits until no process is left; returns those still running when the time is up.
    pub(crate) fn wait_until_empty(&self, within: Duration) -> BTreeSet<u32> {
        let deadline = Instant::now() + within;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() >= deadline {
                return left;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A port that is free now, and a different one each time.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    static HANDED_OUT: AtomicU16 = AtomicU16::new(0);
    let span = PORTS.end - PORTS.start;
    let start = u16::try_from(std::process::id() % u32::from(span))?;
    for _ in PORTS {
        let port = PORTS.start + (start + HANDED_OUT.fetch_add(1, Ordering::Relaxed)) % span;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    anyhow::bail!("no port is free")
}

fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into())
}
