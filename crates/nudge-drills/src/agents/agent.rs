//! The operations that a test needs from any agent.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;
use tempfile::TempDir;

use super::injected::Requests;
use crate::repository;
use crate::stage::{self, Home};

/// A program that takes prompts from a user.
pub(super) trait Agent {
    /// Its name here and in the memory.
    fn name(&self) -> &'static str;

    /// Installs Nudge into it, in this home.
    fn install_nudge(&self, workspace: &Workspace) -> anyhow::Result<()>;

    /// Whether it signals to the programs it starts that it runs headless.
    fn tells_that_nobody_watches(&self) -> bool;

    /// The tool call with which its model does this step.
    fn call(&self, step: Step<'_>, workspace: &Workspace) -> Value;

    /// The tool call with which its model searches the memory; `None` where the model is not shown
    /// that tool.
    fn search(&self, query: &str) -> Option<Value>;

    /// Runs a session of one prompt, as a script does; returns its id.
    fn once(&self, workspace: &Workspace, prompt: &str) -> anyhow::Result<String>;

    /// Opens a session for several prompts.
    fn open(&self, workspace: &Workspace) -> anyhow::Result<Box<dyn Conversation>>;

    /// Resumes a session.
    fn resume(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()>;

    /// Resumes a session with a context that is too full, so that the agent compacts it by itself.
    fn overflow(&self, workspace: &Workspace, session: &str, prompt: &str) -> anyhow::Result<()>;
}

/// An open session.
pub(super) trait Conversation {
    /// Gives it a prompt and waits for the end of the turn.
    fn ask(&mut self, prompt: &str) -> anyhow::Result<()>;

    /// Compacts the context, as the user does with `/compact`.
    fn compact(&mut self) -> anyhow::Result<()>;

    /// Ends it; returns its id.
    fn close(self: Box<Self>) -> anyhow::Result<String>;
}

/// Runs one part, says how long it took, and names the part in what it found.
pub(super) fn part(
    name: &str,
    check: impl FnOnce() -> anyhow::Result<Vec<String>>,
) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let violations = check()?;
    println!("{name}: {} violations, {:.1} s", violations.len(), began.elapsed().as_secs_f64());
    Ok(violations.into_iter().map(|violation| format!("{name}: {violation}")).collect())
}

/// After an agent exits, its MCP server reads the end of its input and exits too.
const QUIET_WITHIN: Duration = Duration::from_secs(10);

/// One action in a project.
#[derive(Copy, Clone, Debug)]
pub(super) enum Step<'a> {
    /// A new file, with this line.
    Write(&'a str, &'a str),
    /// In a file, replaces one line with another.
    Edit(&'a str, &'a str, &'a str),
    /// A command line.
    Run(&'a str),
}

/// A user's workspace: a home, a project in it, and the model that the agents use.
pub(super) struct Workspace {
    pub(super) home: Home,
    pub(super) project: PathBuf,
    pub(super) model: Model,
    work: TempDir,
}

impl Workspace {
    /// An empty home, and a repository with one file.
    pub(super) fn new(nudge: &Path, project: &str) -> anyhow::Result<Self> {
        let home = Home::of(nudge.to_owned())?;
        let work = tempfile::Builder::new().prefix("nudge-agent-").tempdir()?;
        let model = Model::start(&work.path().join("requests"))?;
        let mut workspace = Self { home, project: PathBuf::new(), model, work };
        workspace.switch_project(project)?;
        Ok(workspace)
    }

    /// Switches to a new project: another repository with one file.
    pub(super) fn switch_project(&mut self, project: &str) -> anyhow::Result<()> {
        self.project = self.work.path().canonicalize()?.join(project);
        std::fs::create_dir(&self.project)?;
        std::fs::write(self.file("greeting.txt"), "hello\n")?;
        for args in [
            ["init", "--quiet", "."],
            ["config", "user.name", "Ada"],
            ["config", "user.email", "ada@example.org"],
        ] {
            let status = Command::new("git").args(args).current_dir(&self.project).status();
            let status = status.context("git is needed")?;
            anyhow::ensure!(status.success(), "git {args:?} failed: {status}");
        }
        Ok(())
    }

    /// A program that starts in the project, with only the environment that every agent needs.
    pub(super) fn program(&self, program: &Path) -> Command {
        let mut command = self.home.program(program);
        command.current_dir(&self.project).env("LANG", "C.UTF-8").env("TERM", "dumb");
        command
    }

    /// The prompt that makes this agent's model take these steps.
    pub(super) fn prompt(&self, agent: &dyn Agent, words: &str, steps: &[Step<'_>]) -> String {
        let calls: Vec<Value> = steps.iter().map(|step| agent.call(*step, self)).collect();
        prompt(words, &calls)
    }

    /// A file of the project.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    /// The processes that are still there after the agents have exited, as a violation.
    pub(super) fn left_behind(&self) -> Option<String> {
        let left = self.home.wait_until_empty(QUIET_WITHIN);
        (!left.is_empty()).then(|| format!("processes left behind: {left:?}"))
    }

    /// The JSON output of Nudge in the project.
    pub(super) fn nudge_json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let output = self.home.nudge(args).arg("--json").current_dir(&self.project).output()?;
        let said = || format!("nudge {}, {}", args.join(" "), shown(&output));
        anyhow::ensure!(output.status.success(), "{}", said());
        serde_json::from_slice(&output.stdout).with_context(said)
    }

    /// Prepends a line to the user's configuration.
    pub(super) fn configure(&self, line: &str) -> anyhow::Result<()> {
        let file = self.home.path().join(".config/nudge/config.toml");
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::create_dir_all(self.home.path().join(".config/nudge"))?;
        Ok(std::fs::write(file, format!("{line}\n{before}"))?)
    }
}

// The scripted model: a server on this machine that follows the script in a prompt.

/// Next to the checkout, where every developer and CI have it.
const SCRIPT: &str = "../shared/harness/kit/fake_llm.py";

/// Longer than Python takes to start on a busy machine.
const UP_WITHIN: Duration = Duration::from_secs(20);

/// The running server; dropping it ends the process.
pub(super) struct Model {
    child: Child,
    port: u16,
    requests: Requests,
}

impl Model {
    /// Starts the server, which writes each request below `log`.
    pub(super) fn start(log: &Path) -> anyhow::Result<Self> {
        let script = repository::root().join(SCRIPT);
        anyhow::ensure!(script.is_file(), "the scripted model is missing: {}", script.display());
        std::fs::create_dir_all(log)?;
        let port = stage::free_port()?;
        let mut command = Command::new("python3");
        command.arg("-B").arg(&script).args(["--port", &port.to_string(), "--log"]).arg(log);
        let child = command.stdin(Stdio::null()).spawn().context("python3 cannot be started")?;
        let mut model = Self { child, port, requests: Requests::below(log) };
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if let Some(status) = model.child.try_wait()? {
                anyhow::bail!("the scripted model ended at once: {status}");
            }
            anyhow::ensure!(began.elapsed() < UP_WITHIN, "the scripted model does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(model)
    }

    /// The address for the agents.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests that it received.
    pub(super) const fn requests(&self) -> &Requests {
        &self.requests
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Its message at the end of every script.
pub(super) const FINAL_MESSAGE: &str = "All done.";

/// A prompt that makes the model call these tools in order and then say that it is done.
pub(super) fn prompt(words: &str, calls: &[Value]) -> String {
    let mut script = calls.to_vec();
    script.push(serde_json::json!({"text": FINAL_MESSAGE}));
    format!("{words} <<SCRIPT {} SCRIPT>>", Value::from(script))
}

/// The same, and Nudge sees only the words: no user types a script, and its words would count.
pub(super) fn prompt_of_user(words: &str, calls: &[Value]) -> String {
    format!("{words} <private>{}</private>", prompt("", calls).trim_start())
}

// Runs an agent to its end, with a time limit for the session.

/// A session takes about two seconds; an overloaded machine takes longer.
pub(super) const SESSION_TIMEOUT: Duration = Duration::from_secs(120);

/// Runs a command to its end, or kills it when the time is up.
pub(super) fn run_to_end(mut command: Command) -> anyhow::Result<Output> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("{command:?} cannot be started"))?;
    let pid = rustix::process::Pid::from_child(&child);
    let (done, over) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        let late = over.recv_timeout(SESSION_TIMEOUT).is_err();
        if late {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
        late
    });
    // Both pipes are read while it runs: an agent may print more than fits into a pipe.
    let stderr = child.stderr.take().context("standard error is piped")?;
    let reader = std::thread::spawn(move || std::io::read_to_string(stderr).unwrap_or_default());
    let stdout = std::io::read_to_string(child.stdout.take().context("standard output is piped")?)?;
    let status = child.wait()?;
    let _ = done.send(());
    let late = watch.join().unwrap_or(true);
    let stderr = reader.join().unwrap_or_default();
    anyhow::ensure!(!late, "the agent did not end within {SESSION_TIMEOUT:?}: {stdout}\n{stderr}");
    Ok(Output { status, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() })
}

/// What it printed, for debugging.
pub(super) fn shown(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}: {out}\n{err}", output.status)
}
