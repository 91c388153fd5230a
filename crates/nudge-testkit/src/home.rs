//! A user's machine in a temporary directory, and calls of the binary in it.
//!
//! A [`Home`] is what drills use: its calls return errors, and nothing but HOME and PATH is set. A
//! [`TestHome`] is one for tests: its calls panic, and what would differ between machines is fixed.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
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

use crate::outcome::Outcome;

/// A separate home directory, removed when dropped. Hooks have 20 seconds in it, so that a busy
/// machine changes no result; see [`TestHome::with_deadlines`].
pub struct TestHome {
    home: Home,
    has_deadlines: bool,
}

/// Debug builds read the deadline of a hook from this variable.
pub const TEST_DEADLINE: &str = "TEST_DEADLINE_SECONDS";

impl TestHome {
    /// An empty home; `binary` is the program under test.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let home = Home::of(binary.into()).expect("a temporary directory can be made");
        Self { home, has_deadlines: false }
    }

    /// Hooks keep the deadlines that they have for users. For tests that lock the memory, stop the
    /// server or measure time.
    #[must_use]
    pub fn with_deadlines(self) -> Self {
        Self { has_deadlines: true, ..self }
    }

    /// The HOME of every call.
    pub fn path(&self) -> &Path {
        self.home.path()
    }

    /// The binary under test.
    pub fn binary(&self) -> &Path {
        self.home.binary()
    }

    /// The default data directory.
    pub fn memory(&self) -> PathBuf {
        self.home.memory()
    }

    /// The default path of the configuration file.
    pub fn config_file(&self) -> PathBuf {
        self.path().join(".config/nudge/config.toml")
    }

    /// A directory below HOME, created if it is missing.
    pub fn dir(&self, name: &str) -> PathBuf {
        let dir = self.path().join(name);
        std::fs::create_dir_all(&dir).expect("a directory below a fresh home can be made");
        dir
    }

    /// A file below HOME with that text.
    pub fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path().join(name);
        let parent = file.parent().expect("a file below HOME has a parent");
        std::fs::create_dir_all(parent).expect("a directory below a fresh home can be made");
        std::fs::write(&file, text).expect("a file below a fresh home can be written");
        file
    }

    /// The files of the data directory that contain this text in their bytes, by name: what is
    /// really on disk.
    pub fn files_holding(&self, text: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut dirs = vec![self.memory()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    dirs.push(path);
                } else if entry.file_type().is_ok_and(|kind| kind.is_file()) {
                    let bytes = std::fs::read(&path).expect("a file of the memory can be read");
                    if String::from_utf8_lossy(&bytes).contains(text) {
                        found.push(path);
                    }
                }
            }
        }
        found.sort();
        found
    }

    /// A command of the binary with only HOME and PATH set, and HOME as its working directory.
    pub fn command(&self) -> Command {
        let mut command = self.home.nudge(&[]);
        // An agent may be running the tests; only what a test sets itself counts.
        command.env("TEST_WITHOUT_ANCESTORS", "1");
        // Times on pages are those of the zone, and the zone of whoever runs the tests is any.
        command.env("TZ", "UTC0");
        if !self.has_deadlines {
            command.env(TEST_DEADLINE, "20");
        }
        command
    }

    /// Prepares a call with these arguments.
    pub fn nudge<I, S>(&self, args: I) -> Call
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        let mut command = self.command();
        command.args(args);
        Call { command, stdin: Vec::new(), home: self.path().to_owned() }
    }

    /// Runs the binary with these arguments.
    pub fn run<I, S>(&self, args: I) -> Outcome
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.nudge(args).run()
    }
}

/// One call of the binary, being prepared.
pub struct Call {
    command: Command,
    stdin: Vec<u8>,
    home: PathBuf,
}

impl Call {
    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Sends this on standard input.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Runs under this `sh` script, in which `"$@"` is the call: limits, redirections, pipes.
    #[must_use]
    pub fn in_shell(mut self, script: &str) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(self.command.get_program()).args(self.command.get_args());
        shell.env_clear().envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(dir) = self.command.get_current_dir() {
            shell.current_dir(dir);
        }
        self.command = shell;
        self
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Outcome {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the binary under test starts");
        let mut pipe = child.stdin.take().expect("standard input is piped");
        let stdin = std::mem::take(&mut self.stdin);
        // A program that does not read its input closes it early; that does not fail the test.
        let writer = std::thread::spawn(move || pipe.write_all(&stdin).ok());
        let output = child.wait_with_output().expect("the binary under test can be waited for");
        writer.join().expect("the thread that types does not panic");
        Outcome::new(output, self.home)
    }
}

/// The PATH of every call: the tester's own, because tests may need git or a shell.
pub(crate) fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into())
}

/// The state file of PRIMARY, below the memory.
const STATE_FILE: &str = "run/state.json";

/// Ports that no system assigns by itself, far from the default one.
const PORTS: std::ops::Range<u16> = 21_000..31_000;

/// A home directory and the product in it.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    nudge: PathBuf,
    /// Removes the directory at the end; `None` if it is not temporary.
    _temporary: Option<TempDir>,
}

/// The contents of PRIMARY's state file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerState {
    /// Its process.
    pub pid: u32,
    /// Its port.
    pub port: u16,
    /// The id of its life.
    pub instance: String,
}

impl Home {
    /// An empty home that is removed with the value.
    pub fn of(nudge: PathBuf) -> anyhow::Result<Self> {
        let dir = tempfile::Builder::new().prefix("nh").tempdir()?;
        Ok(Self { path: dir.path().canonicalize()?, nudge, _temporary: Some(dir) })
    }

    /// A home that is kept; its directory may exist.
    pub fn at(path: PathBuf, nudge: PathBuf) -> anyhow::Result<Self> {
        std::fs::create_dir_all(&path)?;
        Ok(Self { path, nudge, _temporary: None })
    }

    /// The same home with another program.
    #[must_use]
    pub fn running(self, nudge: PathBuf) -> Self {
        Self { nudge, ..self }
    }

    /// The HOME of every process.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The product that runs in it.
    pub fn binary(&self) -> &Path {
        &self.nudge
    }

    /// The directory of the memory.
    pub fn memory(&self) -> PathBuf {
        self.path.join(".local/share/nudge")
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.memory().join("nudge.db")
    }

    /// The options that open its database for reading.
    pub fn read_options(&self) -> OpenOptions {
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
    pub fn make_repository(&self) {
        crate::git::repository(&self.path, Some("git@example.com:org/repo.git"), "main");
    }

    /// The product with these arguments, in this home.
    pub fn nudge(&self, args: &[&str]) -> Command {
        let mut command = self.program(&self.nudge);
        command.args(args);
        command
    }

    /// Any program with only HOME and PATH.
    pub fn program(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.path).env("PATH", search_path()).current_dir(&self.path);
        command.stdin(Stdio::null());
        command
    }

    /// The product as a JSON spec, for a worker that starts the product itself.
    pub fn server_spec(&self, args: &[&str]) -> Value {
        json!({
            "program": self.nudge,
            "args": args,
            "env": {"HOME": self.path, "PATH": search_path().to_string_lossy()},
            "cwd": self.path,
        })
    }

    /// Runs the product to its end and requires success.
    pub fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.nudge(args).output().context("nudge cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The same, for a JSON result.
    pub fn run_json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let mut args = args.to_vec();
        args.push("--json");
        serde_json::from_str(&self.run(&args)?)
            .with_context(|| format!("nudge {} prints no JSON", args.join(" ")))
    }

    /// PRIMARY's state file; `None` while it is being replaced.
    pub fn state(&self) -> Option<ServerState> {
        let text = std::fs::read(self.memory().join(STATE_FILE)).ok()?;
        let state: Value = serde_json::from_slice(&text).ok()?;
        Some(ServerState {
            pid: state["pid"].as_u64()?.try_into().ok()?,
            port: state["port"].as_u64()?.try_into().ok()?,
            instance: state["instance"].as_str()?.to_owned(),
        })
    }

    /// Processes of the product that run in this home.
    pub fn processes(&self) -> BTreeSet<u32> {
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
    pub fn wait_until_empty(&self, within: Duration) -> BTreeSet<u32> {
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
pub fn free_port() -> anyhow::Result<u16> {
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
