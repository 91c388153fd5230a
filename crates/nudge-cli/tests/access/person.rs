//! A user without privileges, because root ignores file modes.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nudge_testkit::raw_http::free_port;
use nudge_testkit::unprivileged::Unprivileged;
use nudge_testkit::{McpStdio, Outcome};
use serde_json::Value;

/// A user, a home and perhaps a server; the server is stopped on drop.
pub(crate) struct TestUser {
    user: Unprivileged,
}

impl TestUser {
    pub(crate) fn new() -> Self {
        Self { user: Unprivileged::new(Path::new(env!("CARGO_BIN_EXE_nudge"))) }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.user.home()
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.home().join(".local/share/nudge")
    }

    pub(crate) fn run_dir(&self) -> PathBuf {
        self.memory().join("run")
    }

    pub(crate) fn give(&self, path: &Path, mode: u32) {
        self.user.give(path, mode);
    }

    pub(crate) fn make_dir(&self, path: &Path, mode: u32) {
        self.user.make_dir(path, mode);
    }

    pub(crate) fn is_root_elsewhere(&self) -> bool {
        let started_by_root = self.user.uid() == nudge_testkit::unprivileged::NOBODY;
        nudge_testkit::unprivileged::two_users(if started_by_root { 0 } else { self.user.uid() })
    }

    /// A command of this user, with a umask that opens every new file to everybody.
    pub(crate) fn command(&self) -> Command {
        let inner = self.user.command();
        let mut command = Command::new("sh");
        command.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(inner.get_program()).args(inner.get_args());
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.current_dir("/");
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Outcome {
        let output = self
            .command()
            .args(args)
            .stdin(Stdio::null())
            .output()
            .expect("sh, setpriv and the binary start");
        Outcome::new(output, self.home())
    }

    pub(crate) fn stdio(&self, args: &[&str]) -> McpStdio {
        let mut command = self.command();
        command.arg("serve").args(args);
        McpStdio::start(command)
    }

    /// Starts a server on a port that no other test uses; returns its status.
    pub(crate) fn serve(&self, args: &[&str]) -> Value {
        let port = free_port().to_string();
        let mut words = vec!["serve", "--daemon", "--port", &port];
        words.extend(args);
        self.run(&words).ok();
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let status = self.run(&["status", "--json"]).json();
            if status["pid"].is_u64() {
                return status;
            }
            assert!(Instant::now() < deadline, "no server: {status}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn token(&self) -> String {
        std::fs::read_to_string(self.run_dir().join("token")).expect("a server has a token").trim().to_owned()
    }
}

impl Drop for TestUser {
    fn drop(&mut self) {
        let _ = self
            .command()
            .arg("stop")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
