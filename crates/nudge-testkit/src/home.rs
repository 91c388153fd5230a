//! A user's machine in a temporary directory, and calls of the binary in it.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::outcome::Outcome;

/// A separate home directory, removed when dropped. Hooks have 20 seconds in it, so that a busy
/// machine changes no result; see [`TestHome::with_deadlines`].
pub struct TestHome {
    dir: TempDir,
    binary: PathBuf,
    has_deadlines: bool,
}

/// Debug builds read the deadline of a hook from this variable.
pub const TEST_DEADLINE: &str = "TEST_DEADLINE_SECONDS";

impl TestHome {
    /// An empty home; `binary` is the program under test.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let dir = tempfile::Builder::new().prefix("nh").tempdir().expect("a temporary directory can be made");
        Self { dir, binary: binary.into(), has_deadlines: false }
    }

    /// Hooks keep the deadlines that they have for users. For tests that lock the memory, stop the
    /// server or measure time.
    #[must_use]
    pub fn with_deadlines(self) -> Self {
        Self { has_deadlines: true, ..self }
    }

    /// The HOME of every call.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The binary under test.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// The default data directory.
    pub fn memory(&self) -> PathBuf {
        self.path().join(".local/share/nudge")
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
        let mut command = Command::new(&self.binary);
        command.env_clear().env("HOME", self.path()).env("PATH", search_path()).current_dir(self.path());
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
