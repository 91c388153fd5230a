//! A person's machine in a temporary directory: a home with secrets, a project, others, listeners,
//! and a process that must live. And the ways to run a command in it.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nudge_sandbox::{Ended, Level, Limits, Plan, Program, Rights};

/// The program that is executed as a stage, and as a caller. A drill has none.
pub(crate) const PROGRAM: Option<&str> = option_env!("CARGO_BIN_EXE_nudge-sandbox-stage");

/// Text of the secrets; of the environment's, too.
pub(crate) const SECRET: &str = "CANARY-4f1e";

/// What is written when something gets out.
pub(crate) const CHANGED: &str = "changed";

/// A user without a name on any machine.
const ORDINARY: u32 = 23_450;

/// As whom a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// The one that runs the tests.
    Own,
    /// Another, without rights.
    Ordinary,
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The users that this machine can be tested as.
pub(crate) fn users() -> Vec<User> {
    if is_root() {
        return vec![User::Own, User::Ordinary];
    }
    note("not root: tried as this user only");
    vec![User::Own]
}

/// Says what is not tried on this machine.
#[expect(clippy::print_stdout, reason = "the test runner shows it")]
pub(crate) fn note(text: &str) {
    println!("{text}");
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) ended: Option<Ended>,
    pub(crate) failed: Option<String>,
    pub(crate) took: Duration,
}

pub(crate) struct Scene {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) user: User,
    /// In the command lines of everything that this scene starts, and in names of its files.
    pub(crate) mark: String,
    pub(crate) tcp: TcpListener,
    pub(crate) tcp6: Option<TcpListener>,
    pub(crate) udp: UdpSocket,
    pub(crate) named: UnixListener,
    pub(crate) server: UnixListener,
    pub(crate) abstract_: UnixListener,
    pub(crate) victim: Child,
}

static NUMBER: AtomicU32 = AtomicU32::new(0);

const FILES: &[(&str, &str)] = &[
    ("outside/canary", "untouched"),
    ("home/.bashrc", "untouched"),
    ("home/.ssh/id_ed25519", SECRET),
    ("home/.netrc", SECRET),
    ("home/.npmrc", SECRET),
    ("home/.aws/credentials", SECRET),
    ("home/.config/gh/hosts.yml", SECRET),
    ("home/.cargo/credentials.toml", SECRET),
    ("home/.cargo/config.toml", "[registries.mine]\ntoken = \"CANARY-4f1e\"\n"),
    ("home/.cargo/bin/tool", "#!/bin/sh\necho a tool\n"),
    ("home/.local/share/nudge/memory.db", SECRET),
    ("home/.local/share/nudge/run/token", SECRET),
    ("home/other/notes", SECRET),
    ("home/project/nudge-home/token", SECRET),
    ("home/project/.git/hooks/there", "untouched"),
    ("home/project/.claude/settings.json", "untouched"),
    ("home/project/sub/.git/hooks/there", "untouched"),
    ("home/project/README", "a project\n"),
];

impl Scene {
    pub(crate) fn new(user: User) -> Self {
        let dir = tempfile::Builder::new().prefix("nudge-scene-").tempdir().unwrap();
        let base = dir.path();
        fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
        for (path, text) in FILES {
            let path = base.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        fs::set_permissions(base.join("home/.cargo/bin/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink(base.join("outside"), base.join("home/project/link-out")).unwrap();
        git(&base.join("home/project"), &["init", "-q"]);
        if let Some(program) = PROGRAM {
            // By another process: one that this starts meanwhile would have it open to be written.
            let copied = Command::new("cp").arg(program).arg(base.join("stage")).status().unwrap();
            assert!(copied.success());
        }
        fs::create_dir(base.join("temporary")).unwrap();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mark = format!("nudge-mark-{}-{number}", std::process::id());
        let abstract_ = SocketAddr::from_abstract_name(&mark).unwrap();
        let mut scene = Self {
            user,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            tcp6: TcpListener::bind("[::1]:0").ok(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            named: UnixListener::bind(base.join("outside/socket")).unwrap(),
            server: UnixListener::bind(base.join("home/.local/share/nudge/run/nudge.sock")).unwrap(),
            abstract_: UnixListener::bind_addr(&abstract_).unwrap(),
            victim: Command::new("true").spawn().unwrap(),
            mark,
            dir,
        };
        scene.tcp.set_nonblocking(true).unwrap();
        scene.udp.set_nonblocking(true).unwrap();
        for listener in [&scene.named, &scene.server, &scene.abstract_] {
            listener.set_nonblocking(true).unwrap();
        }
        if let Some(tcp6) = &scene.tcp6 {
            tcp6.set_nonblocking(true).unwrap();
        }
        if user == User::Ordinary {
            give(scene.dir.path(), ORDINARY);
        }
        scene.victim.wait().unwrap();
        scene.victim = scene
            .as_user("sh", &["-c", "exec sleep 600 9>>canary"])
            .current_dir(scene.path("outside"))
            .env("SECRET", SECRET)
            .spawn()
            .unwrap();
        // It has become what it will be.
        let line = format!("/proc/{}/cmdline", scene.victim.id());
        while !fs::read(&line).unwrap().starts_with(b"sleep") {
            std::thread::sleep(Duration::from_millis(1));
        }
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.path("home/project")
    }

    /// What scripts know of the scene.
    pub(crate) fn variables(&self) -> Vec<(String, String)> {
        let path = |name: &str| self.path(name).to_string_lossy().into_owned();
        let tcp6 = self.tcp6.as_ref().map_or(1, |tcp6| tcp6.local_addr().unwrap().port());
        let pairs = [
            ("OUTSIDE", path("outside")),
            ("PERSON", path("home")),
            ("PROJECT", path("home/project")),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("TCP6", tcp6.to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("MARK", self.mark.clone()),
            ("VICTIM", self.victim.id().to_string()),
        ];
        pairs.map(|(name, value)| (name.to_owned(), value)).to_vec()
    }

    pub(crate) fn plan(&self, command: &str) -> Plan {
        Plan {
            level: Level::Full,
            command: command.to_owned(),
            shell: "/bin/sh".into(),
            root: self.project(),
            directory: self.project(),
            home: self.path("home"),
            hidden: vec![self.path("home/.local/share/nudge"), self.path("home/project/nudge-home")],
            toolchains: Vec::new(),
            rights: Rights::default(),
            env: self.variables(),
            limits: Limits { time: Duration::from_secs(60), ..Limits::default() },
        }
    }

    /// A program, as the user of the scene, with a secret in its environment.
    pub(crate) fn as_user(&self, program: &str, args: &[&str]) -> Command {
        let mut command = match self.user {
            User::Own => Command::new(program),
            User::Ordinary => {
                let mut command = Command::new("setpriv");
                let id = ORDINARY.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--", program]);
                command
            }
        };
        command.args(args).env("SECRET", SECRET).current_dir(self.project());
        command
    }

    /// Runs a plan as the user, in a caller that has a file open and a secret in its environment.
    pub(crate) fn sandboxed(&self, plan: &Plan) -> Seen {
        let started = Instant::now();
        let mut child = self.caller().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&serde_json::to_vec(plan).unwrap()).unwrap();
        seen(child.wait_with_output().unwrap().stdout, started)
    }

    pub(crate) fn caller(&self) -> Command {
        let program = self.path("stage");
        self.as_user("sh", &["-c", "exec 9>>../../outside/canary; exec \"$0\"", program.to_str().unwrap()])
    }

    /// Runs a script as the user, with nothing to hold it, for a time.
    pub(crate) fn unheld(&self, script: &str, time: Duration) -> Seen {
        let started = Instant::now();
        let mut command = self.as_user("sh", &["-c", &format!("exec 9>>../../outside/canary; {script}")]);
        command.envs(self.variables()).env("HOME", self.path("home"));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let reader = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = out.read_to_end(&mut text);
            text
        });
        let errors = std::thread::spawn(move || {
            let mut text = Vec::new();
            let _ = err.read_to_end(&mut text);
            text
        });
        while started.elapsed() < time && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = started.elapsed();
        let _ = child.kill();
        let _ = child.wait();
        // What it left running may hold the pipe: it is ended with the scene.
        let mut text = Vec::new();
        for thread in [reader, errors] {
            let waited = Instant::now();
            while !thread.is_finished() && waited.elapsed() < Duration::from_millis(300) {
                std::thread::sleep(Duration::from_millis(5));
            }
            if thread.is_finished() {
                text.extend(thread.join().unwrap());
            }
        }
        Seen { text: String::from_utf8_lossy(&text).into_owned(), ended: None, failed: None, took }
    }

    /// Processes with the mark in their command line.
    pub(crate) fn marked(&self) -> Vec<i32> {
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            if String::from_utf8_lossy(&line).contains(&self.mark) {
                found.push(pid);
            }
        }
        found
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for pid in self.marked() {
            let _ = rustix::process::kill_process(
                rustix::process::Pid::from_raw(pid).unwrap(),
                rustix::process::Signal::KILL,
            );
        }
        // What got out, got there.
        for place in ["/tmp", "/dev/shm"] {
            let _ = fs::remove_file(Path::new(place).join(&self.mark));
        }
    }
}

/// The program as this process calls it.
pub(crate) fn program() -> Program {
    Program { path: PROGRAM.unwrap().into(), arguments: Vec::new() }
}

fn seen(bytes: Vec<u8>, started: Instant) -> Seen {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (text, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", ""));
    let ended: Result<Ended, String> =
        serde_json::from_str(last).unwrap_or_else(|_| Err("the caller said nothing".to_owned()));
    Seen {
        text: text.to_owned(),
        failed: ended.as_ref().err().cloned(),
        ended: ended.ok(),
        took: started.elapsed(),
    }
}

pub(crate) fn git(dir: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "git {args:?}");
}

fn give(path: &Path, user: u32) {
    lchown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            give(&entry.path(), user);
        }
    }
}
