//! A detached server: the program started again in a new session, never forked.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ServeOptions, terminal};
use nudge_client::frame::Greeting;
use nudge_client::lock::ServerState;

/// How long the detached server may take to be ready, including the migration of a large memory.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// What a starting server reports to its parent: one line of JSON on stdout.
#[derive(Clone)]
pub(super) enum Readiness {
    /// It serves.
    Ready(ServerState),
    /// Another one serves.
    Already(Greeting),
    /// It could not start.
    Failed(Fault),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Ready(ServerState),
    Already(Greeting),
    Failed(Value),
}

/// Starts the detached server, waits until it answers, and prints where it is.
pub(super) fn launch(options: &ServeOptions) -> Result<(), Fault> {
    options.home.secure_run_dir()?;
    let program =
        std::env::current_exe().map_err(|error| not_started(&format!("cannot find the program: {error}")))?;
    let own = ["--daemon", "--by-agent"];
    let arguments = options.arguments.iter().filter(|argument| own.iter().all(|own| argument != own));
    let mut child = Command::new(program)
        .args(arguments)
        .arg("--detached")
        // The detached server has no agent above it that it could find.
        .args(options.by_agent.then_some("--by-agent"))
        .current_dir(options.home.root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| not_started(&error.to_string()))?;
    let stdout = child.stdout.take().ok_or_else(|| not_started("its output is not connected"))?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line).map(|_| line);
        let _ = sender.send(read);
    });
    match receiver.recv_timeout(READY_WITHIN) {
        Ok(Ok(line)) => tell(options, &line),
        Ok(Err(error)) => Err(not_started(&error.to_string())),
        Err(_) => Err(not_started("it was not ready in time")),
    }
}

fn tell(options: &ServeOptions, line: &str) -> Result<(), Fault> {
    let (text, facts) = match serde_json::from_str(line) {
        Ok(Line::Ready(state)) => {
            (format!("nudge is running: pid {}, port {}", state.pid, state.port), json!(state))
        }
        Ok(Line::Already(greeting)) => {
            let text = format!("nudge is already running: pid {}, port {}", greeting.pid, greeting.port);
            (
                text,
                json!({"already": true, "pid": greeting.pid, "port": greeting.port, "instance": greeting.instance, "version": greeting.version}),
            )
        }
        Ok(Line::Failed(fault)) => return Err(Fault::from_json(&fault)),
        Err(_) => return Err(not_started("it exited without a message")),
    };
    let mut stdout = std::io::stdout();
    let written = if options.json { writeln!(stdout, "{facts}") } else { writeln!(stdout, "{text}") };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Fault::new(
            FaultKind::Unavailable,
            Fault::OUTPUT,
            format!("cannot write to standard output: {error}"),
        )
        .next("the server is running; `nudge status` shows its port")),
        _ => Ok(()),
    }
}

/// Detaches from the terminal, so that closing it does not end this process. Standard error goes to
/// the log.
pub(super) fn leave_terminal(home: &Home) {
    // Fails only when this process already leads a session, which is what we want.
    let _ = rustix::process::setsid();
    if let Some(log) = log_or_nothing(home) {
        let _ = rustix::stdio::dup2_stderr(log);
    }
}

/// The log, for output that bypasses the logger, such as a library's; `None` if it cannot be
/// opened. After a rotation the output still goes to the old file.
fn log_or_nothing(home: &Home) -> Option<File> {
    let log = crate::log::appended(&home.log_dir());
    log.or_else(|_| OpenOptions::new().write(true).open("/dev/null")).ok()
}

/// Reports how the start went: to the waiting parent when detached, else to a user at a terminal.
pub(super) fn report(options: &ServeOptions, readiness: &Readiness) {
    if options.detached {
        report_to_parent(&options.home, readiness.clone());
        return;
    }
    match readiness {
        Readiness::Ready(state) => terminal::say(&format!(
            "nudge serves http://127.0.0.1:{} (pid {}); stop it with Ctrl-C or `nudge stop`",
            state.port, state.pid
        )),
        Readiness::Already(greeting) => {
            let line = format!("nudge is already running: pid {}, port {}", greeting.pid, greeting.port);
            let _ = writeln!(std::io::stderr(), "{line}");
        }
        Readiness::Failed(_) => {}
    }
}

fn report_to_parent(home: &Home, readiness: Readiness) {
    let line = match readiness {
        Readiness::Ready(state) => Line::Ready(state),
        Readiness::Already(greeting) => Line::Already(greeting),
        Readiness::Failed(fault) => Line::Failed(fault.to_json()),
    };
    let mut stdout = std::io::stdout();
    // The parent may have stopped waiting; the server serves anyway.
    let _ = serde_json::to_string(&line).map(|line| writeln!(stdout, "{line}").and_then(|()| stdout.flush()));
    if let Some(log) = log_or_nothing(home) {
        let _ = rustix::stdio::dup2_stdout(log);
    }
}

fn not_started(why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "daemon", format!("the background server did not start: {why}"))
        .next("run `nudge serve` in a terminal to see why")
}
